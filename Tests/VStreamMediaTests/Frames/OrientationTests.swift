import Testing

@testable import VStreamMedia

/// Display matrices of ISO/IEC 14496-12, by where a pixel at (x, y) is shown.
struct OrientationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let a: Int32
    let b: Int32
    let c: Int32
    let d: Int32
    let expected: Orientation
    let degrees: Int
    var testDescription: String { name }
  }

  static let one: Int32 = 1 << 16
  static let rows = [
    Row(name: "the identity", a: one, b: 0, c: 0, d: one, expected: .upright, degrees: 0),
    Row(name: "down becomes left", a: 0, b: one, c: -one, d: 0, expected: .clockwise, degrees: 90),
    Row(name: "both are reversed", a: -one, b: 0, c: 0, d: -one, expected: .upsideDown, degrees: 180),
    Row(name: "down becomes right", a: 0, b: -one, c: one, d: 0, expected: .counterClockwise, degrees: 270),
    Row(name: "right becomes left", a: -one, b: 0, c: 0, d: one, expected: .mirrored, degrees: 0),
    Row(name: "down becomes up", a: one, b: 0, c: 0, d: -one, expected: .flipped, degrees: 180),
    Row(name: "rows become columns", a: 0, b: one, c: one, d: 0, expected: .transposed, degrees: 90),
    Row(name: "rows become columns, both reversed", a: 0, b: -one, c: -one, d: 0, expected: .transversed, degrees: 270),
    Row(name: "a few degrees are ignored", a: one, b: 4000, c: -4000, d: one, expected: .upright, degrees: 0),
    Row(name: "all zero", a: 0, b: 0, c: 0, d: 0, expected: .upright, degrees: 0),
    Row(name: "the extremes", a: .min, b: .max, c: .min, d: .min, expected: .upsideDown, degrees: 180),
  ]

  @Test(arguments: rows)
  func `a matrix is rounded to a quarter turn, mirrored or not`(row: Row) {
    let orientation = Orientation(matrix: [row.a, row.b, 0, row.c, row.d, 0, 0, 0, 1 << 30])
    #expect(orientation == row.expected)
    #expect(orientation.degrees == row.degrees)
  }
}
