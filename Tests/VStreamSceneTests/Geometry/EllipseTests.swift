import Testing
import VStreamScene
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
