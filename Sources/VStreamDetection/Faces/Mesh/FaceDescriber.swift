internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

/// Computes the requested properties from a face's mesh. One owner at a time.
struct FaceDescriber {
  private let options: FaceDetectorOptions
  private var eyes: EyeNetwork?

  /// - Parameter eyeModel: `nil` if the state of the eyes is not requested.
  init(_ options: FaceDetectorOptions, eyeModel: Model?) throws(VStreamError) {
    self.options = options
    if options.classificationMode == .all, let eyeModel { eyes = try EyeNetwork(eyeModel) }
  }

  mutating func described(
    _ tracked: TrackedFaceMesh, in frame: VideoFrame, timer: any StepTimer
  ) throws -> DetectedFace {
    let mesh = tracked.smoothed
    var face = DetectedFace(score: tracked.score, box: tracked.box)
    let needsPose = options.angleMode == .all || options.classificationMode == .all
    let pose = needsPose ? HeadPose(mesh.points) : nil
    if options.angleMode == .all { face.angles = pose?.angles }
    if options.landmarkMode == .all { face.landmarks = FaceMeshMap.landmarks(of: mesh) }
    if options.contourMode == .all { face.contours = FaceMeshMap.contours(of: mesh) }
    guard options.classificationMode == .all else { return face }
    face.smiling = pose.map { FaceExpression.smiling(mesh, $0) }
    face.rightEyeOpen = try eyeOpen(
      mesh[FaceMeshMap.rightEyeOuterCorner], mesh[FaceMeshMap.rightEyeInnerCorner], isMirrored: true, frame, timer)
    face.leftEyeOpen = try eyeOpen(
      mesh[FaceMeshMap.leftEyeInnerCorner], mesh[FaceMeshMap.leftEyeOuterCorner], isMirrored: false, frame, timer)
    return face
  }

  /// How likely the eye between two corners is open.
  private mutating func eyeOpen(
    _ right: Point, _ left: Point, isMirrored: Bool, _ frame: VideoFrame, _ timer: any StepTimer
  ) throws -> Double? {
    let openness = try eyes?.openness(in: frame, from: right, to: left, isMirrored: isMirrored, timer: timer)
    return openness.map(FaceExpression.open)
  }
}
