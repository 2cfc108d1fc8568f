internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Where the frames of a stream change: whatever appears for a single frame is found only if that frame is searched, and where
/// nothing has changed since a search, another finds no more.
struct FrameChange {
  /// Points at which frames are compared.
  private static let grid = PixelSize(width: 64, height: 36)
  /// Two values of a point, 0…255, differ by more where something else is seen.
  private static let threshold: Float = 28
  /// They differ by less where a change is only noise or slow light.
  private static let noise: Float = 8
  /// Seconds for which what differs where something differed before is its motion, and nothing new.
  private static let motionTime = 0.2
  /// Fraction of the points that differ where a scene ends.
  private static let cutFraction = 0.35

  private var sampler: RegionSampler
  private var values: [Float]
  private var last: [Float] = []
  private var size = PixelSize(width: 0, height: 0)
  /// The value of each point when it changed last, and the time of that in seconds.
  private var settled: [Float] = []
  private var changedAt: [Double] = []
  /// When each point showed something else last, in seconds.
  private var movedAt: [Double] = []

  init() {
    // Rows of luma as the green channel has it, without filtering: an object of the size of the points' distance counts.
    sampler = RegionSampler(TensorFormat(size: Self.grid, layout: .planar))
    values = [Float](repeating: 0, count: 3 * Self.grid.width * Self.grid.height)
  }

  /// What changed since the last frame.
  struct Difference {
    /// Whether it shows another scene, or is the first.
    let isCut: Bool
    /// Where something else is seen, but for what has been moving there; pixels of the frame.
    let points: [Point]
  }

  /// - Throws: `VStreamError` if the frame cannot be sampled; the last frame is the same then.
  mutating func next(_ frame: VideoFrame) throws(VStreamError) -> Difference {
    let count = Self.grid.width * Self.grid.height
    let size = frame.size
    let region = Box(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    try sampler.sample(frame, region: region, into: &values)
    let now = Array(values[count..<2 * count])
    defer { last = now }
    let seconds = frame.time.seconds
    guard size == self.size else {
      (self.size, settled) = (size, now)
      changedAt = [Double](repeating: seconds, count: count)
      movedAt = [Double](repeating: -.infinity, count: count)
      return Difference(isCut: true, points: [])
    }
    for index in now.indices where abs(now[index] - settled[index]) > Self.noise {
      (settled[index], changedAt[index]) = (now[index], seconds)
    }
    let changed = now.indices.filter { abs(now[$0] - last[$0]) > Self.threshold }
    if Double(changed.count) > Self.cutFraction * Double(count) { return Difference(isCut: true, points: []) }
    let new = changed.filter { !hasMoved(near: $0, before: seconds) }
    for index in changed { movedAt[index] = seconds }
    return Difference(isCut: false, points: new.map(position))
  }

  /// Whether something moved at a point or beside it shortly before a time.
  private func hasMoved(near point: Int, before seconds: Double) -> Bool {
    let (row, column) = (point / Self.grid.width, point % Self.grid.width)
    return (max(0, row - 1)...min(Self.grid.height - 1, row + 1)).contains { row in
      (max(0, column - 1)...min(Self.grid.width - 1, column + 1)).contains { column in
        let elapsed = seconds - movedAt[row * Self.grid.width + column]
        return elapsed >= 0 && elapsed <= Self.motionTime
      }
    }
  }

  /// Whether anything in a region has changed after a time, in seconds.
  func hasChanged(in region: Box, after seconds: Double) -> Bool {
    changedAt.indices.contains { changedAt[$0] > seconds && region.contains(position(of: $0)) }
  }

  /// In pixels of the frame.
  private func position(of point: Int) -> Point {
    Point(
      x: (Double(point % Self.grid.width) + 0.5) * Double(size.width) / Double(Self.grid.width),
      y: (Double(point / Self.grid.width) + 0.5) * Double(size.height) / Double(Self.grid.height))
  }
}
