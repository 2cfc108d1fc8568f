internal import VStreamInference
public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A person as BlazePose's detector reports them: a box around the face, and four keypoints. Pixels of the frame.
///
/// Source: V. Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking", 2020.
public struct PoseCandidate: AnchoredCandidate {
  /// The keypoints in their order.
  public enum Keypoint: Int, CaseIterable, Hashable, Sendable {
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
  public var score: Double
  /// Around the face.
  public var box: Box
  /// One point for each `Keypoint`.
  public var keypoints: [Point]

  public init(score: Double, box: Box, keypoints: [Point]) {
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The crop for the body's landmarks.
  public var landmarkCrop: RotatedBox { LandmarkCrop.around(self[.hips], crown: self[.crown]) }
}

/// Crops in which the landmark network runs on a body.
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

/// BlazePose's detector on whole frames.
typealias PoseFinder = AnchorNetwork<PoseCandidate>

extension AnchorDecoder where Candidate == PoseCandidate {
  /// Source: MediaPipe, `pose_detection_cpu.pbtxt` (anchors, thresholds).
  init(minimumScore: Double) {
    self.init(side: 224, grids: [(28, each: 2), (14, each: 2), (7, each: 6)], minimumScore: minimumScore)
  }
}

extension AnchorNetwork where Candidate == PoseCandidate {
  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than BlazePose's detector.
  init(_ model: Model, minimumScore: Double) throws(VStreamError) {
    try self.init(model, AnchorDecoder(minimumScore: minimumScore), "the person detector of poses")
  }
}
