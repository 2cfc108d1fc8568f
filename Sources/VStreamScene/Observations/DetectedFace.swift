/// A face in a frame. Right and left are the person's own; coordinates are pixels of the upright frame.
///
/// As a detector gives it, `id` is `nil`; as a tracker reports it, `id` is set under the ID contract (see
/// `DetectedObject`).
public struct DetectedFace: Hashable, Sendable, Codable {
  public var id: Int?
  /// The score of this frame's detection, 0…1; on a predicted frame that of the last one.
  public var score: Double
  public var box: Box
  /// Which way the head is turned; `nil` where only a box was found.
  public var angles: HeadAngles?
  /// `nil` where they were not asked for.
  public var landmarks: [FaceLandmark]?
  /// `nil` where they were not asked for.
  public var contours: [FaceContour]?
  /// How likely the face smiles, 0…1.
  public var smiling: Double?
  /// How likely the eyes are open, 0…1.
  public var leftEyeOpen: Double?
  public var rightEyeOpen: Double?

  public init(id: Int? = nil, score: Double, box: Box) {
    self.id = id
    self.score = score
    self.box = box
  }

  /// The place of a landmark; `nil` if it is not known.
  public func position(of kind: FaceLandmark.Kind) -> Point? { landmarks?.first { $0.kind == kind }?.position }

  /// The points of a contour; `nil` if they are not known.
  public func points(of kind: FaceContour.Kind) -> [Point]? { contours?.first { $0.kind == kind }?.points }

  /// The face with all its points, carried along to where its box is now.
  public func moved(to box: Box) -> DetectedFace {
    let move = BoxMove(from: self.box, to: box)
    var face = self
    face.box = box
    face.landmarks = landmarks?.map { FaceLandmark($0.kind, at: move.carried($0.position)) }
    face.contours = contours?.map { FaceContour($0.kind, points: $0.points.map(move.carried)) }
    return face
  }
}

/// Which way a head is turned, in degrees.
public struct HeadAngles: Hashable, Sendable, Codable {
  /// Above 0 it looks up.
  public var x: Double
  /// Above 0 it looks towards the image's right.
  public var y: Double
  /// Above 0 it is turned counter-clockwise as seen.
  public var z: Double

  public init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }
}

/// A place in a face.
public struct FaceLandmark: Hashable, Sendable, Codable {
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case leftEye
    case rightEye
    case noseBase
    case mouthLeft
    case mouthRight
    case mouthBottom
    case leftCheek
    case rightCheek
    case leftEar
    case rightEar
  }

  public var kind: Kind
  public var position: Point

  public init(_ kind: Kind, at position: Point) {
    self.kind = kind
    self.position = position
  }
}

/// A line in a face.
public struct FaceContour: Hashable, Sendable, Codable {
  /// The raw value names it, `pointCount` says of how many points it is made.
  public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
    case faceOval
    case leftEyebrowTop
    case leftEyebrowBottom
    case rightEyebrowTop
    case rightEyebrowBottom
    case leftEye
    case rightEye
    case upperLipTop
    case upperLipBottom
    case lowerLipTop
    case lowerLipBottom
    case noseBridge
    case noseBottom
    case leftCheek
    case rightCheek

    public var pointCount: Int {
      switch self {
      case .faceOval: 36
      case .leftEyebrowTop, .leftEyebrowBottom, .rightEyebrowTop, .rightEyebrowBottom: 5
      case .leftEye, .rightEye: 16
      case .upperLipTop: 11
      case .upperLipBottom, .lowerLipTop, .lowerLipBottom: 9
      case .noseBridge: 2
      case .noseBottom: 3
      case .leftCheek, .rightCheek: 1
      }
    }

    /// Whether its last point is followed by its first.
    public var isClosed: Bool { self == .faceOval || self == .leftEye || self == .rightEye }
  }

  public var kind: Kind
  /// As seen in an upright face: closed lines clockwise, from the top of the face's and the outer corner of an eye; the
  /// bridge of the nose downwards; all others from the image's left to its right.
  public var points: [Point]

  public init(_ kind: Kind, points: [Point]) {
    self.kind = kind
    self.points = points
  }
}
