internal import VStreamInference
public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A person as BlazePose's detector finds them: a box around the face, and four points. Pixels of the frame.
///
/// Source: V. Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking", 2020.
public struct PoseCandidate: AnchoredCandidate {
  /// What the points are, in their order.
  public enum Keypoint: Int, CaseIterable, Hashable, Sendable {
    /// Midway between the hips.
    case hips
    /// On the circle around the hips that holds the whole body, above the head.
    case crown
    /// Midway between the shoulders.
    case shoulders
    /// On the circle around the shoulders that holds the upper body.
    case upperCrown
  }

  /// How sure the network is, 0…1.
  public var score: Double
  /// Around the face.
  public var box: Box
  /// One for each `Keypoint`.
  public var keypoints: [Point]

  public init(score: Double, box: Box, keypoints: [Point]) {
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The square in which the body's landmarks are sought.
  public var region: RotatedBox { PoseRegion.around(self[.hips], crown: self[.crown]) }
}

/// Squares in which a body's landmarks are sought.
enum PoseRegion {
  /// How much wider than the circle around the body a side of the square is.
  private static let growth = 1.25

  /// The square around the circle that has the hips amid it and the crown on it, turned so that the crown is on top.
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
