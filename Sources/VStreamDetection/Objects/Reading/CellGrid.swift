internal import VStreamScene

/// The cells of a network's input at several strides: stride by stride, row by row.
struct CellGrid {
  struct Cell {
    /// Pixels of the input from one cell to the next.
    let stride: Int
    let column: Int
    let row: Int

    /// In pixels of the input.
    var center: Point {
      Point(x: (Double(column) + 0.5) * Double(stride), y: (Double(row) + 0.5) * Double(stride))
    }
  }

  static let three = [8, 16, 32]
  static let four = [8, 16, 32, 64]

  private let input: PixelSize
  private let strides: [Int]

  init(_ input: PixelSize, strides: [Int] = CellGrid.three) {
    self.input = input
    self.strides = strides
  }

  /// The number of cells at all strides.
  var count: Int { strides.reduce(0) { $0 + columns($1) * rows($1) } }

  func forEach(_ body: (Cell) -> Void) {
    for stride in strides {
      for row in 0..<rows(stride) {
        for column in 0..<columns(stride) { body(Cell(stride: stride, column: column, row: row)) }
      }
    }
  }

  private func columns(_ stride: Int) -> Int { (input.width + stride - 1) / stride }
  private func rows(_ stride: Int) -> Int { (input.height + stride - 1) / stride }
}
