internal import VStreamCore
internal import VStreamInference

/// A detector's image input, and its inputs that are the same for every image.
struct ImageInput {
  /// An input whose values never change: the size of the image, or how much it was scaled.
  struct Constant {
    let index: Int
    let values: [Float]
  }

  let index: Int
  let size: PixelSize
  let layout: TensorFormat.Layout
  let constants: [Constant]

  /// Longest side that is accepted, in pixels.
  private static let maximumSide = 16_384

  /// - Throws: `VStreamError.missingDependency` if no input takes an image of a fixed size, or others are needed.
  init(of model: Model, _ fault: ObjectModelFault) throws(VStreamError) {
    guard let index = model.inputs.firstIndex(where: { Self.imageSize($0.shape) != nil }),
      let (size, layout) = Self.imageSize(model.inputs[index].shape)
    else {
      throw fault.error(
        "it takes no image of a fixed size",
        model.inputs.contains { $0.shape.count == 4 && $0.shape.contains { $0 < 0 } }
          ? "name one in \(fault.descriptionPath): "
            + #"{"input":{"size":[640,640]}}, or export it with fixed sizes, [1,3,height,width]"#
          : "export it with fixed sizes, [1,3,height,width]")
    }
    let others = model.inputs.indices.filter { $0 != index }
    let named = others.filter { Self.paddleValues(of: model.inputs[$0].name, size) != nil }
    guard others.count <= 1 || named == others, others.allSatisfy({ model.inputs[$0].shape == [1, 2] }) else {
      throw fault.error("it has inputs other than an image and its size", "export it with the image alone")
    }
    (self.index, self.size, self.layout) = (index, size, layout)
    constants = others.map { other in
      let usual = [Float(size.width), Float(size.height)]
      return Constant(index: other, values: Self.paddleValues(of: model.inputs[other].name, size) ?? usual)
    }
    for constant in constants {
      let highest = Double(constant.values.max() ?? 0)
      try Self.require(
        0...highest, in: model.inputs[constant.index], fault, "export it with integers of 32 or 64 bits")
    }
  }

  /// Values for inputs of PaddleDetection's exports, by name, for boxes in the pixels of the input; `nil` for others.
  private static func paddleValues(of name: String, _ size: PixelSize) -> [Float]? {
    switch name {
    case "scale_factor": [1, 1]
    case "im_shape": [Float(size.height), Float(size.width)]
    default: nil
    }
  }

  /// - Throws: `VStreamError.missingDependency` if the image's values do not fit the input's type.
  func requireValues(of format: TensorFormat, _ model: Model, _ fault: ObjectModelFault) throws(VStreamError) {
    for channel in 0..<3 {
      let ends = [format.offset[channel], 255 * format.scale[channel] + format.offset[channel]].map(Double.init)
      guard ends.allSatisfy(\.isFinite), let low = ends.min(), let high = ends.max() else {
        throw fault.error("mean and deviation are invalid", "correct them in \(fault.descriptionPath)")
      }
      try Self.require(
        low...high, in: model.inputs[index], fault,
        "name other values of mean and deviation in \(fault.descriptionPath), or export it with 32-bit floats")
    }
  }

  private static func require(
    _ values: ClosedRange<Double>, in port: Model.Port, _ fault: ObjectModelFault, _ remedy: String
  ) throws(VStreamError) {
    guard let range = port.element.integerRange else { return }
    guard values.lowerBound.rounded() >= range.lowerBound, values.upperBound.rounded() <= range.upperBound else {
      throw fault.error(
        "its input \(port.label) cannot hold values from \(values.lowerBound) to \(values.upperBound)", remedy)
    }
  }

  private static func imageSize(_ shape: [Int]) -> (size: PixelSize, layout: TensorFormat.Layout)? {
    guard shape.count == 4, shape[0] == 1, shape.allSatisfy((1...maximumSide).contains) else { return nil }
    if shape[1] == 3 { return (PixelSize(width: shape[3], height: shape[2]), .planar) }
    if shape[3] == 3 { return (PixelSize(width: shape[2], height: shape[1]), .interleaved) }
    return nil
  }

  /// An input's shape for one image at a time, and of a size in pixels if it is an image and one is named.
  static func fixed(_ shape: [Int], size: [Int]?) -> [Int] {
    var fixed = shape
    if let first = fixed.first, first < 0 { fixed[0] = 1 }
    guard shape.count == 4, let size else { return fixed }
    // Where the file leaves open even the number of channels, they come first.
    if shape[1] == 3 || shape[1] < 0 && shape[3] < 0 {
      fixed.replaceSubrange(1..., with: [3, size[1], size[0]])
    } else if shape[3] == 3 {
      fixed.replaceSubrange(1...2, with: [size[1], size[0]])
    }
    return fixed
  }
}

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
