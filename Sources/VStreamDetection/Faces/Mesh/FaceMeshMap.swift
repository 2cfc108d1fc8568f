internal import VStreamCore

/// The points of the mesh's 468 that landmarks and contours consist of. Right and left are the person's own, so the person's
/// right eye is on the image's left.
///
/// Source: the mesh's topology as MediaPipe publishes it (`face_mesh_connections.py`), by name.
enum FaceMeshMap {
  static let rightEyeOuterCorner = 33
  static let rightEyeInnerCorner = 133
  static let leftEyeOuterCorner = 263
  static let leftEyeInnerCorner = 362
  static let mouthRight = 61
  static let mouthLeft = 291
  /// The middle of the upper lip's lower edge.
  static let upperLipMiddle = 13

  static func indices(of kind: FaceContour.Kind) -> [Int] {
    switch kind {
    case .faceOval:
      [
        10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149,
        150,
        136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
      ]
    case .leftEyebrowTop: [336, 296, 334, 293, 300]
    case .leftEyebrowBottom: [285, 295, 282, 283, 276]
    case .rightEyebrowTop: [70, 63, 105, 66, 107]
    case .rightEyebrowBottom: [46, 53, 52, 65, 55]
    case .leftEye: [263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466]
    case .rightEye: [33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7]
    case .upperLipTop: [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291]
    case .upperLipBottom: [191, 80, 81, 82, 13, 312, 311, 310, 415]
    case .lowerLipTop: [95, 88, 178, 87, 14, 317, 402, 318, 324]
    case .lowerLipBottom: [146, 91, 181, 84, 17, 314, 405, 321, 375]
    case .noseBridge: [168, 1]
    case .noseBottom: [98, 2, 327]
    case .leftCheek: [425]
    case .rightCheek: [205]
    }
  }

  /// The points whose mean is the landmark.
  static func indices(of kind: FaceLandmark.Kind) -> [Int] {
    switch kind {
    case .leftEye: indices(of: FaceContour.Kind.leftEye)
    case .rightEye: indices(of: FaceContour.Kind.rightEye)
    case .noseBase: [2]
    case .mouthLeft: [mouthLeft]
    case .mouthRight: [mouthRight]
    case .mouthBottom: [17]
    case .leftCheek: indices(of: FaceContour.Kind.leftCheek)
    case .rightCheek: indices(of: FaceContour.Kind.rightCheek)
    case .leftEar: [454]
    case .rightEar: [234]
    }
  }

  static func landmarks(of mesh: FaceMesh) -> [FaceLandmark] {
    FaceLandmark.Kind.allCases.map { kind in
      let points = indices(of: kind).map { mesh[$0] }
      let count = Double(points.count)
      return FaceLandmark(
        kind, at: Point(x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count))
    }
  }

  static func contours(of mesh: FaceMesh) -> [FaceContour] {
    FaceContour.Kind.allCases.map { kind in FaceContour(kind, points: indices(of: kind).map { mesh[$0] }) }
  }
}
