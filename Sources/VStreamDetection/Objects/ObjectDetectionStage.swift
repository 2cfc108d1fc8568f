internal import VStreamInference
public import VStreamMedia
public import VStreamScene

/// Detects objects in whole frames, and in tiles of them if wanted. One owner at a time; the model is shared.
public struct ObjectDetectionStage: FrameDetecting {
  private let model: ObjectModel
  private let request: InferenceRequest
  private let decoder: any ObjectDecoding
  private let options: ObjectDetectionOptions
  private var sampler: RegionSampler
  /// The input's values, for a network that does not take 32-bit floats.
  private var values: [Float] = []

  /// Most objects that are reported of a frame.
  static let limit = 100

  /// - Throws: `VStreamError.library` if OpenVINO fails.
  public init(
    _ model: ObjectModel, options: ObjectDetectionOptions = ObjectDetectionOptions()
  ) throws(VStreamError) {
    self.model = model
    self.options = options
    request = try InferenceRequest(model.model)
    decoder = model.layout.makeDecoder(for: model, options: options)
    var format = model.format
    format.filter = options.filter
    sampler = RegionSampler(format)
    if let sizeInput = model.sizeInput {
      try request.setInput(sizeInput, [Float(model.size.width), Float(model.size.height)])
    }
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    Observations(objects: try objects(in: frame, timer: timer))
  }

  /// The objects in a frame, without IDs, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  public mutating func objects(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedObject] {
    var tiling = Tiling(frame.size, isTiled: options.isTiled)
    var found = try tiling.regions.map { try objects(in: frame, tile: $0, timer) }
    if let whole = found.first, let margin = options.margin, margin.applies(to: whole, in: frame.size) {
      sampler.outside = .level(Self.marginLevel)
      defer { sampler.outside = sampler.format.outside }
      found.append(margin.counted(try objects(in: frame, tile: tiling.addMargin(), timer), in: frame.size))
    }
    return tiling.merged(found, limit: Self.limit)
  }

  /// A middle grey, 0…255.
  private static let marginLevel: Float = 128

  private mutating func objects(
    in frame: VideoFrame, tile: Tiling.Region, _ timer: any StepTimer
  ) throws -> [DetectedObject] {
    let region = model.fit.region(showing: tile.box, in: model.size)
    try timer.sampling { try sample(frame, region: region) }
    return try timer.inferring {
      try request.infer()
      return try decoder.objects(in: request, region: region, frame: frame.size)
    }
  }

  private mutating func sample(_ frame: VideoFrame, region: Box) throws {
    let input = model.imageInput
    if model.model.inputs[input].element == .float32 {
      try request.withInput(input) { tensor in try sampler.sample(frame, region: region, into: &tensor) }
    } else {
      if values.isEmpty { values = [Float](repeating: 0, count: model.size.width * model.size.height * 3) }
      try sampler.sample(frame, region: region, into: &values)
      try request.setInput(input, values)
    }
  }

  /// Detects in an input that is already computed, as if it were a frame of the input's size.
  ///
  /// - Parameter pixels: as many values as the network's input has, in its own order.
  public mutating func detect(inTensor pixels: [Float]) throws -> [DetectedObject] {
    try request.setInput(model.imageInput, pixels)
    try request.infer()
    let whole = Box(x: 0, y: 0, width: Double(model.size.width), height: Double(model.size.height))
    return try decoder.objects(in: request, region: whole, frame: model.size)
  }

  /// The network's last input: as many values as it has, in its own order.
  ///
  /// - Throws: `VStreamError.library` if it is not of 32-bit floats.
  public func lastInput() throws -> [Float] {
    try request.withInput(model.imageInput) { tensor in (0..<tensor.count).map { tensor[$0] } }
  }
}
