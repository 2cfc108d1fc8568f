import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

struct EllipseTests {
  @Test func `the ellipse around a box goes through its corners`() {
    let box = Box(x: 10, y: 20, width: 30, height: 80)
    let ellipse = Ellipse(around: box)
    for x in [box.x, box.right] {
      for y in [box.y, box.bottom] {
        #expect(ellipse.contains(Point(x: x + (box.center.x - x) * 1e-9, y: y + (box.center.y - y) * 1e-9)))
        #expect(!ellipse.contains(Point(x: x + (x - box.center.x) * 1e-6, y: y)))
      }
    }
    #expect(box.coveredFraction(by: [ellipse]) == 1)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let ellipses: [Ellipse]
    let share: ClosedRange<Double>
    var testDescription: String { name }
  }

  private static func ellipse(_ x: Double, _ y: Double, _ radius: Double) -> Ellipse {
    Ellipse(center: Point(x: x, y: y), radiusX: radius, radiusY: radius)
  }

  static let rows = [
    Row(name: "none", ellipses: [], share: 0...0),
    Row(name: "the inscribed one: a quarter of pi", ellipses: [ellipse(50, 50, 50)], share: 0.775...0.795),
    Row(name: "one far away", ellipses: [ellipse(500, 50, 50)], share: 0...0),
    Row(name: "one on its left half", ellipses: [ellipse(-1e6 + 50, 50, 1e6)], share: 0.49...0.51),
    Row(
      name: "two that share a part count once", ellipses: [ellipse(50, 50, 50), ellipse(50, 50, 50)],
      share: 0.775...0.795),
    Row(name: "one without area", ellipses: [ellipse(50, 50, 0)], share: 0...0),
    Row(name: "one that is no number", ellipses: [ellipse(.nan, 50, 50)], share: 0...0),
  ]

  @Test(arguments: rows)
  func `a box's share in ellipses`(_ row: Row) {
    #expect(row.share.contains(Box(x: 0, y: 0, width: 100, height: 100).coveredFraction(by: row.ellipses)))
  }

  @Test func `an empty box has nothing that is not covered`() {
    #expect(Box(x: 0, y: 0, width: 0, height: 10).coveredFraction(by: []) == 1)
  }

  struct PointRow: CustomTestStringConvertible, Sendable {
    let name: String
    let radiusX: Double
    let radiusY: Double
    let point: Point
    let isInside: Bool
    var testDescription: String { name }
  }

  /// Ellipses around (10, 20).
  static let points = [
    PointRow(name: "the centre", radiusX: 4, radiusY: 2, point: Point(x: 10, y: 20), isInside: true),
    PointRow(name: "the right end", radiusX: 4, radiusY: 2, point: Point(x: 14, y: 20), isInside: true),
    PointRow(name: "the top end", radiusX: 4, radiusY: 2, point: Point(x: 10, y: 18), isInside: true),
    PointRow(name: "past the right end", radiusX: 4, radiusY: 2, point: Point(x: 14.001, y: 20), isInside: false),
    PointRow(name: "a corner of its bounds", radiusX: 4, radiusY: 2, point: Point(x: 13.9, y: 21.9), isInside: false),
    PointRow(name: "no width", radiusX: 0, radiusY: 2, point: Point(x: 10, y: 20), isInside: false),
    PointRow(name: "a negative radius", radiusX: 4, radiusY: -2, point: Point(x: 10, y: 20), isInside: false),
    PointRow(name: "an infinite radius", radiusX: .infinity, radiusY: 2, point: Point(x: 10, y: 20), isInside: false),
    PointRow(name: "a radius not a number", radiusX: .nan, radiusY: 2, point: Point(x: 10, y: 20), isInside: false),
    PointRow(name: "a point not a number", radiusX: 4, radiusY: 2, point: Point(x: .nan, y: 20), isInside: false),
  ]

