internal import VStreamCore
internal import VStreamInference
internal import VStreamMedia

/// Runs an object detector on regions of frames, one region at a time. One owner at a time; the model is shared.
struct ObjectNetwork {
  private let model: ObjectModel
  private let request: InferenceRequest
  private let decoder: any ObjectDecoding
  var sampler: RegionSampler
  var inputSize: PixelSize { model.size }
  /// The input's values, for a network that does not take 32-bit floats.
  private var values: [Float] = []
  /// The input's region in pixels of the frame, and the frame's size.
  private var input: (region: Box, frame: PixelSize)?

  /// - Throws: `VStreamError.library` if OpenVINO fails.
  init(_ model: ObjectModel, options: ObjectDetectionOptions) throws(VStreamError) {
    self.model = model
    request = try InferenceRequest(model.model)
    decoder = model.layout.makeDecoder(for: model, options: options)
    var format = model.format
    format.filter = options.filter
    sampler = RegionSampler(format)
    for constant in model.constantInputs { try request.setInput(constant.index, constant.values) }
  }

  /// Computes the input from a part of a frame.
  ///
  /// - Parameter turn: how the frame is rotated before; `box` and the objects that are found are in pixels of the rotated one.
  /// - Throws: `VStreamError` if the frame cannot be sampled.
  mutating func sample(_ frame: VideoFrame, showing box: Box, after turn: QuarterTurn? = nil) throws {
    let region = model.fit.region(showing: box, in: model.size)
    let sampled = turn?.region(region) ?? RotatedBox(region)
    let input = model.imageInput
    if model.model.inputs[input].element == .float32 {
      try request.withInput(input) { tensor in try sampler.sample(frame, region: sampled, into: &tensor) }
    } else {
      if values.isEmpty { values = [Float](repeating: 0, count: model.size.width * model.size.height * 3) }
      try sampler.sample(frame, region: sampled, into: &values)
      try request.setInput(input, values)
    }
    self.input = (region, turn?.size ?? frame.size)
  }

  /// Sets an input that is already computed, as if it were a frame of the input's size.
  mutating func setInput(_ pixels: [Float]) throws {
    try request.setInput(model.imageInput, pixels)
    let whole = Box(x: 0, y: 0, width: Double(model.size.width), height: Double(model.size.height))
    input = (whole, model.size)
  }

  /// The last input: as many values as it has, in its own order.
  ///
  /// - Throws: `VStreamError.library` if it is not of 32-bit floats.
  func lastInput() throws -> [Float] {
    try request.withInput(model.imageInput) { tensor in (0..<tensor.count).map { tensor[$0] } }
  }

  /// Runs the network.
  func infer() throws { try request.infer() }

  /// Starts a run of the network.
  func start() throws { try request.start() }

  /// Waits until the run that was started has ended.
  func wait() throws { try request.wait() }

  /// The objects of the last run, without IDs, best first, in pixels of the frame.
  ///
  /// - Throws: `VStreamError` if the outputs cannot be read.
  func objects() throws -> [DetectedObject] {
    guard let input else { return [] }
    return try decoder.objects(in: request, region: input.region, frame: input.frame)
  }
}
