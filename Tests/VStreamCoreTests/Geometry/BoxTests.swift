import Testing
import VStreamCore
import VStreamTestSupport

struct OverlapCase: CustomTestStringConvertible, Sendable {
  let name: String
  let one: Box
  let other: Box
  let iou: Double
  var testDescription: String { name }
}

struct BoxTests {
  static let overlaps: [OverlapCase] = [
    OverlapCase(
      name: "the same box", one: Box(x: 1, y: 2, width: 3, height: 4), other: Box(x: 1, y: 2, width: 3, height: 4),
      iou: 1),
    OverlapCase(
      name: "half of each", one: Box(x: 0, y: 0, width: 2, height: 1), other: Box(x: 1, y: 0, width: 2, height: 1),
      iou: 1.0 / 3),
    OverlapCase(
      name: "one inside the other", one: Box(x: 0, y: 0, width: 4, height: 4),
      other: Box(x: 1, y: 1, width: 2, height: 2), iou: 0.25),
    OverlapCase(
      name: "touching edges", one: Box(x: 0, y: 0, width: 1, height: 1), other: Box(x: 1, y: 0, width: 1, height: 1),
      iou: 0),
    OverlapCase(
      name: "touching corners", one: Box(x: 0, y: 0, width: 1, height: 1),
      other: Box(x: 1, y: 1, width: 1, height: 1), iou: 0),
    OverlapCase(
      name: "apart", one: Box(x: 0, y: 0, width: 1, height: 1), other: Box(x: 5, y: 5, width: 1, height: 1), iou: 0),
    OverlapCase(
      name: "no width", one: Box(x: 0, y: 0, width: 0, height: 1), other: Box(x: 0, y: 0, width: 1, height: 1), iou: 0),
    OverlapCase(
      name: "negative width", one: Box(x: 1, y: 0, width: -1, height: 1), other: Box(x: 0, y: 0, width: 1, height: 1),
      iou: 0),
    OverlapCase(
      name: "not a number", one: Box(x: .nan, y: 0, width: 1, height: 1), other: Box(x: 0, y: 0, width: 1, height: 1),
      iou: 0),
    OverlapCase(
      name: "endless", one: Box(x: 0, y: 0, width: .infinity, height: 1), other: Box(x: 0, y: 0, width: 1, height: 1),
      iou: 0),
  ]

  @Test(arguments: overlaps)
  func `overlap is what it is by hand, both ways round`(_ row: OverlapCase) {
    #expect(abs(row.one.iou(row.other) - row.iou) < 1e-12)
    #expect(row.one.iou(row.other) == row.other.iou(row.one))
    #expect((row.one.intersection(row.other) != nil) == (row.iou > 0))
  }

  @Test func `a buffered box keeps its centre and grows on each side`() {
    let box = Box(x: 10, y: 20, width: 10, height: 20).buffered(by: 0.3)
    #expect(box.center == Point(x: 15, y: 30))
    #expect(abs(box.width - 16) < 1e-12)
    #expect(abs(box.height - 32) < 1e-12)
  }

  @Test func `a box is cut at the frame's edge`() {
    let size = PixelSize(width: 100, height: 50)
    #expect(Box(x: -5, y: -5, width: 20, height: 10).clipped(to: size) == Box(x: 0, y: 0, width: 15, height: 5))
    #expect(Box(x: 90, y: 45, width: 20, height: 10).clipped(to: size) == Box(x: 90, y: 45, width: 10, height: 5))
    #expect(Box(x: 100, y: 0, width: 5, height: 5).clipped(to: size) == nil)
  }
}

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

/// Conversion to and from the coordinates of Apple's Vision.
struct VisionCoordinatesTests {
  private let size = PixelSize(width: 200, height: 100)

  @Test(arguments: [
    (Point(x: 0, y: 0), Point(x: 0, y: 1)), (Point(x: 200, y: 100), Point(x: 1, y: 0)),
    (Point(x: 50, y: 25), Point(x: 0.25, y: 0.75)), (Point(x: -20, y: 110), Point(x: -0.1, y: -0.1)),
  ])
  func `points are counted in fractions from the lower left`(point: Point, vision: Point) {
    let found = point.normalized(in: size)
    #expect(abs(found.x - vision.x) < 1e-12 && abs(found.y - vision.y) < 1e-12)
    let back = Point(normalized: found, in: size)
    #expect(abs(back.x - point.x) < 1e-9 && abs(back.y - point.y) < 1e-9)
  }

  @Test func `a box's corner is its lower left one`() {
    let box = Box(x: 20, y: 10, width: 100, height: 50)
    let vision = box.normalized(in: size)
    for (found, expected) in zip([vision.x, vision.y, vision.width, vision.height], [0.1, 0.4, 0.5, 0.5]) {
      #expect(abs(found - expected) < 1e-12)
    }
    let back = Box(normalized: vision, in: size)
    for (found, expected) in zip([back.x, back.y, back.width, back.height], [20.0, 10, 100, 50]) {
      #expect(abs(found - expected) < 1e-9)
    }
  }

  @Test(arguments: 1...10)
  func `a box is the same after conversion in both directions`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let size = PixelSize(width: 1 + numbers.below(4000), height: 1 + numbers.below(4000))
    let box = Box(
      x: Double(numbers.below(5000) - 500), y: Double(numbers.below(5000) - 500), width: Double(numbers.below(4000)),
      height: Double(numbers.below(4000)))
    let back = Box(normalized: box.normalized(in: size), in: size)
    for (found, expected) in [
      (back.x, box.x), (back.y, box.y), (back.width, box.width), (back.height, box.height),
    ] {
      #expect(abs(found - expected) < 1e-8)
    }
  }

  @Test func `the whole frame is the unit square`() {
    let frame = Box(x: 0, y: 0, width: 200, height: 100)
    #expect(frame.normalized(in: size) == Box(x: 0, y: 0, width: 1, height: 1))
  }
}

/// Conversion of floating-point numbers to integers, which must not trap on any value.
struct NumbersTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let value: Double
    let expected: Int
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "whole", value: 42, expected: 42),
    Row(name: "rounded down", value: 2.4, expected: 2),
    Row(name: "a half, away from zero", value: 2.5, expected: 3),
    Row(name: "a negative half, away from zero", value: -2.5, expected: -3),
    Row(name: "negative zero", value: -0.0, expected: 0),
    Row(name: "the smallest number", value: .leastNonzeroMagnitude, expected: 0),
    Row(name: "the last exact integer", value: 9_007_199_254_740_992, expected: 9_007_199_254_740_992),
    Row(name: "just below two to the power of 63", value: 9.223372036854775e18, expected: .max),
    Row(name: "two to the power of 63", value: 9.223372036854775808e18, expected: .max),
    Row(name: "the greatest number", value: .greatestFiniteMagnitude, expected: .max),
    Row(name: "infinity", value: .infinity, expected: .max),
    Row(name: "minus two to the power of 63", value: -9.223372036854775808e18, expected: .min),
    Row(name: "minus infinity", value: -.infinity, expected: .min),
    Row(name: "not a number", value: .nan, expected: 0),
  ]

  @Test(arguments: rows)
  func `a number becomes the nearest integer that exists`(row: Row) {
    #expect(Int(clamping: row.value) == row.expected)
  }
}