  @Test(arguments: points)
  func `an ellipse contains its edge, and nothing if it is degenerate`(row: PointRow) {
    let ellipse = Ellipse(center: Point(x: 10, y: 20), radiusX: row.radiusX, radiusY: row.radiusY)
    #expect(ellipse.contains(row.point) == row.isInside)
  }

  @Test func `bounds touch the ellipse on each side`() {
    let ellipse = Ellipse(center: Point(x: 10, y: 20), radiusX: 4, radiusY: 2)
    #expect(ellipse.bounds == Box(x: 6, y: 18, width: 8, height: 4))
  }
}

struct RotatedBoxTests {
  @Test func `a quarter turn clockwise brings the top left corner to the top right`() {
    let box = RotatedBox(center: Point(x: 10, y: 20), width: 8, height: 4, angle: .pi / 2)
    let (corner, end) = (box.point(across: 0, down: 0), box.point(across: 1, down: 1))
    #expect(abs(corner.x - 12) < 1e-12 && abs(corner.y - 16) < 1e-12)
    #expect(abs(end.x - 8) < 1e-12 && abs(end.y - 24) < 1e-12)
    #expect(box.upright == Box(x: 6, y: 18, width: 8, height: 4))
  }

  @Test func `an upright box has its own corners`() {
    let box = Box(x: 3, y: 4, width: 10, height: 6)
    #expect(RotatedBox(box).point(across: 0, down: 0) == Point(x: 3, y: 4))
    #expect(RotatedBox(box).point(across: 1, down: 0.5) == Point(x: 13, y: 7))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let angle: Double
    let across: Double
    let down: Double
    let expected: Point
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "the centre, at any angle", angle: 1.234, across: 0.5, down: 0.5, expected: Point(x: 100, y: 50)),
    Row(name: "upright, top right", angle: 0, across: 1, down: 0, expected: Point(x: 110, y: 45)),
    Row(name: "a half turn, top left", angle: .pi, across: 0, down: 0, expected: Point(x: 110, y: 55)),
    Row(
      name: "a quarter turn clockwise, top right", angle: .pi / 2, across: 1, down: 0, expected: Point(x: 105, y: 60)),
    Row(name: "counter-clockwise, top right", angle: -.pi / 2, across: 1, down: 0, expected: Point(x: 95, y: 40)),
    Row(name: "a whole turn, bottom left", angle: 2 * .pi, across: 0, down: 1, expected: Point(x: 90, y: 55)),
    Row(name: "beyond the sides", angle: 0, across: 1.5, down: -1, expected: Point(x: 120, y: 35)),
  ]

  @Test(arguments: rows)
  func `fractions of the sides are rotated around the centre`(row: Row) {
    let box = RotatedBox(center: Point(x: 100, y: 50), width: 20, height: 10, angle: row.angle)
    let point = box.point(across: row.across, down: row.down)
    #expect(abs(point.x - row.expected.x) < 1e-9 && abs(point.y - row.expected.y) < 1e-9, "\(point)")
  }

  @Test(arguments: 1...10)
  func `rotation keeps the sides' lengths and right angles`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let (width, height) = (Double(1 + numbers.below(500)), Double(1 + numbers.below(500)))
    let box = RotatedBox(
      center: Point(x: Double(numbers.below(900)), y: Double(numbers.below(900))), width: width, height: height,
      angle: Double(numbers.below(1257)) / 100 - 6.28)
    let origin = box.point(across: 0, down: 0)
    let (right, below) = (box.point(across: 1, down: 0), box.point(across: 0, down: 1))
    let side = Point(x: right.x - origin.x, y: right.y - origin.y)
    let edge = Point(x: below.x - origin.x, y: below.y - origin.y)
    #expect(abs(hypot(side.x, side.y) - width) < 1e-9)
    #expect(abs(hypot(edge.x, edge.y) - height) < 1e-9)
    #expect(abs(side.x * edge.x + side.y * edge.y) < 1e-6)
    #expect(side.x * edge.y - side.y * edge.x > 0, "not mirrored")
  }
}
