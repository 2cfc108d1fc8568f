internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

#if canImport(Glibc)
  internal import Glibc
#endif

/// How likely a face smiles and an eye is open, computed from distances by logistic curves.
///
/// Calibrated by eye on few faces: the astronaut's portrait, face.mp4 and animation.avi (an animated film), and webcam
/// recordings of one man: a smile with teeth, neutral, talking and shouting mouths; wide, ordinary and narrow eyes,
/// and blinks. They rank expressions of one face well; as probabilities over all people they have not been tested.
enum FaceExpression {
  /// Lids were 0.28 to 0.5 of an eye's width apart in open eyes, 0.07 to 0.22 in closed or closing ones.
  static func open(_ openness: Double) -> Double { logistic(40 * (openness - 0.245)) }

  /// Smiles were wide mouths (0.61 to 0.72 of the distance between the outer eye corners; others 0.44 to 0.6) whose
  /// corners lie no lower than the middle of the upper lip (0 to 0.01; talking and shouting mouths 0.03 to 0.13).
  static func smiling(_ mesh: FaceMesh, _ pose: HeadPose) -> Double {
    let right = pose.normalised(mesh.points[FaceMeshMap.mouthRight])
    let left = pose.normalised(mesh.points[FaceMeshMap.mouthLeft])
    let lip = pose.normalised(mesh.points[FaceMeshMap.upperLipMiddle])
    let width = (left - right).length
    let lift = lip.y - (left.y + right.y) / 2
    return logistic(37 * (width - 0.6) + 60 * (lift + 0.02))
  }

  private static func logistic(_ value: Double) -> Double { 1 / (1 + exp(-value)) }
}

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
