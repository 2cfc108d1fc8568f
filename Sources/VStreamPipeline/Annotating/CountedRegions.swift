public import VStreamCore
package import VStreamOverlay
package import VStreamReporting
package import VStreamTracking

/// The counting zones and lines, before the frames' size is known.
public struct CountedRegions: Hashable, Sendable {
  /// A coordinate of a corner, in pixels of the upright frame or relative to its size.
  package enum Coordinate: Hashable, Sendable {
    case pixels(Double)
    /// As a fraction of the frame's width or height.
    case fraction(Double)

    fileprivate var number: Double {
      switch self {
      case .pixels(let number), .fraction(let number): number
      }
    }

    fileprivate init?(_ text: some StringProtocol) {
      let value = Self.withoutSpaces(text)
      let isFraction = value.last == "%"
      let digits = isFraction ? Self.withoutSpaces(value.dropLast()) : value
      guard let number = Double(digits), abs(number) < 1e6 else { return nil }
      self = isFraction ? .fraction(number / 100) : .pixels(number)
    }

    private static func withoutSpaces(_ text: some StringProtocol) -> String {
      String(String(text.drop { $0 == " " }).reversed().drop { $0 == " " }.reversed())
    }

    func value(of side: Int) -> Double {
      switch self {
      case .pixels(let pixels): pixels
      case .fraction(let fraction): fraction * Double(side)
      }
    }
  }

  /// A corner of a zone, or an end of a line.
  package struct Corner: Hashable, Sendable {
    /// To the right from the left edge.
    public var x: Coordinate
    /// Downwards from the top edge.
    public var y: Coordinate

    public init(x: Coordinate, y: Coordinate) {
      self.x = x
      self.y = y
    }

    func point(in size: PixelSize) -> Point { Point(x: x.value(of: size.width), y: y.value(of: size.height)) }

    /// Parses `X,Y`, each in pixels or in percent (`25%`).
    ///
    /// - Returns: `nil` for other texts.
    package init?(_ text: some StringProtocol) {
      let coordinates = text.split(separator: ",", omittingEmptySubsequences: false).map { Coordinate($0) }
      guard coordinates.count == 2, let x = coordinates[0], let y = coordinates[1] else { return nil }
      self.init(x: x, y: y)
    }

    /// Parses `X,Y;X,Y…`.
    ///
    /// - Returns: `nil` if one of them is no corner.
    package static func list(_ text: some StringProtocol) -> [Corner]? {
      let corners = text.split(separator: ";").map { Corner($0) }
      return corners.contains(nil) ? nil : corners.compactMap(\.self)
    }
  }

  /// A zone by its corners, or a line by its ends.
  public struct Region: Hashable, Sendable {
    /// Under which it is counted; unique.
    public var name: String
    /// Three or more of a zone, two of a line.
    package var corners: [Corner]

    package init(name: String, corners: [Corner]) {
      self.name = name
      self.corners = corners
    }

    /// - Parameter fractions: corners as fractions of the frame's width and height.
    public init(name: String, fractions: [(x: Double, y: Double)]) {
      self.init(name: name, corners: fractions.map { Corner(x: .fraction($0.x), y: .fraction($0.y)) })
    }

    /// - Parameter pixels: corners in pixels of the upright frame.
    public init(name: String, pixels: [Point]) {
      self.init(name: name, corners: pixels.map { Corner(x: .pixels($0.x), y: .pixels($0.y)) })
    }

    func points(in size: PixelSize) -> [Point] { corners.map { $0.point(in: size) } }
  }

  /// Polygons.
  public var zones: [Region] = []
  /// By their two ends.
  public var lines: [Region] = []

  public init() {}

  /// Zones and lines as records' headers state them.
  package func recorded(_ regions: KeyPath<CountedRegions, [Region]>, in size: PixelSize) -> [RecordHeader.Region] {
    self[keyPath: regions].map { RecordHeader.Region(name: $0.name, points: $0.points(in: size)) }
  }

  /// - Throws: `VStreamError.usage` for a zone of fewer than three corners, a line without two ends, a name that is empty or used
  ///   twice, and corners that are no numbers.
  package static func check(zones: [Region], lines: [Region]) throws(VStreamError) {
    for (setting, regions) in [(Setting.zone, zones), (.line, lines)] {
      for (index, region) in regions.enumerated() {
        func invalid(_ problem: Message, remedy: Message) -> VStreamError {
          VStreamError(
            .usage, "\(setting, region.name): \(problem)", setting: setting, value: region.name, remedy: remedy)
        }
        if region.name.isEmpty { throw invalid("has no name", remedy: "give each a name") }
        if regions[..<index].contains(where: { $0.name == region.name }) {
          throw invalid("is named twice", remedy: "give each a name of its own")
        }
        if !region.corners.allSatisfy({ abs($0.x.number) < 1e6 && abs($0.y.number) < 1e6 }) {
          throw invalid("has a corner that is no point", remedy: "give pixels or fractions of the frame")
        }
        if setting == .zone, region.corners.count < 3 {
          throw invalid("has \(region.corners.count) corners", remedy: "give three or more")
        }
        if setting == .line, region.corners.count != 2 || region.corners[0] == region.corners[1] {
          throw invalid("is not a line", remedy: "give its two ends")
        }
      }
    }
  }

  var isEmpty: Bool { zones.isEmpty && lines.isEmpty }

  /// - Parameter size: of the upright frames.
  package func counter(in size: PixelSize) -> Counter {
    Counter(
      zones: zones.map { Zone(name: $0.name, corners: $0.points(in: size)) },
      lines: lines.map { line in
        let ends = line.points(in: size)
        return CountingLine(name: line.name, start: ends[0], end: ends[1])
      })
  }

  /// Zones and lines as they are drawn, with their counts.
  package func marks(in size: PixelSize, _ counts: RegionCounts) -> [RegionMark] {
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
