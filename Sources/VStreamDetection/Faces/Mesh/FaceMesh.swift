internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// The 468 points of a face.
struct FaceMesh: Hashable, Sendable {
  /// x and y in pixels of the frame, z in pixels of the same size.
  var points: [Vector]
  /// Confidence that the crop shows a face, 0…1.
  var score: Double

  /// The smallest upright box around the points.
  var box: Box {
    var (left, top) = (Double.infinity, Double.infinity)
    var (right, bottom) = (-Double.infinity, -Double.infinity)
    for point in points {
      (left, right) = (min(left, point.x), max(right, point.x))
      (top, bottom) = (min(top, point.y), max(bottom, point.y))
    }
    return Box(left: left, top: top, right: right, bottom: bottom)
  }

  subscript(_ index: Int) -> Point { Point(x: points[index].x, y: points[index].y) }

  /// The crop for the face on the next frame.
  ///
  /// Source: MediaPipe, `face_landmark_landmarks_to_roi.pbtxt`.
  var nextCrop: RotatedBox {
    MeshCrop.around(box, from: self[FaceMeshMap.rightEyeOuterCorner], to: self[FaceMeshMap.leftEyeOuterCorner])
  }
}

/// The face mesh network. One owner at a time; the model is shared.
///
/// Source: Y. Kartynnik et al., "Real-time Facial Surface Geometry from Monocular Video on Mobile GPUs", 2019.
struct FaceMeshNetwork {
  static let pointCount = 468
  private static let side = 192

  private let request: InferenceRequest
  private var sampler: RegionSampler
  /// The crop of the last pass.
  private(set) var crop = RotatedBox(Box(x: 0, y: 0, width: 1, height: 1))

  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than the face mesh.
  init(_ model: Model) throws(VStreamError) {
    let side = Self.side
    try model.require([[1, side, side, 3], [1, 1, 1, 3 * Self.pointCount], [1, 1, 1, 1]], "the face mesh")
    request = try InferenceRequest(model)
    sampler = RegionSampler(
      TensorFormat(size: PixelSize(width: side, height: side), alignment: .corners, scale: SIMD3(repeating: 1 / 255)))
  }

  /// Starts a pass on a square crop of the frame.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  mutating func start(on frame: VideoFrame, crop: RotatedBox, timer: any StepTimer) throws {
    try timer.sampling {
      try request.withInput(0) { tensor in try sampler.sample(frame, region: crop, into: &tensor) }
    }
    try request.start()
    self.crop = crop
  }

  /// Waits for the mesh of the face, whatever its score.
  ///
  /// - Throws: `VStreamError.library` if the network fails.
  func finish(timer: any StepTimer) throws -> FaceMesh {
    try timer.inferring {
      try request.wait()
      let score = try request.withOutput(1) { logit, _ in 1 / (1 + exp(-Double(logit[0]))) }
      return try request.withOutput(0) { values, _ in
        FaceMesh(points: Self.points(values, in: crop), score: score)
      }
    }
  }

  /// - Parameter values: x, y, z of each point in pixels of the network's input.
  private static func points(_ values: Span<Float>, in crop: RotatedBox) -> [Vector] {
    let (origin, right, below) = (
      crop.point(across: 0, down: 0), crop.point(across: 1, down: 0), crop.point(across: 0, down: 1)
    )
    let unit = 1 / Double(side)
    return (0..<pointCount).map { index in
      let x = Double(values[3 * index]) * unit
      let y = Double(values[3 * index + 1]) * unit
      return Vector(
        origin.x + x * (right.x - origin.x) + y * (below.x - origin.x),
        origin.y + x * (right.y - origin.y) + y * (below.y - origin.y),
        Double(values[3 * index + 2]) * unit * crop.width)
    }
  }
}
