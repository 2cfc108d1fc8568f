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
  /// Fraction of the points that differ where a scene ends.
  private static let cutFraction = 0.35

  private var sampler: RegionSampler
  private var values: [Float]
  private var last: [Float] = []
  private var size = PixelSize(width: 0, height: 0)
  /// The value of each point when it changed last, and the time of that in seconds.
  private var settled: [Float] = []
  private var changedAt: [Double] = []

  init() {
    // Rows of luma as the green channel has it, without filtering: an object of the size of the points' distance counts.
    sampler = RegionSampler(TensorFormat(size: Self.grid, layout: .planar))
    values = [Float](repeating: 0, count: 3 * Self.grid.width * Self.grid.height)
  }

  /// What changed since the last frame.
  struct Difference {
    /// Whether it shows another scene, or is the first.
    let isCut: Bool
    /// Pixels of the frame.
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
    guard size == self.size else {
      (self.size, settled) = (size, now)
      changedAt = [Double](repeating: frame.time.seconds, count: count)
      return Difference(isCut: true, points: [])
    }
    for index in now.indices where abs(now[index] - settled[index]) > Self.noise {
      (settled[index], changedAt[index]) = (now[index], frame.time.seconds)
    }
    let changed = now.indices.filter { abs(now[$0] - last[$0]) > Self.threshold }
    if Double(changed.count) > Self.cutFraction * Double(count) { return Difference(isCut: true, points: []) }
    return Difference(isCut: false, points: changed.map(position))
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
