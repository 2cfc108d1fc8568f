internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// A face drawn with ellipses, on which a face detector is tested before anyone relies on what it does not find: a model or a
/// compiled model that was damaged may run without an error and find nothing.
enum DrawnFace {
  /// An ellipse whose edge fades; in 256ths of the image's side.
  private struct Ellipse {
    let center: SIMD2<Float>
    let radii: SIMD2<Float>
    /// Red, green and blue, 0…255.
    let color: SIMD3<Float>
    /// Part of the squared radius in which it fades.
    let fade: Float

    init(_ x: Float, _ y: Float, _ width: Float, _ height: Float, _ color: SIMD3<Float>, fade: Float = 0.08) {
      (center, radii, self.color, self.fade) = (SIMD2(x, y), SIMD2(width, height), color, fade)
    }

    var mirrored: Ellipse { Ellipse(256 - center.x, center.y, radii.x, radii.y, color, fade: fade) }
  }

  private static let size = PixelSize(width: 192, height: 192)
  /// Where a detector finds it, in pixels of the image.
  static let box = Box(x: 49, y: 58, width: 94, height: 94)

  /// Back to front.
  private static let ellipses: [Ellipse] = {
    let sides = [
      Ellipse(150, 112, 17, 9, SIMD3(185, 135, 110), fade: 0.5),
      Ellipse(150, 101, 16, 3.5, SIMD3(80, 60, 50), fade: 0.5),
      Ellipse(150, 114, 10, 5, SIMD3(235, 235, 235), fade: 0.2),
      Ellipse(150, 114, 5, 5, SIMD3(70, 60, 50), fade: 0.3),
      Ellipse(183, 128, 7, 15, SIMD3(205, 160, 130)),
    ]
    return [
      Ellipse(128, 118, 66, 80, SIMD3(70, 50, 40)),
      Ellipse(128, 215, 30, 40, SIMD3(200, 155, 125)),
      Ellipse(128, 262, 95, 45, SIMD3(50, 80, 120)),
      Ellipse(128, 130, 54, 70, SIMD3(215, 170, 140)),
    ] + sides + sides.map(\.mirrored) + [
      Ellipse(128, 135, 6, 22, SIMD3(222, 180, 150), fade: 0.6),
      Ellipse(128, 152, 11, 5, SIMD3(180, 130, 105), fade: 0.6),
      Ellipse(128, 172, 20, 5.5, SIMD3(170, 95, 95), fade: 0.3),
      Ellipse(128, 172, 17, 1.2, SIMD3(110, 60, 60), fade: 0.3),
      Ellipse(128, 185, 14, 4, SIMD3(200, 152, 125), fade: 0.8),
    ]
  }()

  /// - Throws: `VStreamError.library` if there is no memory.
  static func image() throws(VStreamError) -> VideoFrame {
    let unit = 256 / Float(size.width)
    var pixels = [SIMD3<Float>](repeating: SIMD3(repeating: 150), count: size.width * size.height)
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

  /// - Throws: `VStreamError.missingDependency` unless the detector finds the face.
  static func require(by model: Model, _ range: BlazeFaceDecoder.Range) throws(VStreamError) {
    let image = try image()
    var network = try BlazeFace(model, range, minimumScore: minimumScore)
    let faces = try? network.candidates(in: image, crop: RotatedBox(Box.square(around: size)), timer: UntimedSteps())
    guard faces?.contains(where: { $0.box.iou(box) > minimumIoU }) == true else {
      throw VStreamError(
        .missingDependency,
        "the face detector '\(model.path)' does not find the face of its test, so it finds no others",
        subject: model.path,
        remedy:
          "the model is damaged: scripts/bootstrap installs it again; if that does not help, remove ~/.cache/vstream")
    }
  }

  private static let minimumScore = 0.6
  private static let minimumIoU = 0.5
}
