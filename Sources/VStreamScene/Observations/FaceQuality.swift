#if canImport(Glibc)
  internal import Glibc
#endif

/// The quality of an image of a face: higher for larger, sharper and more frontal faces.
public struct FaceQuality: Hashable, Sendable {
  /// 0 for a uniform surface, approaching 1 for fine detail.
  public var sharpness: Double
  /// The side of the face's box in pixels, times the fraction of it inside the frame.
  public var size: Double
  /// 1 for a face towards the camera, 0 for a profile.
  public var frontality: Double

  /// A face that is larger than this has no more detail in a crop.
  public static let maximumSize = 320.0
  /// Frontality of a face without angles, which is strongly rotated or tiny.
  static let unknownFrontality = 0.2

  public init(sharpness: Double, size: Double, frontality: Double) {
    self.sharpness = sharpness
    self.size = size
    self.frontality = frontality
  }

  /// The quality of a face in a frame of `size`.
  ///
  /// - Parameter sharpness: the measured sharpness; 1 gives the upper limit of the quality.
  public init(of face: DetectedFace, in size: PixelSize, sharpness: Double = 1) {
    let side = face.box.area.squareRoot()
    let visible = side > 0 ? (face.box.clipped(to: size)?.area ?? 0) / face.box.area : 0
    self.init(
      sharpness: sharpness, size: min(side, Self.maximumSize) * visible,
      frontality: face.angles.map(Self.frontality) ?? Self.unknownFrontality)
  }

  /// The value by which faces are compared.
  public var score: Double { sharpness * size * frontality }

  /// The squared cosine of the angle between the face and the camera; roll has no effect.
  private static func frontality(_ angles: HeadAngles) -> Double {
    let towards = cos(angles.x * .pi / 180) * cos(angles.y * .pi / 180)
    let isTurnedAway = abs(angles.x) >= 90 || abs(angles.y) >= 90
    return isTurnedAway || !towards.isFinite ? 0 : towards * towards
  }
}
