public import VStreamInference
public import VStreamMedia
public import VStreamScene

/// A network with anchors on regions of frames. One owner at a time; the model is shared.
public struct AnchorNetwork<Candidate: AnchoredCandidate> {
  private let request: InferenceRequest
  private let decoder: AnchorDecoder<Candidate>
  private var sampler: RegionSampler
  /// Where it looks.
  private var region = Box(x: 0, y: 0, width: 1, height: 1)

  /// - Parameter name: what it is, for messages.
  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than the decoder reads.
  public init(_ model: Model, _ decoder: AnchorDecoder<Candidate>, _ name: String) throws(VStreamError) {
    self.decoder = decoder
    let (side, count) = (decoder.side, decoder.anchors.count)
    try model.requireShapes(
      [[1, side, side, 3], [1, count, AnchorDecoder<Candidate>.numbersPerAnchor], [1, count, 1]], name)
    request = try InferenceRequest(model)
    sampler = RegionSampler(
      TensorFormat(
        size: PixelSize(width: side, height: side), outside: .black, alignment: .corners,
        scale: SIMD3(repeating: 1 / 127.5),
        offset: SIMD3(repeating: -1)))
  }

  /// What is found in a square of the frame, which may reach past its edge.
  ///
  /// - Returns: best first, in pixels of the frame.
  /// - Throws: `VStreamError` if the frame cannot be looked at or the network fails.
  public mutating func candidates(
    in frame: VideoFrame, region: Box, timer: any StepTimer
  ) throws -> [Candidate] {
    try start(in: frame, region: region, timer: timer)
    return try finish(timer: timer)
  }

  /// Begins to look at a square of the frame, which may reach past its edge.
  ///
  /// - Throws: `VStreamError` if the frame cannot be looked at or the network fails.
  mutating func start(in frame: VideoFrame, region: Box, timer: any StepTimer) throws {
    try timer.sampling {
      try request.withInput(0) { tensor in try sampler.sample(frame, region: region, into: &tensor) }
    }
    try request.start()
    self.region = region
  }

  /// Waits for what is found where it was begun to look.
  ///
  /// - Returns: best first, in pixels of the frame.
  /// - Throws: `VStreamError.library` if the network fails.
  func finish(timer: any StepTimer) throws -> [Candidate] {
    try timer.inferring {
      try request.wait()
      return try request.withOutput(0) { numbers, _ in
        try request.withOutput(1) { logits, _ in decoder.decode(numbers: numbers, logits: logits, region: region) }
      }
    }
  }
}

extension Model {
  /// - Throws: `VStreamError.missingDependency` unless the inputs and then the outputs have these shapes.
  func requireShapes(_ expected: [[Int]], _ what: String) throws(VStreamError) {
    let shapes = (inputs + outputs).map(\.shape)
    guard shapes == expected else {
      throw VStreamError(
        .missingDependency, "'\(path)' is not \(what): its shapes are \(shapes), not \(expected)",
        remedy: "scripts/bootstrap makes it")
    }
  }
}
