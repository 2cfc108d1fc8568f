internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// BlazePose's landmark network. One owner at a time; the model is shared.
///
/// Sources: V. Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking", 2020; MediaPipe,
/// `pose_landmark_by_roi_cpu.pbtxt`.
struct BodyNetwork {
  private static let side = 256
  /// Landmarks, the two points by which the next region is found, and four that nobody uses.
  private static let pointCount = 39
  /// x, y, z in pixels of the input, and the logits of being visible and of being in the frame.
  private static let numbersPerPoint = 5

  private let request: InferenceRequest
  private var sampler: RegionSampler
  /// What it was shown last.
  private var look = (region: RotatedBox(Box(x: 0, y: 0, width: 1, height: 1)), isMirrored: false)

  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than BlazePose's.
  init(_ model: Model) throws(VStreamError) {
    let (side, count, map) = (Self.side, Self.pointCount, Heatmap.side)
    try model.requireShapes(
      [[1, side, side, 3], [1, count * Self.numbersPerPoint], [1, 1], [1, map, map, count]],
      "the landmark network of poses")
    request = try InferenceRequest(model)
    sampler = RegionSampler(
      TensorFormat(size: PixelSize(width: side, height: side), alignment: .corners, scale: SIMD3(repeating: 1 / 255)))
  }

  /// The body in a square of the frame, whatever its score.
  ///
  /// - Parameter isMirrored: whether the network is shown the square's mirror image.
  /// - Throws: `VStreamError` if the frame cannot be looked at or the network fails.
  mutating func body(
    in frame: VideoFrame, region: RotatedBox, isMirrored: Bool = false, timer: any StepTimer
  ) throws -> BodyLandmarks {
    try start(in: frame, region: region, isMirrored: isMirrored, timer: timer)
    return try finish(timer: timer)
  }

  /// Begins to look for the body in a square of the frame.
  mutating func start(
    in frame: VideoFrame, region: RotatedBox, isMirrored: Bool = false, timer: any StepTimer
  ) throws {
    try timer.sampling {
      try request.withInput(0) { tensor in
        try sampler.sample(frame, region: region, into: &tensor)
        if isMirrored { tensor.mirrorPicture(side: Self.side) }
      }
    }
    try request.start()
    look = (region, isMirrored)
  }

  /// Waits for the body that was begun to be looked for.
  func finish(timer: any StepTimer) throws -> BodyLandmarks {
    try timer.inferring {
      try request.wait()
      let score = try request.withOutput(1) { score, _ in Double(score[0]) }
      return try request.withOutput(0) { numbers, _ in
        try request.withOutput(2) { map, _ in
          Self.body(
            numbers, Heatmap(channels: Self.pointCount), map, score: score, look.region, isMirrored: look.isMirrored)
        }
      }
    }
  }

  private static func body(
    _ numbers: Span<Float>, _ heatmap: Heatmap, _ map: Span<Float>, score: Double, _ region: RotatedBox,
    isMirrored: Bool
  ) -> BodyLandmarks {
    let unit = 1 / Double(side)
    func point(_ index: Int) -> Vector {
      let first = index * numbersPerPoint
      let seen = Point(x: Double(numbers[first]) * unit, y: Double(numbers[first + 1]) * unit)
      let refined = heatmap.refined(seen, of: index, in: map)
      // The last pixel of a row is the first of its mirror image.
      let place = region.point(across: isMirrored ? 1 - unit - refined.x : refined.x, down: refined.y)
      return Vector(place.x, place.y, Double(numbers[first + 2]) * unit * region.width)
    }
    let order = isMirrored ? BodyLandmarks.mirrored : Array(0..<BodyLandmarks.count)
    return BodyLandmarks(
      points: order.map(point),
      likelihoods: order.map { 1 / (1 + exp(-Double(numbers[$0 * numbersPerPoint + 4]))) },
      hips: point(BodyLandmarks.count), crown: point(BodyLandmarks.count + 1), score: score)
  }
}

/// Maps of where in the picture each point is likely, by which its place is told more exactly.
///
/// Source: MediaPipe, `refine_landmarks_from_heatmap_calculator.cc`.
struct Heatmap {
  static let side = 64
  /// How far around a point's place the map is looked at, in the map's pixels.
  private static let reach = 3
  /// Where nothing near is likelier, a place is left as it is.
  private static let leastLikelihood: Float = 0.5

  let channels: Int

  /// The mean place of a channel's likelihoods near a place.
  ///
  /// - Parameters:
  ///   - place: in fractions of the picture; past its edge it is left as it is.
  ///   - map: logits, `[side, side, channels]`.
  func refined(_ place: Point, of channel: Int, in map: Span<Float>) -> Point {
    let side = Self.side
    guard (0..<1).contains(place.x), (0..<1).contains(place.y) else { return place }
    let (column, row) = (Int(place.x * Double(side)), Int(place.y * Double(side)))
    var (sum, across, down, greatest): (Float, Float, Float, Float) = (0, 0, 0, 0)
    for y in max(0, row - Self.reach)...min(side - 1, row + Self.reach) {
      for x in max(0, column - Self.reach)...min(side - 1, column + Self.reach) {
        let likelihood = 1 / (1 + expf(-map[(y * side + x) * channels + channel]))
        sum += likelihood
        across += Float(x) * likelihood
        down += Float(y) * likelihood
        greatest = max(greatest, likelihood)
      }
    }
    guard greatest >= Self.leastLikelihood else { return place }
    return Point(x: Double(across / sum) / Double(side), y: Double(down / sum) / Double(side))
  }
}
