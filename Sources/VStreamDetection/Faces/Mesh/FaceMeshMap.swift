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

/// The mean mesh of a frontal face: the reference for a head's angles.
///
/// Contains the points that move with the skull. Unit: from one outer eye corner to the other; origin midway between them; x to
/// the person's left, y down, z away from the camera. Computed from the network's own output on the portrait of the
/// astronaut and on face.mp4 and animation.avi: averaged and made symmetrical.
enum MeanFace {
  struct Vertex {
    /// Index of the mesh's 468 points.
    let index: Int
    let at: Vector
  }

  static let vertices = [
    Vertex(index: 1, at: Vector(0.0000, 0.4082, -0.4362)),
    Vertex(index: 2, at: Vector(0.0000, 0.4746, -0.2726)),
    Vertex(index: 4, at: Vector(0.0000, 0.3417, -0.4587)),
    Vertex(index: 5, at: Vector(0.0000, 0.2551, -0.4336)),
    Vertex(index: 6, at: Vector(0.0000, 0.0408, -0.2694)),
    Vertex(index: 8, at: Vector(0.0000, -0.1543, -0.2242)),
    Vertex(index: 9, at: Vector(0.0000, -0.2524, -0.2384)),
    Vertex(index: 10, at: Vector(0.0000, -0.5680, -0.1858)),
    Vertex(index: 21, at: Vector(-0.7237, -0.2525, 0.2835)),
    Vertex(index: 33, at: Vector(-0.5000, 0.0000, 0.0000)),
    Vertex(index: 48, at: Vector(-0.1876, 0.3878, -0.2749)),
    Vertex(index: 54, at: Vector(-0.6614, -0.3753, 0.1538)),
    Vertex(index: 67, at: Vector(-0.3930, -0.5356, -0.1012)),
    Vertex(index: 93, at: Vector(-0.7237, 0.3293, 0.5865)),
    Vertex(index: 98, at: Vector(-0.1660, 0.4548, -0.1914)),
    Vertex(index: 103, at: Vector(-0.5576, -0.4722, 0.0184)),
    Vertex(index: 109, at: Vector(-0.2124, -0.5631, -0.1699)),
    Vertex(index: 116, at: Vector(-0.6837, 0.1721, 0.1396)),
    Vertex(index: 117, at: Vector(-0.5737, 0.1772, 0.0056)),
    Vertex(index: 127, at: Vector(-0.7572, 0.0334, 0.5277)),
    Vertex(index: 133, at: Vector(-0.1907, 0.0233, -0.0658)),
    Vertex(index: 139, at: Vector(-0.7107, -0.0954, 0.2458)),
    Vertex(index: 143, at: Vector(-0.6747, 0.0404, 0.1587)),
    Vertex(index: 151, at: Vector(0.0000, -0.4052, -0.2226)),
    Vertex(index: 162, at: Vector(-0.7542, -0.1230, 0.4196)),
    Vertex(index: 168, at: Vector(0.0000, -0.0569, -0.2245)),
    Vertex(index: 195, at: Vector(0.0000, 0.1835, -0.3772)),
    Vertex(index: 197, at: Vector(0.0000, 0.1160, -0.3228)),
    Vertex(index: 234, at: Vector(-0.7406, 0.1801, 0.5779)),
    Vertex(index: 251, at: Vector(0.7237, -0.2525, 0.2835)),
    Vertex(index: 263, at: Vector(0.5000, -0.0000, -0.0000)),
    Vertex(index: 278, at: Vector(0.1876, 0.3878, -0.2749)),
    Vertex(index: 284, at: Vector(0.6614, -0.3753, 0.1538)),
    Vertex(index: 297, at: Vector(0.3930, -0.5356, -0.1012)),
    Vertex(index: 323, at: Vector(0.7237, 0.3293, 0.5865)),
    Vertex(index: 327, at: Vector(0.1660, 0.4548, -0.1914)),
    Vertex(index: 332, at: Vector(0.5576, -0.4722, 0.0184)),
    Vertex(index: 338, at: Vector(0.2124, -0.5631, -0.1699)),
    Vertex(index: 345, at: Vector(0.6837, 0.1721, 0.1396)),
    Vertex(index: 346, at: Vector(0.5737, 0.1772, 0.0056)),
    Vertex(index: 356, at: Vector(0.7572, 0.0334, 0.5277)),
    Vertex(index: 362, at: Vector(0.1907, 0.0233, -0.0658)),
    Vertex(index: 368, at: Vector(0.7106, -0.0954, 0.2458)),
    Vertex(index: 372, at: Vector(0.6747, 0.0404, 0.1587)),
    Vertex(index: 389, at: Vector(0.7542, -0.1230, 0.4196)),
    Vertex(index: 454, at: Vector(0.7406, 0.1801, 0.5779)),
  ]
}
