/// What was counted so far, for each zone and line, class by class.
public struct RegionCounts: Hashable, Sendable {
  public struct InZone: Hashable, Sendable {
    public var name: String
    /// Things that are inside now.
    public var inside: [String: Int] = [:]
    /// Things that have been inside, each counted once.
    public var entered: [String: Int] = [:]
    /// Seconds of stream time that things spent inside: of all together, and of the one that stayed longest.
    public var dwellSeconds: [String: Double] = [:]
    public var longestDwellSeconds: [String: Double] = [:]

    public init(name: String) { self.name = name }
  }

  public struct AcrossLine: Hashable, Sendable {
    public var name: String
    /// Crossings to the right and to the left, for who looks from the line's start to its end.
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
