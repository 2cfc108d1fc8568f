/// A change in the state of a track.
///
/// For each ID there is one `enter`, then one `confirm`, then any number of alternating `lost` and `recovered`, and
/// finally one `exit`.
public struct TrackEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The object was detected for the first time. Reported together with `confirm`, since there is no ID before.
    case enter
    /// The object got its ID.
    case confirm
    /// The detector ran, and no detection was matched; or the track is probably no object, as it never moved and its scores
    /// stay near the minimum.
    case lost
    /// The object was matched again, or is an object after all.
    case recovered
    /// The track expired and its ID will not be used again, or the stream ended.
    case exit
  }

  /// What happened.
  public var kind: Kind
  /// The track's ID.
  public var id: Int
  /// Index of the object's class, from 0.
  public var classIndex: Int
  /// Name of the object's class.
  public var label: String
  /// Stream time in seconds: of the first detection for `enter`; of the detected frame for `confirm`, `lost` and
  /// `recovered`; for `exit` the expiry of the track, or the end of the stream.
  public var time: Double

  public init(kind: Kind, id: Int, classIndex: Int, label: String, time: Double) {
    self.kind = kind
    self.id = id
    self.classIndex = classIndex
    self.label = label
    self.time = time
  }
}
