/// A change in the state of a track.
///
/// For each ID there is one `enter`, then one `confirm`, then any number of alternating `lost` and `recovered`, and
/// finally one `exit`.
public struct TrackEvent: Hashable, Sendable {
  /// The kind of change.
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

  /// The kind of change.
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

/// The counts so far of each zone and line, by class.
public struct RegionCounts: Hashable, Sendable, Codable {
  /// The counts of a zone.
  public struct InZone: Hashable, Sendable, Codable {
    /// The zone's name.
    public var name: String
    /// Objects inside now.
    public var inside: [String: Int] = [:]
    /// Objects that have been inside, each counted once.
    public var entered: [String: Int] = [:]
    /// Seconds of stream time that objects spent inside, in all.
    public var dwellSeconds: [String: Double] = [:]
    /// The longest time of a single object, in seconds.
    public var longestDwellSeconds: [String: Double] = [:]

    public init(name: String) { self.name = name }
  }

  /// The counts of a line.
  public struct AcrossLine: Hashable, Sendable, Codable {
    /// The line's name.
    public var name: String
    /// Crossings to the right, seen from the line's start towards its end.
    public var toRight: [String: Int] = [:]
    /// Crossings to the left, seen from the line's start towards its end.
    public var toLeft: [String: Int] = [:]

    public init(name: String) { self.name = name }
  }

  /// In configuration order; of records, by name.
  public var zones: [InZone]
  /// In configuration order; of records, by name.
  public var lines: [AcrossLine]

  public init(zones: [InZone], lines: [AcrossLine]) {
    self.zones = zones
    self.lines = lines
  }
}
