internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Measures the grain of frames: by how much pixels differ from their neighbours where a frame shows nothing else.
struct GrainMeter {
  /// Points at which pixels are compared with their neighbours to the right.
  private static let grid = PixelSize(width: 64, height: 36)
  /// The median difference, of values 0…255, from which a frame is grainy; that of clean footage is 0 to 2, and of Gaussian
  /// noise it is 0.95 standard deviations.
  private static let grainy: Float = 6

  private var sampler: RegionSampler
  private var pixels: [Float]
  private var neighbors: [Float]

  init() {
    sampler = RegionSampler(TensorFormat(size: Self.grid, layout: .planar))
    pixels = [Float](repeating: 0, count: 3 * Self.grid.width * Self.grid.height)
    neighbors = pixels
  }

  /// - Throws: `VStreamError` if the frame cannot be sampled.
  mutating func isGrainy(_ frame: VideoFrame) throws(VStreamError) -> Bool {
    let (across, down) = (max(1, frame.size.width / Self.grid.width), max(1, frame.size.height / Self.grid.height))
    // Each point is a pixel's centre, so that no pixel is a mean of several.
    var region = Box(
      x: across % 2 == 0 ? 0.5 : 0, y: down % 2 == 0 ? 0.5 : 0, width: Double(across * Self.grid.width),
      height: Double(down * Self.grid.height))
    try sampler.sample(frame, region: region, into: &pixels)
    region.x += 1
    try sampler.sample(frame, region: region, into: &neighbors)
    let count = Self.grid.width * Self.grid.height
    return (count..<2 * count).count { abs(pixels[$0] - neighbors[$0]) >= Self.grainy } > count / 2
  }
}
