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

  /// In the order in which they were configured; of records, by name.
  public var zones: [InZone]
  /// In the order in which they were configured; of records, by name.
  public var lines: [AcrossLine]

  public init(zones: [InZone], lines: [AcrossLine]) {
    self.zones = zones
    self.lines = lines
  }
}
