public import VStreamScene

/// A face as BlazeFace finds it: a box and six points. Pixels of the frame.
public struct FaceCandidate: AnchoredCandidate {
  /// What the six points are, in their order; right and left are the person's own.
  public enum Keypoint: Int, CaseIterable, Hashable, Sendable {
    case rightEye
    case leftEye
    case noseTip
    case mouthCenter
    case rightEar
    case leftEar
  }

  /// How sure the network is, 0…1.
  public var score: Double
  public var box: Box
  /// One for each `Keypoint`.
  public var keypoints: [Point]

  public init(score: Double, box: Box, keypoints: [Point]) {
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The square in which the face's mesh is sought: half as wide again as the box, turned so that the eyes are level.
  ///
  /// Source: MediaPipe, `face_detection_front_detection_to_roi.pbtxt`.
  public var meshRegion: RotatedBox {
    FaceRegion.around(box, from: self[.rightEye], to: self[.leftEye])
  }
}

/// Squares in which a face's mesh is sought.
enum FaceRegion {
  /// How much longer than the longer side of the face's box a side of the square is.
  private static let growth = 1.5

  /// The square around an upright box, turned so that two points of the face are level in it.
  static func around(_ box: Box, from right: Point, to left: Point) -> RotatedBox {
    let side = growth * max(box.width, box.height)
    return RotatedBox(center: box.center, width: side, height: side, angle: Angle.between(right, left))
  }
}
