import Testing
import VStreamScene
import VStreamTestSupport

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

  struct ScaleRow: CustomTestStringConvertible, Sendable {
    let name: String
    let from: Box
    let to: Box
    let scale: [Double]
    var testDescription: String { name }
  }

  static let scales = [
    ScaleRow(name: "per axis", from: unit, to: Box(x: 3, y: 3, width: 5, height: 40), scale: [0.5, 4]),
    ScaleRow(
      name: "from no width", from: Box(x: 0, y: 0, width: 0, height: 10), to: Box(x: 0, y: 0, width: 5, height: 5),
      scale: [1, 0.5]),
    ScaleRow(
      name: "from a negative height", from: Box(x: 0, y: 0, width: 10, height: -1),
      to: Box(x: 0, y: 0, width: 5, height: 5), scale: [0.5, 1]),
    ScaleRow(name: "to a negative width", from: unit, to: Box(x: 0, y: 0, width: -5, height: 5), scale: [1, 0.5]),
    ScaleRow(
      name: "from a width not a number", from: Box(x: 0, y: 0, width: .nan, height: 10),
      to: Box(x: 0, y: 0, width: 5, height: 20), scale: [1, 2]),
  ]

  @Test(arguments: scales)
  func `a side that is not positive is not scaled`(row: ScaleRow) {
    let scale = BoxTransform(from: row.from, to: row.to).scale
    #expect([scale.x, scale.y] == row.scale)
  }

  @Test(arguments: 1...10)
  func `the transform in the opposite direction restores points and boxes`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    func box() -> Box {
      Box(
        x: Double(numbers.below(2000) - 1000), y: Double(numbers.below(2000) - 1000),
        width: Double(1 + numbers.below(500)), height: Double(1 + numbers.below(500)))
    }
    let (from, to, inner) = (box(), box(), box())
    let (there, back) = (BoxTransform(from: from, to: to), BoxTransform(from: to, to: from))
    let restored = back.applied(to: there.applied(to: inner))
    let (center, moved) = (there.applied(to: inner).center, there.applied(to: inner.center))
    for (found, expected) in [
      (restored.x, inner.x), (restored.y, inner.y), (restored.width, inner.width), (restored.height, inner.height),
      (center.x, moved.x), (center.y, moved.y),
    ] {
      #expect(abs(found - expected) < 1e-6)
    }
  }
}
