internal import VStreamScene

/// The grid of square cells of a frame, from its top left corner; the cells at the right and bottom edges are larger by the
/// remainder.
struct MosaicGrid {
  let frame: PixelSize
  /// Side in pixels; a multiple of the chroma subsampling of every format.
  let cell: Int
  let columns: Int
  let rows: Int

  /// The maximum number of cells along the subject's longer side.
  static let maximumCells = 5.0

  init(_ frame: PixelSize, extent: Double) {
    self.frame = frame
    let wanted = min(extent / Self.maximumCells, Double(max(frame.width, frame.height)))
    // 8, 12, 16, 24, 32, 48, …: few sizes, so that the grid of a subject rarely changes.
    var cell = 8
    while Double(cell) < wanted { cell = cell & (cell - 1) == 0 ? cell * 3 / 2 : cell * 4 / 3 }
    self.cell = cell
    columns = max(1, frame.width / cell)
    rows = max(1, frame.height / cell)
  }
}

/// The means of a rectangle of cells, and their interpolation. The memory is reused.
struct CellMeans {
  private var columns = 0..<0
  private var rows = 0..<0
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
