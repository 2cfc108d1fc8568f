internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Where a frame differs from the one before it: whatever appears for a single frame is found only if that frame is searched.
struct FrameChange {
  /// Points at which frames are compared.
  private static let grid = PixelSize(width: 64, height: 36)
  /// Two values of a point, 0…255, differ by more where something else is seen.
  private static let threshold: Float = 28
  /// Fraction of the points that differ where a scene ends.
  private static let cutFraction = 0.35

  private var sampler: RegionSampler
  private var values: [Float]
  private var last: [Float] = []
  private var lastSize = PixelSize(width: 0, height: 0)

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
    defer { (last, lastSize) = (now, size) }
    guard size == lastSize else { return Difference(isCut: true, points: []) }
    let changed = now.indices.filter { abs(now[$0] - last[$0]) > Self.threshold }
    if Double(changed.count) > Self.cutFraction * Double(count) { return Difference(isCut: true, points: []) }
    let points = changed.map { index in
      Point(
        x: (Double(index % Self.grid.width) + 0.5) * Double(size.width) / Double(Self.grid.width),
        y: (Double(index / Self.grid.width) + 0.5) * Double(size.height) / Double(Self.grid.height))
    }
    return Difference(isCut: false, points: points)
  }
}
