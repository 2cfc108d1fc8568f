/// Something that happened to an object with an ID.
///
/// For each ID there is one `enter`, then one `confirm`, then any number of `lost` and `recovered` in turn, and at last
/// one `exit`.
public struct TrackEvent: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The object was detected for the first time. It is told together with `confirm`, as before that there is no ID.
    case enter
    /// The object got its ID.
    case confirm
    /// The object was looked for and not found.
    case lost
    /// The object was found again.
    case recovered
    /// The object was not found for so long that its ID is gone for good, or the stream is over.
    case exit
  }

  public var kind: Kind
  public var id: Int
  /// Index of the object's class, from 0.
  public var classIndex: Int
  /// Name of the object's class.
  public var label: String
  /// Stream time in seconds: of the first detection for `enter`; of the frame that was looked at for `confirm`, `lost`
  /// and `recovered`; for `exit` the end of the time that a lost object is waited for, or of the stream.
  public var time: Double

  public init(kind: Kind, id: Int, classIndex: Int, label: String, time: Double) {
    self.kind = kind
    self.id = id
    self.classIndex = classIndex
    self.label = label
    self.time = time
  }
}
