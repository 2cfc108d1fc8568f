package import VStreamCore
internal import VStreamInference
package import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// Detects motion before a still camera: the cells of a grid whose brightness differs from a running background.
///
/// Changes of the whole image's brightness (exposure, flicker) are no motion, nor is what a cell varies by all the time
/// (noise, leaves).
///
/// One owner at a time; its memory is reused from frame to frame.
package struct MotionDetector {
  private var grid = BrightnessGrid()
  private var background: [SIMD8<Float>] = []
  /// The mean difference of each cell from the background.
  private var variation: [SIMD8<Float>] = []
  private var map = MotionMap()
  private var last: Double?
  private var shot = 0
  /// How many cells have each ratio of brightness to that of the background.
  private var counts = [Int](repeating: 0, count: 2 * Rule.ratioSteps)
  /// Frames since the grid's size changed.
  private var frames = 0

  private enum Rule {
    /// The least difference of a changed cell, in levels.
    static let difference: Float = 7
    /// The same, in multiples of its usual variation.
    static let variations: Float = 4
    /// The variation that a cell is expected to have at first, in levels.
    static let initialVariation: Float = 1.5
    /// The greatest variation that counts, in levels: whatever differs by more than a multiple of it has moved.
    static let maximumVariation: Float = 8
    /// Time constants of the background in seconds: of unchanged cells, and of changed ones.
    static let stillTime = 1.0
    static let changedTime = 3.0
    /// The time constant of the usual variation, in seconds.
    static let variationTime = 4.0
    /// If more than this fraction of the cells differs, the camera has moved or the scene has ended.
    static let globalFraction = 0.4
    /// Ratios from 0 to 2 are counted in steps of one over this.
    static let ratioSteps = 128
    /// Cells darker than this say nothing about the exposure.
    static let darkest: Float = 16
  }

  package init() {}

  /// Where something moves in a frame, the next one of the stream.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled.
  package mutating func next(_ frame: VideoFrame) throws(VStreamError) -> MotionMap {
    let isOther = try grid.read(frame) || frame.shot != shot
    let seconds = frame.time.seconds
    defer { (last, shot) = (seconds, frame.shot) }
    guard !isOther, let last else {
      background = grid.values
      variation = [SIMD8<Float>](
        repeating: SIMD8(repeating: Rule.initialVariation), count: grid.values.count)
      map = MotionMap(size: grid.size, cell: grid.cell, isGlobal: true)
      frames = 0
      return map
    }
    frames += 1
    let changed = update(after: max(0, seconds - last))
    map.isGlobal = Double(changed) > Rule.globalFraction * Double(grid.size.width * grid.size.height)
    if map.isGlobal { background = grid.values }
    return map
  }

  /// Sets the cells of the map that have changed, and updates the background.
  ///
  /// - Returns: how many have.
  private mutating func update(after elapsed: Double) -> Int {
    let gain = exposure()
    let (still, slow) = (
      SIMD8(repeating: Self.rate(elapsed, Rule.stillTime)), SIMD8(repeating: Self.rate(elapsed, Rule.changedTime))
    )
    // At first the usual variation is the mean of what there was.
    let learning = max(Self.rate(elapsed, Rule.variationTime), 1 / Float(frames + 1))
    let (least, greatest) = (
      SIMD8<Float>(repeating: Rule.difference), SIMD8<Float>(repeating: Rule.maximumVariation)
    )
    var changed = SIMD8<Int32>.zero
    for index in grid.values.indices {
      let (value, usual) = (grid.values[index], variation[index])
      let difference = value - background[index] * gain
      let size = difference.replacing(with: -difference, where: difference .< 0)
      let hasChanged = size .> pointwiseMax(least, usual * Rule.variations)
      map.changed[index] = hasChanged
      changed &-= SIMD8<Int32>(truncatingIfNeeded: SIMD8<Int32>.zero.replacing(with: -1, where: hasChanged))
      background[index] += still.replacing(with: slow, where: hasChanged) * (value - background[index])
      variation[index] = usual + learning * (pointwiseMin(size, greatest) - usual)
    }
    return Int(changed.wrappedSum())
  }

  private static func rate(_ elapsed: Double, _ time: Double) -> Float { Float(1 - exp(-elapsed / time)) }

  /// The median ratio of brightness to that of the background, from every 16th cell.
  private mutating func exposure() -> Float {
    let steps = Rule.ratioSteps
    for index in counts.indices { counts[index] = 0 }
    var total = 0
    for index in stride(from: 0, to: background.count, by: 2) where background[index][7] > Rule.darkest {
      let ratio = grid.values[index][7] / background[index][7]
      counts[min(max(0, Int(ratio * Float(steps))), counts.count - 1)] += 1
      total += 1
    }
    guard total > 0 else { return 1 }
    var sum = 0
    let median = counts.firstIndex { count in
      sum += count
      return 2 * sum >= total
    }
    let ratio = (Float(median ?? steps) + 0.5) / Float(steps)
    return abs(ratio - 1) < 1.5 / Float(steps) ? 1 : ratio
  }
}

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
