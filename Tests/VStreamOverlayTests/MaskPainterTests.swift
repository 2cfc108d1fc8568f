import Testing
import VStreamCore
import VStreamMedia

@testable import VStreamOverlay

/// Polygons that are black in every frame.
struct MaskPainterTests {
  private static let size = PixelSize(width: 53, height: 37)
  private static let polygon = [Point(x: 10, y: 8), Point(x: 41, y: 12), Point(x: 36, y: 30), Point(x: 14, y: 26)]

  /// Pixels that the polygon may change beside itself: the margin, and the chroma sample that straddles its end.
  private static let reach = 9.0

  /// Whether a part of the frame overlaps the polygon, which is convex.
  private static func overlaps(_ sample: Sample) -> Bool {
    let steps = 4
    return (0...steps).contains { row in
      (0...steps).contains { column in
        let x = sample.x + sample.width * Double(column) / Double(steps)
        let y = sample.y + sample.height * Double(row) / Double(steps)
        return zip(polygon, polygon.dropFirst() + polygon.prefix(1)).allSatisfy { start, end in
          (end.x - start.x) * (y - start.y) - (end.y - start.y) * (x - start.x) > 0
        }
      }
    }
  }

  @Test(arguments: ["yuv420p", "yuv422p", "yuv444p", "nv12", "yuvj420p", "yuv420p10le", "rgb24", "gray", "bgra"])
  func `nothing of what a polygon covers remains, and what is far from it is unchanged`(name: String) throws {
    let format = try #require(PixelFormat(name: name))
    let pattern = { (seed: Int) in
      try VideoFrame(format: format, size: Self.size) { component, x, y in
        (x * 7 + y * 13 + seed * 31) % (1 << min(component.depth, 8))
      }
    }
    var painter = MaskPainter { _ in [Self.polygon] }
    let (before, others) = (try pattern(1), try pattern(2))
    var (one, other) = (before, others)
    try painter.paint(on: &one)
    try painter.paint(on: &other)
    let (all, painted, paintedOther) = (samples(before), samples(one), samples(other))
    var coveredCount = 0
    for (index, sample) in painted.enumerated() {
      if Self.overlaps(sample) {
        coveredCount += 1
        // Two different frames are the same there. Alpha is not of the image.
        if name != "bgra" || index < 3 * painted.count / 4 { #expect(sample == paintedOther[index], "\(sample)") }
      }
      let isFar =
        sample.x + sample.width < 10 - Self.reach || sample.x > 41 + Self.reach
        || sample.y + sample.height < 8 - Self.reach
        || sample.y > 30 + Self.reach
      if isFar { #expect(sample == all[index]) }
    }
    #expect(coveredCount > 400 || name.hasPrefix("gray"))
  }

  @Test func `the polygons follow a change of the frame's size`() throws {
    let format = try #require(PixelFormat(name: "gray"))
    var painter = MaskPainter { size in
      let half = Double(size.width) / 2
      return [[Point(x: 0, y: 0), Point(x: half, y: 0), Point(x: half, y: 100), Point(x: 0, y: 100)]]
    }
    for width in [40, 80, 40] {
      var frame = try filled(format, size: PixelSize(width: width, height: 10))
      try painter.paint(on: &frame)
      #expect(sample(frame, 0, x: width / 4, y: 5) != 100)
      #expect(sample(frame, 0, x: width - 2, y: 5) == 100)
    }
  }

  @Test(arguments: [[], [[Point(x: 200, y: 200), Point(x: 300, y: 200), Point(x: 250, y: 300)]], [[]]])
  func `a frame without a polygon is not copied`(polygons: [[Point]]) throws {
    let format = try #require(PixelFormat(name: "yuv420p"))
    var painter = MaskPainter { _ in polygons }
    var frame = try filled(format, size: Self.size)
    let before = samples(frame)
    try painter.paint(on: &frame)
    #expect(samples(frame) == before && frame.copyCount == 0)
  }
}
