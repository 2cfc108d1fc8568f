internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Measures the grain of frames: by how much pixels differ from others nearby where a frame shows nothing else.
struct GrainMeter {
  /// Points at which pixels are compared with others to the right.
  private static let grid = PixelSize(width: 64, height: 36)
  /// The distance in pixels: grain that was enlarged is the same in adjacent ones.
  private static let distance = 2.0
  /// The median difference, of values 0…255, from which a frame is grainy; that of clean footage is 0 to 4, and of Gaussian
  /// noise it is 0.95 standard deviations.
  private static let grainy: Float = 6
  /// Darker and lighter values show no grain, and are not counted: borders, overexposed skies.
  private static let counted: ClosedRange<Float> = 20...235
  /// The least fraction of points that count.
  private static let countedFraction = 0.1

  private var sampler: RegionSampler
  private var pixels: [Float]
  private var others: [Float]

  init() {
    sampler = RegionSampler(TensorFormat(size: Self.grid, layout: .planar))
    pixels = [Float](repeating: 0, count: 3 * Self.grid.width * Self.grid.height)
    others = pixels
  }

  /// - Throws: `VStreamError` if the frame cannot be sampled.
  mutating func isGrainy(_ frame: VideoFrame) throws(VStreamError) -> Bool {
    let (across, down) = (max(1, frame.size.width / Self.grid.width), max(1, frame.size.height / Self.grid.height))
    // Each point is a pixel's centre, so that no pixel is a mean of several.
    var region = Box(
      x: across % 2 == 0 ? 0.5 : 0, y: down % 2 == 0 ? 0.5 : 0, width: Double(across * Self.grid.width),
      height: Double(down * Self.grid.height))
    try sampler.sample(frame, region: region, into: &pixels)
    region.x += Self.distance
    try sampler.sample(frame, region: region, into: &others)
    let count = Self.grid.width * Self.grid.height
    var (counted, grainy) = (0, 0)
    for index in count..<2 * count where Self.counted.contains((pixels[index] + others[index]) / 2) {
      counted += 1
      if abs(pixels[index] - others[index]) >= Self.grainy { grainy += 1 }
    }
    return Double(counted) >= Self.countedFraction * Double(count) && 2 * grainy > counted
  }
}
