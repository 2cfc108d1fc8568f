public import VStreamScene

/// A face as BlazeFace reports it: a box and six keypoints. Pixels of the frame.
public struct FaceCandidate: AnchoredCandidate {
  /// The six keypoints in their order; right and left are the person's own.
  public enum Keypoint: Int, CaseIterable, Hashable, Sendable {
    case rightEye
    case leftEye
    case noseTip
    case mouthCenter
    case rightEar
    case leftEar
  }

  /// 0…1.
  public var score: Double
  public var box: Box
  /// One point for each `Keypoint`.
  public var keypoints: [Point]

  public static var mirroredKeypoints: [Keypoint] {
    [.leftEye, .rightEye, .noseTip, .mouthCenter, .leftEar, .rightEar]
  }

  public init(score: Double, box: Box, keypoints: [Point]) {
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The angle of the head in the image plane in radians, clockwise; 0 if it is so little that detectors find the face in
  /// an upright crop.
  var roll: Double {
    let angle = Angle.between(self[.rightEye], self[.leftEye])
    return abs(angle) < Self.negligibleRoll ? 0 : angle
  }

  private static var negligibleRoll: Double { .pi / 7 }

  /// The crop for the face's mesh: a square 1.5 times the box's longer side, rotated so that the eyes are level.
  ///
  /// Source: MediaPipe, `face_detection_front_detection_to_roi.pbtxt`.
  public var meshCrop: RotatedBox {
    MeshCrop.around(box, from: self[.rightEye], to: self[.leftEye])
  }
}

/// Crops in which the mesh network runs on a face.
enum MeshCrop {
  /// Side of the square, in lengths of the longer side of the face's box.
  private static let growth = 1.5

  /// The square around an upright box, rotated so that two points of the face are level in it.
  static func around(_ box: Box, from right: Point, to left: Point) -> RotatedBox {
    let side = growth * max(box.width, box.height)
    return RotatedBox(center: box.center, width: side, height: side, angle: Angle.between(right, left))
  }
}
