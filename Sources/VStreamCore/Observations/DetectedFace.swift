#if canImport(Glibc)
  internal import Glibc
#endif

/// A face in a frame. Right and left are the person's own; coordinates are pixels of the upright frame.
public struct DetectedFace: Detection, KnownDetection {
  /// The track's ID in a stream; `nil` in single images.
  public var id: Int?
  public var score: Double
  public var box: Box
  /// The head's rotation; `nil` if only a box was detected.
  public var angles: HeadAngles?
  /// `nil` unless landmarks were requested.
  public var landmarks: [FaceLandmark]?
  /// `nil` unless contours were requested.
  public var contours: [FaceContour]?
  /// Probability that the face smiles, 0…1.
  public var smiling: Double?
  /// Probability that the eye is open, 0…1.
  public var leftEyeOpen: Double?
  /// Probability that the eye is open, 0…1.
  public var rightEyeOpen: Double?

  public init(id: Int? = nil, score: Double, box: Box) {
    self.id = id
    self.score = score
    self.box = box
  }

  public var label: String { Self.name }

  package static let name = "face"
  public static var kind: DetectionKind { .faces }
  package static var list: WritableKeyPath<Detections, [DetectedFace]?> { \.faces }
  package static var redactionSelector: RedactionSelector { .kind(redactionName) }
  /// The name that selects all faces for redaction.
  package static let redactionName = "faces"
  /// The offset places faces half way between the colours of objects.
  package var colorNumber: Int { (id ?? 0) + 1000 }

  /// The position of a landmark; `nil` if it is not known.
  public func position(of kind: FaceLandmark.Kind) -> Point? { landmarks?.first { $0.kind == kind }?.position }

  /// The points of a contour; `nil` if they are not known.
  public func points(of kind: FaceContour.Kind) -> [Point]? { contours?.first { $0.kind == kind }?.points }

  package func moved(to box: Box) -> DetectedFace {
    let transform = BoxTransform(from: self.box, to: box)
    var face = self
    face.box = box
    face.landmarks = landmarks?.map { FaceLandmark($0.kind, at: transform.applied(to: $0.position)) }
    face.contours = contours?.map { FaceContour($0.kind, points: $0.points.map { transform.applied(to: $0) }) }
    return face
  }

  package func scaled(x horizontal: Double, y vertical: Double) -> DetectedFace {
    moved(to: box.scaled(x: horizontal, y: vertical))
  }
}

/// A head's rotation in degrees.
public struct HeadAngles: Hashable, Sendable {
  /// Pitch, positive if the face points up.
  public var x: Double
  /// Yaw, positive if the face points towards the image's right.
  public var y: Double
  /// Roll, positive if the head is rotated counter-clockwise in the image.
  public var z: Double

  public init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }
}

/// A named point of a face.
public struct FaceLandmark: Hashable, Sendable, Codable {
  /// Which point it is; left and right are the person's own.
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

  /// Which point it is.
  public var kind: Kind
  /// Pixels of the upright frame.
  public var position: Point

  public init(_ kind: Kind, at position: Point) {
    self.kind = kind
    self.position = position
  }
}

/// A named line of a face.
public struct FaceContour: Hashable, Sendable, Codable {
  /// Which line it is; left and right are the person's own.
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

    /// The number of points of a contour of this kind.
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

  /// Which line it is.
  public var kind: Kind
  /// In the order of an upright face: closed lines run clockwise, the face oval from its top and an eye from its outer
  /// corner; the bridge of the nose runs downwards; all others run from the image's left to its right.
  public var points: [Point]

  public init(_ kind: Kind, points: [Point]) {
    self.kind = kind
    self.points = points
  }
}

/// The quality of an image of a face: higher for larger, sharper and more frontal faces.
package struct FaceQuality: Hashable, Sendable {
  /// 0 for a uniform surface, approaching 1 for fine detail.
  package var sharpness: Double
  /// The side of the face's box in pixels, times the fraction of it inside the frame.
  package var size: Double
  /// 1 for a face towards the camera, 0 for a profile.
  package var frontality: Double

  /// A face that is larger than this has no more detail in a crop.
  package static let maximumSize = 320.0
  /// Frontality of a face without angles, which is strongly rotated or tiny.
  static let unknownFrontality = 0.2

  package init(sharpness: Double, size: Double, frontality: Double) {
    self.sharpness = sharpness
    self.size = size
    self.frontality = frontality
  }

  /// The quality of a face in a frame of `size`.
  ///
  /// - Parameter sharpness: the measured sharpness; 1 gives the upper limit of the quality.
  package init(of face: DetectedFace, in size: PixelSize, sharpness: Double = 1) {
    let side = face.box.area.squareRoot()
    let visible = side > 0 ? (face.box.clipped(to: size)?.area ?? 0) / face.box.area : 0
    self.init(
      sharpness: sharpness, size: min(side, Self.maximumSize) * visible,
      frontality: face.angles.map(Self.frontality) ?? Self.unknownFrontality)
  }

  /// The quality, for comparing faces.
  package var score: Double { sharpness * size * frontality }

  /// The squared cosine of the angle between the face and the camera; roll has no effect.
  private static func frontality(_ angles: HeadAngles) -> Double {
    let towards = cos(angles.x * .pi / 180) * cos(angles.y * .pi / 180)
    let isTurnedAway = abs(angles.x) >= 90 || abs(angles.y) >= 90
    return isTurnedAway || !towards.isFinite ? 0 : towards * towards
  }
}
