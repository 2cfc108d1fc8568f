package import VStreamCore

/// Where something moves in a frame.
package struct MotionMap: Hashable, Sendable {
  /// Cells in a row and in a column, and the side of a cell in pixels.
  private(set) var size = PixelSize(width: 0, height: 0)
  private(set) var cell = 1
  /// Whether the whole image changed, so that the cells say nothing.
  var isGlobal = false
  /// For each cell, row by row, eight cells each.
  var changed: [SIMDMask<SIMD8<Int32>>] = []

  /// The smallest fraction of changed cells in a box with motion.
  private static let smallestFraction = 0.05
  /// The fewest cells of a region.
  private static let smallestRegion = 3
  /// The most regions.
  private static let limit = 64

  init() {}

  /// A map of a frame with motion in some boxes.
  package init(moving boxes: [Box], in frame: PixelSize) {
    let cell = 8
    self.init(
      size: PixelSize(width: max(1, frame.width / cell), height: max(1, frame.height / cell)), cell: cell,
      isGlobal: false)
    for box in boxes {
      let (columns, rows) = cells(box)
      for row in rows {
        for column in columns {
          let index = row * size.width + column
          changed[index / 8][index % 8] = true
        }
      }
    }
  }

  init(size: PixelSize, cell: Int, isGlobal: Bool) {
    (self.size, self.cell, self.isGlobal) = (size, cell, isGlobal)
    changed = [SIMDMask<SIMD8<Int32>>](repeating: .init(repeating: false), count: (size.width * size.height + 7) / 8)
  }

  private func hasChanged(_ cell: Int) -> Bool { changed[cell / 8][cell % 8] }

  /// Whether anything moves in a box.
  package func hasMotion(in box: Box) -> Bool {
    guard !isGlobal else { return true }
    let (columns, rows) = cells(box)
    var count = 0
    for row in rows {
      for column in columns where hasChanged(row * size.width + column) { count += 1 }
    }
    return Double(count) >= max(2, Self.smallestFraction * Double(columns.count * rows.count))
  }

  /// The boxes around neighbouring cells with motion, outside some boxes.
  func regions(outside known: [Box]) -> [Box] {
    guard !isGlobal else { return [] }
    var open = [Bool](repeating: false, count: size.width * size.height)
    for index in changed.indices where any(changed[index]) {
      for lane in 0..<8 where changed[index][lane] { open[8 * index + lane] = true }
    }
    for box in known {
      let (columns, rows) = cells(box)
      for row in rows {
        for column in columns { open[row * size.width + column] = false }
      }
    }
    var regions: [Box] = []
    var stack: [Int] = []
    for start in open.indices where open[start] && regions.count < Self.limit {
      open[start] = false
      stack = [start]
      var (left, right, top, bottom, count) = (Int.max, 0, Int.max, 0, 0)
      while let index = stack.popLast() {
        let (row, column) = (index / size.width, index % size.width)
        (left, right, top, bottom) = (min(left, column), max(right, column), min(top, row), max(bottom, row))
        count += 1
        // Parts of an object may be as bright as the background: regions are joined over a gap of one cell.
        for y in max(0, row - 2)...min(size.height - 1, row + 2) {
          for x in max(0, column - 2)...min(size.width - 1, column + 2) where open[y * size.width + x] {
            open[y * size.width + x] = false
            stack.append(y * size.width + x)
          }
        }
      }
      guard count >= Self.smallestRegion else { continue }
      let side = Double(cell)
      regions.append(
        Box(
          left: Double(left) * side, top: Double(top) * side, right: Double(right + 1) * side,
          bottom: Double(bottom + 1) * side))
    }
    return regions
  }

  /// The columns and rows of the cells that a box touches.
  private func cells(_ box: Box) -> (columns: Range<Int>, rows: Range<Int>) {
    func range(_ start: Double, _ end: Double, _ count: Int) -> Range<Int> {
      let first = Int(min(max(0, start / Double(cell)), Double(count)))
      let last = Int(min(max(0, (end / Double(cell)).rounded(.up)), Double(count)))
      return first..<max(first, last)
    }
    return (range(box.x, box.right, size.width), range(box.y, box.bottom, size.height))
  }
}
