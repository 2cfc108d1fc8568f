internal import VStreamOverlay
internal import VStreamReporting
internal import VStreamScene
internal import VStreamTracking

/// The zones and lines in which objects are counted, before the frames' size is known.
public struct CountedRegions: Hashable, Sendable {
  public enum Coordinate: Hashable, Sendable {
    case pixels(Double)
    /// As a fraction of the frame's width or height.
    case fraction(Double)

    func value(of side: Int) -> Double {
      switch self {
      case .pixels(let pixels): pixels
      case .fraction(let fraction): fraction * Double(side)
      }
    }
  }

  public struct Corner: Hashable, Sendable {
    public var x: Coordinate
    public var y: Coordinate

    public init(x: Coordinate, y: Coordinate) {
      self.x = x
      self.y = y
    }
  }

  /// A zone by its corners, or a line by its ends.
  public struct Region: Hashable, Sendable {
    public var name: String
    public var corners: [Corner]

    public init(name: String, corners: [Corner]) {
      self.name = name
      self.corners = corners
    }

    func points(in size: PixelSize) -> [Point] {
      corners.map { Point(x: $0.x.value(of: size.width), y: $0.y.value(of: size.height)) }
    }
  }

  public var zones: [Region] = []
  public var lines: [Region] = []

  public init() {}

  /// Zones and lines as records' headers state them.
  func recorded(_ regions: KeyPath<CountedRegions, [Region]>, in size: PixelSize) -> [RecordHeader.Region] {
    self[keyPath: regions].map { RecordHeader.Region(name: $0.name, points: $0.points(in: size)) }
  }

  var isEmpty: Bool { zones.isEmpty && lines.isEmpty }

  /// - Parameter size: of the upright frames.
  func counter(in size: PixelSize) -> Counter {
    Counter(
      zones: zones.map { Zone(name: $0.name, corners: $0.points(in: size)) },
      lines: lines.map { line in
        let ends = line.points(in: size)
        return CountingLine(name: line.name, start: ends[0], end: ends[1])
      })
  }

  /// Zones and lines as they are drawn, with their counts.
  func marks(in size: PixelSize, _ counts: RegionCounts) -> [RegionMark] {
    let drawnZones = zip(zones, counts.zones).enumerated().map { number, zone in
      RegionMark(zone: zone.0.points(in: size), number: number, counts: zone.1)
    }
    let drawnLines = zip(lines, counts.lines).enumerated().map { number, line in
      let ends = line.0.points(in: size)
      return RegionMark(line: ends[0], ends[1], number: zones.count + number, counts: line.1)
    }
    return drawnZones + drawnLines
  }
}
