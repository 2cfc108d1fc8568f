import Testing
import VStreamScene

struct BoxTransformTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let from: Box
    let to: Box
    let point: Point
    let expected: Point
    var testDescription: String { name }
  }

  private static let unit = Box(x: 0, y: 0, width: 10, height: 10)

  static let rows = [
    Row(
      name: "the same box", from: unit, to: unit, point: Point(x: 3, y: 4), expected: Point(x: 3, y: 4)),
    Row(
      name: "translation", from: unit, to: Box(x: -5, y: 20, width: 10, height: 10), point: Point(x: 3, y: 4),
      expected: Point(x: -2, y: 24)),
    Row(
      name: "scaling per axis", from: unit, to: Box(x: 0, y: 0, width: 20, height: 5), point: Point(x: 10, y: 10),
      expected: Point(x: 20, y: 5)),
    Row(
      name: "a point outside the box", from: unit, to: Box(x: 0, y: 0, width: 20, height: 20),
      point: Point(x: -10, y: 30), expected: Point(x: -20, y: 60)),
    Row(
      name: "from a box without area: no scaling", from: Box(x: 5, y: 5, width: 0, height: 0),
      to: Box(x: 10, y: 20, width: 4, height: 4), point: Point(x: 6, y: 7), expected: Point(x: 13, y: 24)),
    Row(
      name: "to a box without area: no scaling", from: unit, to: Box(x: 50, y: 50, width: 0, height: 0),
      point: Point(x: 6, y: 7), expected: Point(x: 51, y: 52)),
  ]

  @Test(arguments: rows) func `a point keeps its relative position`(_ row: Row) {
    #expect(BoxTransform(from: row.from, to: row.to).applied(to: row.point) == row.expected)
  }

  @Test func `the source box becomes the target box`() {
    let (from, to) = (Box(x: 2, y: 4, width: 8, height: 16), Box(x: 100, y: -50, width: 4, height: 64))
    #expect(BoxTransform(from: from, to: to).applied(to: from) == to)
    #expect(BoxTransform(from: from, to: to).scale == (0.5, 4))
  }
}
