internal import VStreamCore
internal import VStreamMedia

/// An ellipse with a fading edge, for drawing the images that test detectors.
struct DrawnEllipse {
  private let center: SIMD2<Float>
  private let radii: SIMD2<Float>
  /// Red, green and blue, 0…255.
  private let color: SIMD3<Float>
  /// The fading part of the squared radius.
  private let fade: Float

  init(_ x: Float, _ y: Float, _ width: Float, _ height: Float, _ color: SIMD3<Float>, fade: Float = 0.08) {
    (center, radii, self.color, self.fade) = (SIMD2(x, y), SIMD2(width, height), color, fade)
  }

  /// - Parameter side: of the image.
  func mirrored(in side: Float) -> DrawnEllipse {
    DrawnEllipse(side - center.x, center.y, radii.x, radii.y, color, fade: fade)
  }

  /// Draws ellipses, back to front.
  ///
  /// - Parameters:
  ///   - side: of the image in the unit of the ellipses.
  ///   - background: the colour of a row, in that unit.
  /// - Throws: `VStreamError.library` if there is no memory.
  static func image(
    of ellipses: [DrawnEllipse], side: Float, size: PixelSize, background: (_ row: Float) -> SIMD3<Float>
  ) throws(VStreamError) -> VideoFrame {
    let unit = side / Float(size.width)
    var pixels = (0..<size.height).flatMap { row in
      [SIMD3<Float>](repeating: background(Float(row) * unit), count: size.width)
    }
    for ellipse in ellipses {
      let (low, high) = ((ellipse.center - ellipse.radii) / unit, (ellipse.center + ellipse.radii) / unit)
      for row in max(0, Int(low.y))..<min(size.height, Int(high.y) + 1) {
        for column in max(0, Int(low.x))..<min(size.width, Int(high.x) + 1) {
          let offset = (SIMD2(Float(column), Float(row)) * unit - ellipse.center) / ellipse.radii
          let opacity = min(1, (1 - (offset * offset).sum()) / ellipse.fade)
          guard opacity > 0 else { continue }
          let index = row * size.width + column
          pixels[index] += (ellipse.color - pixels[index]) * opacity
        }
      }
    }
    return try VideoFrame(rgb: pixels.flatMap { [UInt8($0.x), UInt8($0.y), UInt8($0.z)] }, size: size)
  }
}
