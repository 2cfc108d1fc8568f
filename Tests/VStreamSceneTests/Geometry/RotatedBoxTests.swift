import Foundation
import Testing
import VStreamScene
import VStreamTestSupport

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
