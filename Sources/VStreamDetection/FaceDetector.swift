internal import VStreamInference
public import VStreamMedia
public import VStreamScene

/// Finds faces, any number of them: boxes, head angles, landmarks, contours and expressions, without IDs.
///
/// In stream mode a face that was found is followed by its mesh from its last points, and the detector looks only for new
/// faces: every `searchInterval`, when one is lost, and while there is none. A face of which no mesh can be made, being small or seen from the
/// side, is reported by its box alone. Where nothing is asked for that a mesh tells, the detector looks at every frame, and
/// each frame stands for itself.
///
/// One owner at a time, in stream mode one for each stream, its frames in their order; the models are shared.
public struct FaceDetector: FrameDetecting {
  public let options: FaceDetectorOptions
  private var finder: FaceFinder
  /// `nil` where boxes are all that is asked for.
  private var network: FaceMeshNetwork?
  private var eyes: EyeNetwork?
  private var followed: [FollowedFace] = []
  /// Stream time of the last look for new faces; `nil` before the first.
  private var lastSearch: Double?
  /// Whether that look found a face that cannot be followed.
  private var hasUnfollowed = false

  /// The lowest score of a mesh that is one of a face.
  private static let minimumMeshScore = 0.5
  /// Meshes whose boxes overlap more than this are of one face.
  private static let duplicateIoU = 0.5
  /// Times that are equal but for rounding count as equal.
  private static let timeTolerance = 1e-6

  /// - Throws: `VStreamError.missingDependency` if a model is another than it should be.
  public init(_ models: FaceModels, options: FaceDetectorOptions) throws(VStreamError) {
    self.options = options
    finder = try FaceFinder(models.finder, options)
    network = try options.needsMesh ? models.mesh.map(FaceMeshNetwork.init) : nil
    if options.classificationMode == .all, let eye = models.eye { eyes = try EyeNetwork(eye) }
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    Observations(faces: try faces(in: frame, timer: timer))
  }

  /// The faces in a frame, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be looked at or a network fails.
  public mutating func faces(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedFace] {
    guard network != nil else {
      return try finder.faces(in: frame, timer: timer).map { DetectedFace(score: $0.score, box: $0.box) }
    }
    let seconds = frame.time.seconds
    var unfollowed: [FaceCandidate] = []
    var isLost = false
    if options.runningMode == .stream { isLost = try follow(in: frame, at: seconds, timer) } else { followed = [] }
    if isLost || isSearchDue(at: seconds) {
      unfollowed = try search(in: frame, at: seconds, timer)
      lastSearch = seconds
      hasUnfollowed = !unfollowed.isEmpty
    }
    var faces = unfollowed.map { DetectedFace(score: $0.score, box: $0.box) }
    for face in followed { faces.append(try described(face, in: frame, timer)) }
    return faces.sorted { $0.score > $1.score }
  }

  private func isSearchDue(at seconds: Double) -> Bool {
    guard options.runningMode == .stream, let lastSearch, !hasUnfollowed, !followed.isEmpty else { return true }
    let passed = seconds - lastSearch
    return passed < 0 || passed > options.searchInterval - Self.timeTolerance
  }

  /// Finds the faces of the frame before again.
  ///
  /// - Returns: whether one of them was lost.
  private mutating func follow(in frame: VideoFrame, at seconds: Double, _ timer: any StepTimer) throws -> Bool {
    let before = followed
    followed = []
    for var face in before {
      guard let mesh = try network?.mesh(in: frame, region: face.mesh.nextRegion, timer: timer),
        isFace(mesh, in: frame)
      else { continue }
      face.follow(mesh, at: seconds)
      followed.append(face)
    }
    return followed.count < before.count
  }

  /// Whether a mesh is that of a face in the frame, and of none that has another mesh already.
  private func isFace(_ mesh: FaceMesh, in frame: VideoFrame) -> Bool {
    let box = mesh.box
    return mesh.score >= Self.minimumMeshScore && box.width < 1e5 && box.height < 1e5
      && box.clipped(to: frame.size) != nil && !followed.contains { $0.mesh.box.iou(box) > Self.duplicateIoU }
  }

  /// Looks for faces that are not followed yet, and follows them from now on.
  ///
  /// - Returns: those that cannot be followed.
  private mutating func search(
    in frame: VideoFrame, at seconds: Double, _ timer: any StepTimer
  ) throws -> [FaceCandidate] {
    var unfollowed: [FaceCandidate] = []
    let known = followed.count
    for candidate in try finder.faces(in: frame, timer: timer) {
      if let index = followed.indices.prefix(known).first(where: { followed[$0].isSame(as: candidate.box) }) {
        followed[index].confirm(candidate)
        continue
      }
      let mesh = try network?.mesh(in: frame, region: candidate.meshRegion, timer: timer)
      if let mesh, isFace(mesh, in: frame) {
        followed.append(
          FollowedFace(mesh, foundBy: candidate, isSteadied: options.isSteadied, at: seconds))
      } else {
        unfollowed.append(candidate)
      }
    }
    return unfollowed
  }

  /// All that is asked for of a face.
  private mutating func described(
    _ followed: FollowedFace, in frame: VideoFrame, _ timer: any StepTimer
  ) throws -> DetectedFace {
    let mesh = followed.steady
    var face = DetectedFace(score: followed.score, box: followed.box)
    let needsPose = options.angleMode == .all || options.classificationMode == .all
    let pose = needsPose ? HeadPose(mesh.points) : nil
    if options.angleMode == .all { face.angles = pose?.angles }
    if options.landmarkMode == .all { face.landmarks = FaceMeshMap.landmarks(of: mesh) }
    if options.contourMode == .all { face.contours = FaceMeshMap.contours(of: mesh) }
    guard options.classificationMode == .all else { return face }
    face.smiling = pose.map { FaceExpression.smiling(mesh, $0) }
    face.rightEyeOpen = try open(
      mesh[FaceMeshMap.rightEyeOuterCorner], mesh[FaceMeshMap.rightEyeInnerCorner], isMirrored: true, frame, timer)
    face.leftEyeOpen = try open(
      mesh[FaceMeshMap.leftEyeInnerCorner], mesh[FaceMeshMap.leftEyeOuterCorner], isMirrored: false, frame, timer)
    return face
  }

  /// How likely the eye between two corners is open.
  private mutating func open(
    _ right: Point, _ left: Point, isMirrored: Bool, _ frame: VideoFrame, _ timer: any StepTimer
  ) throws -> Double? {
    let openness = try eyes?.openness(in: frame, from: right, to: left, isMirrored: isMirrored, timer: timer)
    return openness.map(FaceExpression.open)
  }
}
