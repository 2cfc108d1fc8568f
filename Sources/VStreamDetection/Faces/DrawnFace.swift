internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia
internal import VStreamSystem

/// A face drawn with ellipses, for testing a face detector before anyone relies on its misses: a model or a
/// compiled model that was damaged may run without an error and find nothing.
enum DrawnFace {
  private static let size = PixelSize(width: 192, height: 192)
  /// The image's side in the unit of the ellipses.
  private static let side: Float = 256
  /// Where a detector finds it, in pixels of the image.
  static let box = Box(x: 57, y: 45, width: 77, height: 105)

  /// Back to front.
  private static let ellipses: [DrawnEllipse] = {
    let sides = [
      DrawnEllipse(150, 112, 17, 9, SIMD3(185, 135, 110), fade: 0.5),
      DrawnEllipse(150, 101, 16, 3.5, SIMD3(80, 60, 50), fade: 0.5),
      DrawnEllipse(150, 114, 10, 5, SIMD3(235, 235, 235), fade: 0.2),
      DrawnEllipse(150, 114, 5, 5, SIMD3(70, 60, 50), fade: 0.3),
      DrawnEllipse(183, 128, 7, 15, SIMD3(205, 160, 130)),
    ]
    return [
      DrawnEllipse(128, 118, 66, 80, SIMD3(70, 50, 40)),
      DrawnEllipse(128, 215, 30, 40, SIMD3(200, 155, 125)),
      DrawnEllipse(128, 262, 95, 45, SIMD3(50, 80, 120)),
      DrawnEllipse(128, 130, 54, 70, SIMD3(215, 170, 140)),
    ] + sides + sides.map { $0.mirrored(in: side) } + [
      DrawnEllipse(128, 135, 6, 22, SIMD3(222, 180, 150), fade: 0.6),
      DrawnEllipse(128, 152, 11, 5, SIMD3(180, 130, 105), fade: 0.6),
      DrawnEllipse(128, 172, 20, 5.5, SIMD3(170, 95, 95), fade: 0.3),
      DrawnEllipse(128, 172, 17, 1.2, SIMD3(110, 60, 60), fade: 0.3),
      DrawnEllipse(128, 185, 14, 4, SIMD3(200, 152, 125), fade: 0.8),
    ]
  }()

  /// - Throws: `VStreamError.library` if there is no memory.
  static func image() throws(VStreamError) -> VideoFrame {
    try DrawnEllipse.image(of: ellipses, side: side, size: size) { _ in SIMD3(repeating: 150) }
  }

  /// - Throws: `VStreamError.missingDependency` unless the detector finds the face.
  static func require(by model: Model) throws(VStreamError) {
    let image = try image()
    var network = try CenterFace(model, input: size, minimumScore: minimumScore)
    let faces = try? {
      try network.start(on: image, region: RotatedBox(Box.square(around: size)), timer: UntimedSteps())
      return try network.finish(timer: UntimedSteps())
    }()
    guard faces?.contains(where: { $0.box.iou(box) > minimumIoU }) == true else {
      throw VStreamError(
        .missingDependency,
        "the face detector '\(model.path)' does not find the face of its test, so it finds no others",
        subject: model.path,
        remedy:
          "the model is damaged: \(Installation.setUpCommand) installs it again; if that does not help, remove ~/.cache/vstream"
      )
    }
  }

  private static let minimumScore = 0.35
  private static let minimumIoU = 0.5
}
