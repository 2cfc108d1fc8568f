import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamOverlay

/// Zones and lines on frames, and what their labels say.
struct RegionOverlayTests {
  private static let size = PixelSize(width: 197, height: 141)
  private static let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
  private static let zone: RegionMark = {
    var counts = RegionCounts.InZone(name: "door")
    counts.inside = ["car": 1, "person": 3, "dog": 0]
    let corners = [Point(x: 30, y: 40), Point(x: 150, y: 50), Point(x: 120, y: 120)]
    return RegionMark(zone: corners, number: 0, counts: counts)
  }()

  private func drawn(
    _ regions: [RegionMark], elements: Set<OverlayOptions.Element> = [.zones], format: String = "yuv420p"
  ) throws -> [Sample] {
    var frame = try filled(try #require(PixelFormat(name: format)), size: Self.size)
    var stage = try OverlayPainter(OverlayOptions(elements: elements), fontPath: Self.font)
    try stage.draw(annotations([]), regions: regions, on: &frame)
    return samples(frame).filter { $0.value != 100 }
  }

  /// How far a sample's middle is from the nearest of a zone's edges.
  private func distance(_ sample: Sample, from mark: RegionMark) -> Double {
    let (x, y) = (sample.x + sample.width / 2, sample.y + sample.height / 2)
    let stroke = mark.strokes(lineWidth: 1)[0]
    return stroke.lines.map { start, end in
      let (dx, dy) = (end.x - start.x, end.y - start.y)
      let along = min(1, max(0, ((x - start.x) * dx + (y - start.y) * dy) / (dx * dx + dy * dy)))
      return
        ((x - start.x - along * dx) * (x - start.x - along * dx)
        + (y - start.y - along * dy) * (y - start.y - along * dy)).squareRoot()
    }.min() ?? .infinity
  }

  @Test(arguments: ["yuv420p", "yuv444p", "yuv422p10le", "nv12", "rgb24", "gray"])
  func `a zone's edges are drawn, and nothing else but its label`(format: String) throws {
    let changed = try drawn([Self.zone], format: format)
    let metrics = OverlayMetrics(Self.size)
    let label = Box(x: 0, y: 40 - Double(metrics.labelHeight) - 3, width: 197, height: Double(metrics.labelHeight) + 3)
    for sample in changed {
      let box = Box(x: sample.x, y: sample.y, width: sample.width, height: sample.height)
      let isNear = distance(sample, from: Self.zone) <= metrics.lineWidth / 2 + 1 + 2
      #expect(isNear || label.intersection(box) != nil, "\(format) changed \(sample.x),\(sample.y)")
    }
    // Along each edge, at its middle.
    for middle in [Point(x: 90, y: 45), Point(x: 135, y: 85), Point(x: 75, y: 80)] {
      let near = changed.filter { abs($0.x - middle.x) <= 2 && abs($0.y - middle.y) <= 2 }
      #expect(!near.isEmpty, "\(format): nothing at \(middle)")
    }
  }

  @Test func `tiles paint what one mask of the whole frame would`() throws {
    let stroke = try #require(Self.zone.strokes(lineWidth: 3).first)
    var whole = Mask()
    let all = Box(x: 0, y: 0, width: Double(Self.size.width), height: Double(Self.size.height))
    let isInside = whole.reset(covering: all, frame: Self.size, chromaShiftX: 1, chromaShiftY: 1)
    #expect(isInside)
    whole.draw(stroke)
    var tiled = [UInt8](repeating: 0, count: whole.coverage.count)
    var mask = Mask()
    for tile in stroke.tiles(in: Self.size, side: 32) {
      let isTileInside = mask.reset(covering: tile, frame: Self.size, chromaShiftX: 1, chromaShiftY: 1)
      #expect(isTileInside)
      mask.draw(stroke)
      for row in 0..<mask.height {
        for column in 0..<mask.width {
          let place = (mask.top + row) * whole.stride + mask.left + column
          #expect(tiled[place] == 0, "no pixel is in two tiles")
          tiled[place] = mask.coverage[row * mask.stride + column]
        }
      }
    }
    #expect(tiled == whole.coverage)
  }

  @Test func `zones are drawn where they are named, and a far one costs nothing`() throws {
    #expect(try drawn([Self.zone], elements: [.boxes]).isEmpty)
    let far = [Point(x: 900, y: 900), Point(x: 1e6, y: 900), Point(x: 1e6, y: 1e6)]
    let mark = RegionMark(zone: far, number: 1, counts: RegionCounts.InZone(name: ""))
    #expect(mark.strokes(lineWidth: 2).allSatisfy { $0.tiles(in: Self.size, side: 32).isEmpty })
  }

  @Test func `a zone's label lists what is inside, the most frequent first`() {
    #expect(Self.zone.text == "door  3 person 1 car")
    #expect(RegionMark(zone: [], number: 0, counts: RegionCounts.InZone(name: "yard")).text == "yard  0")
  }

  struct Way: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let end: Point
    let expected: String
  }

  /// Lines from (50, 50): their right is seen from the start towards the end.
  @Test(arguments: [
    Way(testDescription: "to the right", end: Point(x: 90, y: 50), expected: "gate  ↓ 2 person  ↑ 0"),
    Way(testDescription: "to the left", end: Point(x: 10, y: 50), expected: "gate  ↑ 2 person  ↓ 0"),
    Way(testDescription: "down", end: Point(x: 50, y: 90), expected: "gate  ← 2 person  → 0"),
    Way(testDescription: "up", end: Point(x: 50, y: 10), expected: "gate  → 2 person  ← 0"),
    Way(testDescription: "right and down", end: Point(x: 90, y: 90), expected: "gate  ↙ 2 person  ↗ 0"),
    Way(testDescription: "right and up", end: Point(x: 90, y: 10), expected: "gate  ↘ 2 person  ↖ 0"),
  ])
  func `a line's label shows both ways as they are in the picture`(way: Way) {
    var counts = RegionCounts.AcrossLine(name: "gate")
    counts.toRight = ["person": 2]
    #expect(RegionMark(line: Point(x: 50, y: 50), way.end, number: 0, counts: counts).text == way.expected)
  }
}
