/// The counts so far of each zone and line, by class.
public struct RegionCounts: Hashable, Sendable {
  public struct InZone: Hashable, Sendable {
    public var name: String
    /// Objects inside now.
    public var inside: [String: Int] = [:]
    /// Objects that have been inside, each counted once.
    public var entered: [String: Int] = [:]
    /// Seconds of stream time that objects spent inside: the sum, and the maximum of a single object.
    public var dwellSeconds: [String: Double] = [:]
    public var longestDwellSeconds: [String: Double] = [:]

    public init(name: String) { self.name = name }
  }

  public struct AcrossLine: Hashable, Sendable {
    public var name: String
    /// Crossings to the right and to the left, seen from the line's start towards its end.
    public var toRight: [String: Int] = [:]
    public var toLeft: [String: Int] = [:]

    public init(name: String) { self.name = name }
  }

  public var zones: [InZone]
  public var lines: [AcrossLine]

  public init(zones: [InZone], lines: [AcrossLine]) {
    self.zones = zones
    self.lines = lines
  }
}
