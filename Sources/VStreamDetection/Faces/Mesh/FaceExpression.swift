internal import VStreamCore

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
