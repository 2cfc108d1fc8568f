internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// BlazePose's landmark network. One owner at a time; the model is shared.
///
/// Sources: V. Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking", 2020; MediaPipe,
/// `pose_landmark_by_roi_cpu.pbtxt`.
struct BodyNetwork {
  private static let side = 256
  /// Landmarks, the two points that determine the next crop, and four that are not used.
  private static let pointCount = 39
  /// x, y, z in pixels of the input, and the logits of being visible and of being in the frame.
  private static let valuesPerPoint = 5

  private let request: InferenceRequest
  private var sampler: RegionSampler
  /// The crop of the last pass.
  private var pass = (crop: RotatedBox(Box(x: 0, y: 0, width: 1, height: 1)), isMirrored: false)

  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than BlazePose's.
  init(_ model: Model) throws(VStreamError) {
    let (side, count, map) = (Self.side, Self.pointCount, Heatmap.side)
    try model.require(
      [[1, side, side, 3], [1, count * Self.valuesPerPoint], [1, 1], [1, map, map, count]],
      "the landmark network of poses")
    request = try InferenceRequest(model)
    sampler = RegionSampler(
      TensorFormat(size: PixelSize(width: side, height: side), alignment: .corners, scale: SIMD3(repeating: 1 / 255)))
  }

  /// The body in a square crop of the frame, whatever its score.
  ///
  /// - Parameter isMirrored: whether the crop is mirrored.
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  mutating func body(
    in frame: VideoFrame, crop: RotatedBox, isMirrored: Bool = false, timer: any StepTimer
  ) throws -> BodyLandmarks {
    try start(on: frame, crop: crop, isMirrored: isMirrored, timer: timer)
    return try finish(timer: timer)
  }

  /// Starts a pass on a square crop of the frame.
  mutating func start(
    on frame: VideoFrame, crop: RotatedBox, isMirrored: Bool = false, timer: any StepTimer
  ) throws {
    try timer.sampling {
      try request.withInput(0) { tensor in
        try sampler.sample(frame, region: crop, into: &tensor)
        if isMirrored { tensor.mirrorRows(of: Self.side, channels: 3) }
      }
    }
    try request.start()
    pass = (crop, isMirrored)
  }

  /// Waits for the body of the pass that was started.
  func finish(timer: any StepTimer) throws -> BodyLandmarks {
    try timer.inferring {
      try request.wait()
      let score = try request.withOutput(1) { score, _ in Double(score[0]) }
      return try request.withOutput(0) { values, _ in
        try request.withOutput(2) { map, _ in
          Self.body(
            values, Heatmap(channels: Self.pointCount), map, score: score, pass.crop, isMirrored: pass.isMirrored)
        }
      }
    }
  }

  private static func body(
    _ values: Span<Float>, _ heatmap: Heatmap, _ map: Span<Float>, score: Double, _ crop: RotatedBox,
    isMirrored: Bool
  ) -> BodyLandmarks {
    let unit = 1 / Double(side)
    func point(_ index: Int) -> Vector {
      let first = index * valuesPerPoint
      let coarse = Point(x: Double(values[first]) * unit, y: Double(values[first + 1]) * unit)
      let refined = heatmap.refined(coarse, of: index, in: map)
      // The last pixel of a row is the first of its mirror image.
      let point = crop.point(across: isMirrored ? 1 - unit - refined.x : refined.x, down: refined.y)
      return Vector(point.x, point.y, Double(values[first + 2]) * unit * crop.width)
    }
    let order = isMirrored ? BodyLandmarks.mirrored : Array(0..<BodyLandmarks.count)
    return BodyLandmarks(
      points: order.map(point),
      likelihoods: order.map { 1 / (1 + exp(-Double(values[$0 * valuesPerPoint + 4]))) },
      hips: point(BodyLandmarks.count), crown: point(BodyLandmarks.count + 1), score: score)
  }
}

/// Probability maps of a crop, one per point, that refine the points' positions.
///
/// Source: MediaPipe, `refine_landmarks_from_heatmap_calculator.cc`.
struct Heatmap {
  static let side = 64
  /// Distance from a point up to which its map is used, in the map's pixels.
  private static let radius = 3
  /// A position is refined only if a likelihood near it is at least this.
  private static let minimumLikelihood: Float = 0.5

  let channels: Int

  /// The mean position of a channel's likelihoods near a position.
  ///
  /// - Parameters:
  ///   - position: in fractions of the crop; outside of it, it is returned unchanged.
  ///   - map: logits, `[side, side, channels]`.
  func refined(_ position: Point, of channel: Int, in map: Span<Float>) -> Point {
    let side = Self.side
    guard (0..<1).contains(position.x), (0..<1).contains(position.y) else { return position }
    let (column, row) = (Int(position.x * Double(side)), Int(position.y * Double(side)))
    var (sum, across, down, maximum): (Float, Float, Float, Float) = (0, 0, 0, 0)
    for y in max(0, row - Self.radius)...min(side - 1, row + Self.radius) {
      for x in max(0, column - Self.radius)...min(side - 1, column + Self.radius) {
        let likelihood = 1 / (1 + expf(-map[(y * side + x) * channels + channel]))
        sum += likelihood
        across += Float(x) * likelihood
        down += Float(y) * likelihood
        maximum = max(maximum, likelihood)
      }
    }
    guard maximum >= Self.minimumLikelihood else { return position }
    return Point(x: Double(across / sum) / Double(side), y: Double(down / sum) / Double(side))
  }
}
