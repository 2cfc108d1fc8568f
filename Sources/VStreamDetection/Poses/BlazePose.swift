package import VStreamCore
internal import VStreamInference
internal import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// A person as BlazePose's detector reports them: a box around the face, and four keypoints. Pixels of the frame.
///
/// Source: V. Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking", 2020.
package struct PoseCandidate: KeypointCandidate {
  /// The keypoints in their order.
  package enum Keypoint: Int, CaseIterable, Hashable, Sendable {
    /// Midway between the hips.
    case hips
    /// Above the head, on the circle around the hips that encloses the whole body.
    case crown
    /// Midway between the shoulders.
    case shoulders
    /// On the circle around the shoulders that encloses the upper body.
    case upperCrown
  }

  /// 0…1.
  package var score: Double
  /// Around the face.
  package var box: Box
  /// One point for each `Keypoint`.
  package var keypoints: [Point]

  package init(score: Double, box: Box, keypoints: [Point]) {
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The crop for the body's landmarks.
  package var landmarkCrop: RotatedBox { LandmarkCrop.around(self[.hips], crown: self[.crown]) }
}

/// The landmark network's crops of a body.
enum LandmarkCrop {
  /// Side of the square, in diameters of the circle around the body.
  private static let growth = 1.25

  /// The square around the circle with the hips at its centre and the crown on it, rotated so that the crown is on top.
  ///
  /// Source: MediaPipe, `pose_detection_to_roi.pbtxt`, `pose_landmarks_to_roi.pbtxt`.
  static func around(_ hips: Point, crown: Point) -> RotatedBox {
    let side = growth * 2 * hypot(crown.x - hips.x, crown.y - hips.y)
    return RotatedBox(center: hips, width: side, height: side, angle: Angle.between(hips, crown) + .pi / 2)
  }
}

/// Reads the outputs of BlazePose's detector, whose anchors are all as large as the input: boxes and keypoints relative to the
/// anchors' centres, and scores.
///
/// Source: MediaPipe, `pose_detection_cpu.pbtxt` (anchors, thresholds).
package struct BlazePoseDecoder: Hashable, Sendable {
  /// Side of the network's input, in pixels.
  package static let side = 224
  /// Values per anchor: centre, size, and keypoints.
  static let valuesPerAnchor = 4 + 2 * PoseCandidate.Keypoint.allCases.count
  /// Candidates that overlap more than this are of one person.
  private static let maximumIoU = 0.3
  /// Logits are clamped to this absolute value.
  private static let maximumLogit: Float = 100

  /// Centres in fractions of the input.
  let anchors: [Point]
  /// Logit of the lowest score that is read.
  private let minimumLogit: Float

  package init(minimumScore: Double) {
    anchors = Self.grid(28, each: 2) + Self.grid(14, each: 2) + Self.grid(7, each: 6)
    let score = min(max(minimumScore, 1e-6), 1 - 1e-6)
    minimumLogit = Float(log(score / (1 - score)))
  }

  /// The centres of a grid's anchors, row by row.
  private static func grid(_ count: Int, each: Int) -> [Point] {
    (0..<count * count).flatMap { cell in
      repeatElement(
        Point(x: (Double(cell % count) + 0.5) / Double(count), y: (Double(cell / count) + 0.5) / Double(count)),
        count: each)
    }
  }

  /// - Parameters:
  ///   - values: `[1, 2254, 12]`: offset of the centre from the anchor's (x, y), width and height, and keypoints as offsets from
  ///     the anchor's centre, all in pixels of the network's input.
  ///   - logits: `[1, 2254, 1]`.
  ///   - region: the part of the frame that the input shows, in pixels.
  /// - Returns: candidates without duplicates, best first.
  package func decode(values: Span<Float>, logits: Span<Float>, region: Box) -> [PoseCandidate] {
    guard values.count == anchors.count * Self.valuesPerAnchor, logits.count == anchors.count else { return [] }
    var found: [PoseCandidate] = []
    for index in anchors.indices where logits[index] >= minimumLogit {
      let logit = min(max(logits[index], -Self.maximumLogit), Self.maximumLogit)
      let candidate = candidate(index, values, score: Double(1 / (1 + expf(-logit))), RotatedBox(region))
      if !candidate.box.isEmpty { found.append(candidate) }
    }
    return weightedSuppression(found, maximumIoU: Self.maximumIoU)
  }

  private func candidate(
    _ index: Int, _ values: Span<Float>, score: Double, _ region: RotatedBox
  ) -> PoseCandidate {
    let first = index * Self.valuesPerAnchor
    let anchor = anchors[index]
    func value(_ offset: Int) -> Double { Double(values[first + offset]) / Double(Self.side) }
    func point(_ offset: Int) -> Point {
      region.point(across: value(offset) + anchor.x, down: value(offset + 1) + anchor.y)
    }
    return PoseCandidate(
      score: score,
      box: Box(center: point(0), width: value(2) * region.width, height: value(3) * region.height),
      keypoints: PoseCandidate.Keypoint.allCases.map { point(4 + 2 * $0.rawValue) })
  }
}

/// BlazePose's detector on whole frames. One owner at a time; the model is shared.
struct PoseFinder {
  private let request: InferenceRequest
  private let decoder: BlazePoseDecoder
  private var sampler: RegionSampler

  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than BlazePose's detector.
  init(_ model: Model, minimumScore: Double) throws(VStreamError) {
    decoder = BlazePoseDecoder(minimumScore: minimumScore)
    let (side, count) = (BlazePoseDecoder.side, decoder.anchors.count)
    try model.require(
      [[1, side, side, 3], [1, count, BlazePoseDecoder.valuesPerAnchor], [1, count, 1]],
      "the person detector of poses")
    request = try InferenceRequest(model)
    sampler = RegionSampler(
      TensorFormat(
        size: PixelSize(width: side, height: side), outside: .black, alignment: .corners,
        scale: SIMD3(repeating: 1 / 127.5),
        offset: SIMD3(repeating: -1)))
  }

  /// The people in a square region of the frame, which may reach past its edges.
  ///
  /// - Returns: best first, in pixels of the frame.
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  mutating func candidates(in frame: VideoFrame, region: Box, timer: any StepTimer) throws -> [PoseCandidate] {
    try timer.sampling { try request.withInput(0) { try sampler.sample(frame, region: RotatedBox(region), into: &$0) } }
    try request.start()
    return try timer.inferring {
      try request.wait()
      return try request.withOutput(0) { values, _ in
        try request.withOutput(1) { logits, _ in decoder.decode(values: values, logits: logits, region: region) }
      }
    }
  }
}
