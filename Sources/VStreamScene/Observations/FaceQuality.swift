#if canImport(Glibc)
  internal import Glibc
#endif

/// How much a picture of a face shows: the more, the larger, sharper and more frontal the face is.
public struct FaceQuality: Hashable, Sendable {
  /// 0 for a flat surface, towards 1 the finer the detail.
  public var sharpness: Double
  /// Side of the face's box in pixels, or less where part of the face lies outside the frame.
  public var size: Double
  /// 1 for a face that looks at the camera, 0 for one seen from the side.
  public var frontality: Double

  /// A face that is larger shows no more in a crop.
  public static let largestSize = 320.0
  /// Of a face of which a box alone was found: it is turned far to the side, or tiny.
  static let unknownFrontality = 0.2

  public init(sharpness: Double, size: Double, frontality: Double) {
    self.sharpness = sharpness
    self.size = size
    self.frontality = frontality
  }

  /// The quality of a face in a frame of `size`.
  ///
  /// - Parameter sharpness: what was measured; 1 gives the best quality that the face can be of.
  public init(of face: DetectedFace, in size: PixelSize, sharpness: Double = 1) {
    let side = face.box.area.squareRoot()
    let visible = side > 0 ? (face.box.clipped(to: size)?.area ?? 0) / face.box.area : 0
    self.init(
      sharpness: sharpness, size: min(side, Self.largestSize) * visible,
      frontality: face.angles.map(Self.frontality) ?? Self.unknownFrontality)
  }

  /// By this faces are compared.
  public var score: Double { sharpness * size * frontality }

  /// A head that is merely tilted is as frontal as an upright one.
  private static func frontality(_ angles: HeadAngles) -> Double {
    let towards = cos(angles.x * .pi / 180) * cos(angles.y * .pi / 180)
    let isTurnedAway = abs(angles.x) >= 90 || abs(angles.y) >= 90
    return isTurnedAway || !towards.isFinite ? 0 : towards * towards
  }
}
