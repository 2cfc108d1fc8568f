internal import VStreamCore
internal import VStreamInference

/// How a network's input is computed from pixels.
struct InputPreset {
  var order = TensorFormat.ChannelOrder.rgb
  /// Subtracted from 0…255, channel by channel in `order`.
  var mean = SIMD3<Float>(repeating: 0)
  /// Divides the result of the subtraction.
  var deviation = SIMD3<Float>(repeating: 255)
  var fit = DetectorDescription.Fit.stretch
  /// The grey level that networks of the YOLO family are trained with.
  var padding: Float = 114

  /// Pixels from 0 to 255, stretched.
  static let unscaled = InputPreset(deviation: SIMD3(repeating: 1))

  /// Normalised by the mean and deviation of ImageNet's pixels, stretched.
  static let imageNet = InputPreset(
    mean: SIMD3(123.675, 116.28, 103.53), deviation: SIMD3(58.395, 57.12, 57.375))

  /// This preset with the values that a description gives.
  func overridden(by input: DetectorDescription.Input?) -> InputPreset {
    var result = self
    if let order = input?.order { result.order = order == "bgr" ? .bgr : .rgb }
    if let mean = input?.mean { result.mean = Self.channels(mean) }
    if let deviation = input?.deviation { result.deviation = Self.channels(deviation) }
    if let fit = input?.fit { result.fit = fit }
    if let padding = input?.padding { result.padding = padding }
    return result
  }

  func format(size: PixelSize, layout: TensorFormat.Layout) -> TensorFormat {
    TensorFormat(
      size: size, order: order, layout: layout, outside: .level(padding), scale: 1 / deviation,
      offset: -mean / deviation)
  }

  private static func channels(_ values: [Float]) -> SIMD3<Float> {
    values.count == 3 ? SIMD3(values[0], values[1], values[2]) : SIMD3(repeating: values[0])
  }
}

extension DetectorDescription.Fit {
  /// The region of a frame that an input of a size shows, so that it contains `region`; beyond that, there is padding.
  func region(showing region: Box, in size: PixelSize) -> Box {
    if self == .stretch { return region }
    let scale = min(Double(size.width) / region.width, Double(size.height) / region.height)
    let (width, height) = (Double(size.width) / scale, Double(size.height) / scale)
    if self == .topLeft { return Box(x: region.x, y: region.y, width: width, height: height) }
    return Box(center: region.center, width: width, height: height)
  }
}
