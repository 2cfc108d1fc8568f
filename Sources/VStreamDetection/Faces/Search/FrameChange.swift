internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Where the frames of a stream change: whatever appears for a single frame is found only if that frame is searched, and where
/// nothing has changed since a search, another finds no more.
struct FrameChange {
  private enum Rule {
    /// Levels, of 255, by which a cell's brightness differs where something else is seen.
    static let difference: Float = 28
    /// It differs by less where a change is only noise or slow light.
    static let noise: Float = 10
    /// Fewer cells that change are noise.
    static let fewestCells = 2
    /// Seconds for which what differs where something differed before is its motion, and nothing new.
    static let motionTime = 0.2
    /// Cells around one that differs which its motion may reach.
    static let reach = 3
    /// Fraction of the cells that differ where a scene ends.
    static let cutFraction = 0.35
  }

  private var grid = BrightnessGrid()
  private var last: [SIMD8<Float>] = []
  /// The brightness of each cell when it changed last, and the time of that in seconds.
  private var settled: [SIMD8<Float>] = []
  private var changedAt: [Double] = []
  /// When each cell showed something else last, in seconds.
  private var movedAt: [Double] = []

  /// What changed since the last frame.
  struct Difference {
    /// Whether it shows another scene, or is the first.
    let isCut: Bool
    /// The centres of the cells in which something else is seen, but for what has been moving there; pixels of the frame.
    var points: [Point] = []
    /// Cells of the frame.
    let cellCount: Int
  }

  /// - Throws: `VStreamError` if the frame cannot be sampled; the last frame is the same then.
  mutating func next(_ frame: VideoFrame) throws(VStreamError) -> Difference {
    let isOther = try grid.read(frame)
    let seconds = frame.time.seconds
    let count = grid.size.width * grid.size.height
    defer { last = grid.values }
    guard !isOther else {
      settled = grid.values
      changedAt = [Double](repeating: seconds, count: count)
      movedAt = [Double](repeating: -.infinity, count: count)
      return Difference(isCut: true, cellCount: count)
    }
    settle(at: seconds)
    let changed = Self.cells(of: grid.values, differingFrom: last, by: Rule.difference)
    if Double(changed.count) > Rule.cutFraction * Double(count) { return Difference(isCut: true, cellCount: count) }
    let new = changed.filter { !hasMoved(near: $0, before: seconds) }
    for cell in changed { movedAt[cell] = seconds }
    return Difference(isCut: false, points: new.map(center), cellCount: count)
  }

  private mutating func settle(at seconds: Double) {
    for cell in Self.cells(of: grid.values, differingFrom: settled, by: Rule.noise) {
      settled[cell / 8][cell % 8] = grid.values[cell / 8][cell % 8]
      changedAt[cell] = seconds
    }
  }

  private static func cells(of values: [SIMD8<Float>], differingFrom others: [SIMD8<Float>], by least: Float) -> [Int] {
    var cells: [Int] = []
    for index in values.indices {
      let difference = values[index] - others[index]
      let differs = (difference .> least) .| (difference .< -least)
      guard any(differs) else { continue }
      for lane in 0..<8 where differs[lane] { cells.append(8 * index + lane) }
    }
    return cells
  }

  /// Whether something moved near a cell shortly before a time.
  private func hasMoved(near cell: Int, before seconds: Double) -> Bool {
    let (row, column) = (cell / grid.size.width, cell % grid.size.width)
    return (max(0, row - Rule.reach)...min(grid.size.height - 1, row + Rule.reach)).contains { row in
      (max(0, column - Rule.reach)...min(grid.size.width - 1, column + Rule.reach)).contains { column in
        let elapsed = seconds - movedAt[row * grid.size.width + column]
        return elapsed >= 0 && elapsed <= Rule.motionTime
      }
    }
  }

  /// Whether anything in a region has changed after a time, in seconds.
  func hasChanged(in region: Box, after seconds: Double) -> Bool {
    let (rows, columns) = (
      cells(region.y, region.bottom, grid.size.height), cells(region.x, region.right, grid.size.width)
    )
    var count = 0
    for row in rows {
      for column in columns where changedAt[row * grid.size.width + column] > seconds { count += 1 }
      if count >= Rule.fewestCells { return true }
    }
    return false
  }

  /// The cells, of a row or column of so many, that a span of pixels touches.
  private func cells(_ start: Double, _ end: Double, _ count: Int) -> Range<Int> {
    let side = Double(grid.cell)
    let first = Int(min(max(0, start / side), Double(count)))
    return first..<max(first, Int(min(max(0, (end / side).rounded(.up)), Double(count))))
  }

  /// In pixels of the frame.
  private func center(of cell: Int) -> Point {
    let side = Double(grid.cell)
    return Point(
      x: (Double(cell % grid.size.width) + 0.5) * side, y: (Double(cell / grid.size.width) + 0.5) * side)
  }
}
