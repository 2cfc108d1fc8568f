package import VStreamCore

/// A face as CenterFace reports it: a box and five keypoints. Pixels of the frame.
package struct FaceCandidate: KeypointCandidate {
  /// The five keypoints in their order; right and left are the person's own.
  package enum Keypoint: Int, CaseIterable, Hashable, Sendable {
    case rightEye
    case leftEye
    case noseTip
    case mouthRight
    case mouthLeft
  }

  /// 0…1.
  package var score: Double
  package var box: Box
  /// One point for each `Keypoint`.
  package var keypoints: [Point]

  package static var mirroredKeypoints: [Keypoint] {
    [.leftEye, .rightEye, .noseTip, .mouthLeft, .mouthRight]
  }

  package init(score: Double, box: Box, keypoints: [Point]) {
    self.score = score
    self.box = box
    self.keypoints = keypoints
  }

  /// The crop for the face's mesh: a square 1.25 times the box's longer side, rotated so that the eyes are level.
  ///
  /// Of the same size and place as the crops that MediaPipe's face detector gives its mesh.
  package var meshCrop: RotatedBox { MeshCrop.around(box, from: self[.rightEye], to: self[.leftEye], growth: 1.25) }
}

/// The mesh network's crops of a face.
enum MeshCrop {
  /// Side of the square around a mesh, in lengths of the longer side of its box.
  ///
  /// Source: MediaPipe, `face_landmark_landmarks_to_roi.pbtxt`.
  private static let growth = 1.5

  /// The square around an upright box, rotated so that two points of the face are level in it.
  static func around(_ box: Box, from right: Point, to left: Point, growth: Double = growth) -> RotatedBox {
    let side = growth * max(box.width, box.height)
    return RotatedBox(center: box.center, width: side, height: side, angle: Angle.between(right, left))
  }
}
