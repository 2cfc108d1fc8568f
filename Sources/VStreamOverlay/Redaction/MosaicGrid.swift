internal import VStreamCore

/// The grid of square cells of a frame. The outermost cells extend to the frame's edges.
struct MosaicGrid {
  let frame: PixelSize
  /// Side in pixels; a multiple of the chroma subsampling of every format.
  let cell: Int
  /// The corner of the cell 0, 0 in pixels of the frame; multiples of `step`.
  private(set) var origin = (x: 0, y: 0)
  private(set) var columns: Range<Int>
  private(set) var rows: Range<Int>

  /// The maximum number of cells along the subject's longer side.
  static let maximumCells = 5.0
  /// Side of the largest block of pixels that shares a chroma sample.
  static let step = 4

  /// The grid from the frame's top left corner, for a subject.
  init(_ frame: PixelSize, extent: Double) {
    self.frame = frame
    let wanted = min(extent / Self.maximumCells, Double(max(frame.width, frame.height)))
    // 8, 12, 16, 24, 32, 48, …: few sizes, so that the grid of a subject rarely changes.
    var cell = 8
    while Double(cell) < wanted { cell = cell & (cell - 1) == 0 ? cell * 3 / 2 : cell * 4 / 3 }
    self.cell = cell
    columns = 0..<max(1, frame.width / cell)
    rows = 0..<max(1, frame.height / cell)
  }

  /// The grid after its subject has moved, with these cells alone.
  func moved(by shift: (x: Int, y: Int), columns: Range<Int>, rows: Range<Int>) -> MosaicGrid {
    var grid = self
    (grid.origin, grid.columns, grid.rows) = (shift, columns, rows)
    return grid
  }
}

/// The means of a rectangle of cells, and their interpolation. The memory is reused.
struct CellMeans {
  private(set) var columns = 0..<0
  private(set) var rows = 0..<0
  private var means: [Int] = []
  /// For each sample of the widest row the cell whose centre precedes it, and the distance to the next in 1/256.
  private var positions: [(cell: Int, part: Int)] = []
  private var firstSample = 0
  /// For each column of cells 256 times the interpolated value at the current row of samples.
  private var line: [Int] = []

  mutating func set(columns: Range<Int>, rows: Range<Int>, _ mean: (_ column: Int, _ row: Int) -> Int) {
    self.columns = columns
    self.rows = rows
    means.removeAll(keepingCapacity: true)
    for row in rows {
      for column in columns { means.append(mean(column, row)) }
    }
  }

  subscript(column: Int, row: Int) -> Int {
    means[(row - rows.lowerBound) * columns.count + column - columns.lowerBound]
  }

  mutating func setPositions(of samples: Range<Int>, _ position: (Int) -> (cell: Int, part: Int)) {
    positions.removeAll(keepingCapacity: true)
    firstSample = samples.lowerBound
    for sample in samples { positions.append(position(sample)) }
  }

  /// Sets the current row of samples.
  mutating func setLine(at position: (cell: Int, part: Int)) {
    line.removeAll(keepingCapacity: true)
    for column in columns {
      let upper = self[column, position.cell]
      line.append(
        position.part == 0
          ? upper * 256 : upper * (256 - position.part) + self[column, position.cell + 1] * position.part)
    }
  }

  /// The value at a sample of the current row, interpolated between the centres of four cells.
  func value(of sample: Int) -> Int {
    let (cell, part) = positions[sample - firstSample]
    let left = line[cell - columns.lowerBound]
    return (part == 0 ? left * 256 : left * (256 - part) + line[cell - columns.lowerBound + 1] * part) >> 16
  }
}
