package import VStreamCore
internal import VStreamMedia

/// A person drawn with ellipses, for testing an object detector of the catalogue before anyone relies on its misses.
/// A detector of a user's own may not know persons, or not in such a drawing.
package enum DrawnPerson {
  private static let size = PixelSize(width: 300, height: 300)
  /// Where a detector finds it, in pixels of the image.
  static let box = Box(x: 104, y: 35, width: 92, height: 234)
  /// The lowest row of the wall behind it.
  private static let horizon: Float = 240

  /// Back to front.
  private static let ellipses: [DrawnEllipse] = {
    let (skin, hair) = (SIMD3<Float>(215, 170, 140), SIMD3<Float>(60, 45, 40))
    let (shirt, shoe) = (SIMD3<Float>(60, 90, 140), SIMD3<Float>(40, 35, 35))
    return [
      DrawnEllipse(135, 205, 15, 62, SIMD3(65, 50, 42), fade: 0.15),
      DrawnEllipse(131, 262, 13, 7, shoe, fade: 0.2),
      DrawnEllipse(165, 205, 12, 62, SIMD3(50, 50, 65), fade: 0.15),
      DrawnEllipse(169, 262, 13, 7, shoe, fade: 0.2),
      DrawnEllipse(113, 126, 9, 42, shirt, fade: 0.2),
      DrawnEllipse(112, 167, 7, 9, skin, fade: 0.3),
      DrawnEllipse(187, 125, 9, 42, shirt, fade: 0.05),
      DrawnEllipse(189, 167, 7, 9, skin, fade: 0.3),
      DrawnEllipse(150, 125, 31, 50, shirt, fade: 0.1),
      DrawnEllipse(150, 82, 8, 12, SIMD3(215, 170, 99), fade: 0.3),
      DrawnEllipse(150, 56, 17, 21, hair, fade: 0.17),
      DrawnEllipse(139, 61, 9, 18, SIMD3(215, 170, 123), fade: 0.15),
      DrawnEllipse(144, 58, 1, 2, SIMD3(50, 40, 40), fade: 0.4),
      DrawnEllipse(149, 70, 5, 2, SIMD3(150, 80, 80), fade: 0.3),
    ]
  }()

  /// - Throws: `VStreamError.library` if there is no memory.
  static func image() throws(VStreamError) -> VideoFrame {
    try DrawnEllipse.image(of: ellipses, side: Float(size.width), size: size) { row in
      row < horizon ? SIMD3(172, 185, 220) : SIMD3(128, 126, 106)
    }
  }

  /// Tests a model of the catalogue that was converted here; of a file of its publisher the checksum is known.
  ///
  /// - Throws: `VStreamError.missingDependency` unless it detects the person.
  package static func require(by model: ObjectModel, at path: String) throws(VStreamError) {
    guard let known = ModelCatalogue.objectModels.first(where: { $0.locate() == path }), known.publisher == nil else {
      return
    }
    let image = try image()
    var stage = try ObjectDetectionStage(model, options: ObjectDetectionOptions(minimumScore: minimumScore))
    let objects = try? stage.objects(in: image, timer: UntimedSteps())
    guard objects?.contains(where: { $0.label == "person" && $0.box.iou(box) > minimumIoU }) == true else {
      throw VStreamError(
        .missingDependency,
        "the object detector '\(path)' does not detect the person of its test, so it detects no others", subject: path,
        remedy: "the model is damaged: remove it; \(known.remedy); if that does not help, remove ~/.cache/vstream")
    }
  }

  private static let minimumScore = 0.5
  private static let minimumIoU = 0.5
}
