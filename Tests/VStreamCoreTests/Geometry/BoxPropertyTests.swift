import Testing
import VStreamCore
import VStreamTestSupport

/// Boxes without area or with coordinates that are not finite, and the algebra of random boxes.
struct BoxPropertyTests {
  struct EmptyRow: CustomTestStringConvertible, Sendable {
    let name: String
    let box: Box
    let isEmpty: Bool
    var testDescription: String { name }
  }

  static let emptyRows = [
    EmptyRow(name: "positive sides", box: Box(x: 0, y: 0, width: 1, height: 1), isEmpty: false),
    EmptyRow(name: "the smallest sides", box: Box(x: 0, y: 0, width: 1e-300, height: 1e-300), isEmpty: false),
    EmptyRow(name: "at a negative position", box: Box(x: -9, y: -9, width: 1, height: 1), isEmpty: false),
    EmptyRow(name: "zero width", box: Box(x: 0, y: 0, width: 0, height: 1), isEmpty: true),
    EmptyRow(name: "zero height", box: Box(x: 0, y: 0, width: 1, height: 0), isEmpty: true),
    EmptyRow(name: "both sides negative", box: Box(x: 0, y: 0, width: -1, height: -1), isEmpty: true),
    EmptyRow(name: "corners exchanged", box: Box(left: 5, top: 0, right: 3, bottom: 1), isEmpty: true),
    EmptyRow(name: "infinite width", box: Box(x: 0, y: 0, width: .infinity, height: 1), isEmpty: true),
    EmptyRow(name: "height not a number", box: Box(x: 0, y: 0, width: 1, height: .nan), isEmpty: true),
    EmptyRow(name: "x at minus infinity", box: Box(x: -.infinity, y: 0, width: 1, height: 1), isEmpty: true),
    EmptyRow(name: "y not a number", box: Box(x: 0, y: .nan, width: 1, height: 1), isEmpty: true),
  ]

  @Test(arguments: emptyRows)
  func `an empty box has no area and overlaps nothing`(row: EmptyRow) {
    let everything = Box(x: -1e9, y: -1e9, width: 2e9, height: 2e9)
    #expect(row.box.isEmpty == row.isEmpty)
    #expect((row.box.intersection(everything) == nil) == row.isEmpty)
    #expect((everything.intersection(row.box) == nil) == row.isEmpty)
    #expect((row.box.clipped(to: PixelSize(width: 4, height: 4)) != nil) == (!row.isEmpty && row.box.x >= 0))
    if row.isEmpty {
      #expect(row.box.area == 0)
      #expect(row.box.iou(everything) == 0 && everything.iou(row.box) == 0)
    }
  }

  struct HullRow: CustomTestStringConvertible, Sendable {
    let name: String
    let one: Box
    let other: Box
    let hull: Box
    var testDescription: String { name }
  }

  private static let unit = Box(x: 0, y: 0, width: 10, height: 10)
  private static let empty = Box(x: 500, y: 500, width: 0, height: 10)

  static let hulls = [
    HullRow(
      name: "apart", one: unit, other: Box(x: 20, y: 5, width: 5, height: 30),
      hull: Box(x: 0, y: 0, width: 25, height: 35)),
    HullRow(name: "one inside the other", one: unit, other: Box(x: 2, y: 2, width: 1, height: 1), hull: unit),
    HullRow(name: "the second is empty", one: unit, other: empty, hull: unit),
    HullRow(name: "the first is empty", one: empty, other: unit, hull: unit),
    HullRow(name: "not a number", one: unit, other: Box(x: .nan, y: 0, width: 1, height: 1), hull: unit),
  ]

  @Test(arguments: hulls)
  func `the hull holds both boxes and ignores empty ones`(row: HullRow) {
    #expect(row.one.hull(row.other) == row.hull)
    #expect(row.other.hull(row.one) == row.hull)
  }

  /// A box with whole coordinates, so that sums and differences are exact.
  private static func box(_ numbers: inout SeededNumbers) -> Box {
    Box(
      x: Double(numbers.below(40) - 20), y: Double(numbers.below(40) - 20), width: Double(1 + numbers.below(30)),
      height: Double(1 + numbers.below(30)))
  }

  /// The number of unit squares that satisfy a condition, within reach of `box`.
  private static func squares(where isCounted: (Point) -> Bool) -> Double {
    var count = 0.0
    for y in -20..<50 {
      for x in -20..<50 where isCounted(Point(x: Double(x) + 0.5, y: Double(y) + 0.5)) { count += 1 }
    }
    return count
  }

  @Test(arguments: 1...20)
  func `intersection over union equals the count of unit squares`(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let (one, other) = (Self.box(&numbers), Self.box(&numbers))
    func holds(_ box: Box, _ point: Point) -> Bool {
      point.x > box.x && point.x < box.right && point.y > box.y && point.y < box.bottom
    }
    let common = Self.squares { holds(one, $0) && holds(other, $0) }
    let union = Self.squares { holds(one, $0) || holds(other, $0) }
    #expect((one.intersection(other)?.area ?? 0) == common)
    #expect(abs(one.iou(other) - common / union) < 1e-12)
    let hull = one.hull(other)
    #expect(hull.intersection(one) == one && hull.intersection(other) == other)
  }

  @Test func `a box is the same by corner, by corners and by centre`() {
    let box = Box(x: 10, y: 20, width: 30, height: 8)
    #expect(Box(left: 10, top: 20, right: 40, bottom: 28) == box)
    #expect(Box(center: Point(x: 25, y: 24), width: 30, height: 8) == box)
    #expect((box.right, box.bottom) == (40, 28))
    #expect(box.center == Point(x: 25, y: 24))
  }

  @Test(arguments: [
    ("enlarged", 2.0, 3.0, Box(x: 8, y: -6, width: 20, height: 15)),
    ("reduced", 0.5, 0.25, Box(x: 2, y: -0.5, width: 5, height: 1.25)),
    ("unchanged", 1, 1, Box(x: 4, y: -2, width: 10, height: 5)),
    ("to nothing", 0, 1, Box(x: 0, y: -2, width: 0, height: 5)),
  ])
  func `a box scales with its frame`(name: String, x: Double, y: Double, expected: Box) {
    #expect(Box(x: 4, y: -2, width: 10, height: 5).scaled(x: x, y: y) == expected)
  }

  @Test func `a size is written as width by height`() {
    #expect("\(PixelSize(width: 768, height: 576))" == "768×576")
  }
}
