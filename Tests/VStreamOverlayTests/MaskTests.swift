import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamOverlay

/// The coverage of pixels by boxes and glyphs, at the frame's edges and on every chroma grid.
struct MaskTests {
  private static let frame = PixelSize(width: 77, height: 33)

  struct RegionRow: CustomTestStringConvertible, Sendable {
    let name: String
    let box: Box
    var shiftX = 0
    var shiftY = 0
    /// Left, top, width and height; empty if the box lies outside the frame.
    let region: [Int]
    var testDescription: String { name }
  }

  private static let part = Box(x: 10.3, y: 9.7, width: 20.5, height: 15)

  static let regions = [
    RegionRow(name: "without subsampling", box: part, region: [10, 9, 21, 16]),
    RegionRow(name: "4:2:0", box: part, shiftX: 1, shiftY: 1, region: [10, 8, 22, 18]),
    RegionRow(name: "4:2:2", box: part, shiftX: 1, region: [10, 9, 22, 16]),
    RegionRow(name: "4:1:1", box: part, shiftX: 2, region: [8, 9, 24, 16]),
    RegionRow(name: "4:1:0", box: part, shiftX: 2, shiftY: 2, region: [8, 8, 24, 20]),
    RegionRow(name: "across the left edge", box: Box(x: -8, y: 5, width: 20, height: 10), region: [0, 5, 12, 10]),
    RegionRow(
      name: "at the corner of an odd frame", box: Box(x: 70, y: 30, width: 50, height: 50), shiftX: 1, shiftY: 1,
      region: [70, 30, 7, 3]),
    RegionRow(name: "around the frame", box: Box(x: -9, y: -9, width: 200, height: 200), region: [0, 0, 77, 33]),
    RegionRow(name: "smaller than a pixel", box: Box(x: 5.4, y: 6.4, width: 0.1, height: 0.1), region: [5, 6, 1, 1]),
    RegionRow(name: "outside", box: Box(x: 500, y: 500, width: 9, height: 9), region: []),
    RegionRow(name: "touching the right edge", box: Box(x: 77, y: 0, width: 9, height: 9), region: []),
    RegionRow(name: "without width", box: Box(x: 5, y: 5, width: 0, height: 9), region: []),
    RegionRow(name: "not a number", box: Box(x: .nan, y: 5, width: 9, height: 9), region: []),
    RegionRow(name: "infinite", box: Box(x: 5, y: 5, width: .infinity, height: 9), region: []),
  ]

  @Test(arguments: regions)
  func `a region lies in the frame and on the chroma grid, and is clear`(row: RegionRow) throws {
    var mask = try Mask(ofWhole: Self.frame)
    mask.fill(Box(x: 0, y: 0, width: 77, height: 33))
    let isInside = mask.reset(
      covering: row.box, frame: Self.frame, chromaShiftX: row.shiftX, chromaShiftY: row.shiftY)
    #expect(isInside == !row.region.isEmpty)
    guard isInside else { return }
    #expect([mask.left, mask.top, mask.width, mask.height] == row.region)
    #expect(mask.stride >= mask.width && mask.stride % 16 == 0)
    #expect(mask.coverage == [UInt8](repeating: 0, count: mask.stride * mask.height))
  }

  @Test(arguments: 1...20)
  func `the coverage of a box is its area in each pixel`(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let box = Box(
      x: Double(numbers.below(9000) - 1000) / 100, y: Double(numbers.below(4000) - 500) / 100,
      width: Double(1 + numbers.below(5000)) / 100, height: Double(1 + numbers.below(3000)) / 100)
    var mask = Mask()
    guard mask.reset(covering: box, frame: Self.frame, chromaShiftX: 1, chromaShiftY: 1) else {
      #expect(box.clipped(to: Self.frame) == nil)
      return
    }
    mask.fill(box)
    for row in 0..<mask.height {
      for column in 0..<mask.stride {
        let pixel = Box(x: Double(mask.left + column), y: Double(mask.top + row), width: 1, height: 1)
        let area = column < mask.width ? pixel.intersection(box)?.area ?? 0 : 0
        #expect(abs(Double(mask.coverage[row * mask.stride + column]) - 255 * area) <= 0.5 + 1e-6)
      }
    }
  }

  @Test func `coverage is raised, never lowered`() throws {
    var mask = try Mask(ofWhole: PixelSize(width: 2, height: 2))
    for value in [10, 200, 30] as [UInt8] { mask.cover(1, 0, value) }
    #expect(mask.coverage[1] == 200 && mask.coverage[0] == 0)
  }

  /// A glyph of 3 × 2 pixels on a frame of 4 × 4.
  @Test(arguments: [
    ("inside", 1, 1, [10, 20, 30, 40, 50, 60]), ("across the top left", -1, -1, [50, 60]),
    ("across the bottom right", 3, 3, [10]), ("across the top", 0, -1, [40, 50, 60]),
    ("across the right", 2, 0, [10, 20, 40, 50]), ("right of the frame", 4, 0, []), ("left of the frame", -3, 0, []),
    ("below the frame", 0, 4, []), ("above the frame", 0, -2, []), ("far away", 1_000_000, -1_000_000, []),
  ])
  func `a glyph is cut at the edges`(name: String, x: Int, y: Int, expected: [UInt8]) throws {
    let glyph = Glyph(width: 3, height: 2, left: 0, top: 0, advance: 0, coverage: [10, 20, 30, 40, 50, 60])
    var mask = try Mask(ofWhole: PixelSize(width: 4, height: 4))
    mask.stamp(glyph, x: x, y: y)
    #expect(mask.coverage.filter { $0 > 0 } == expected)
    if let first = expected.first {
      let (column, row) = (max(0, x), max(0, y))
      #expect(mask.coverage[row * mask.stride + column] == first)
    }
  }
}
