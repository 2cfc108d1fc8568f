public import VStreamInference
public import VStreamMedia
public import VStreamScene

/// A network with anchors that runs on crops of frames. One owner at a time; the model is shared.
public struct AnchorNetwork<Candidate: AnchoredCandidate> {
  private let request: InferenceRequest
  private let decoder: AnchorDecoder<Candidate>
  private var sampler: RegionSampler
  private var smoother = ImageSmoother()
  private let isMirrored: Bool
  /// The crop of the last pass.
  private var crop = RotatedBox(Box(x: 0, y: 0, width: 1, height: 1))

  /// - Parameters:
  ///   - description: what the network is for, for messages.
  ///   - isMirrored: whether it is shown the mirror image of each crop.
  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than the decoder reads.
  public init(
    _ model: Model, _ decoder: AnchorDecoder<Candidate>, _ description: String, isMirrored: Bool = false
  ) throws(VStreamError) {
    self.decoder = decoder
    self.isMirrored = isMirrored
    let (side, count) = (decoder.side, decoder.anchors.count)
    try model.require(
      [[1, side, side, 3], [1, count, AnchorDecoder<Candidate>.valuesPerAnchor], [1, count, 1]], description)
    request = try InferenceRequest(model)
    sampler = RegionSampler(
      TensorFormat(
        size: PixelSize(width: side, height: side), outside: .black, alignment: .corners,
        scale: SIMD3(repeating: 1 / 127.5),
        offset: SIMD3(repeating: -1)))
  }

  /// The candidates in a square crop of the frame, which may be rotated and reach past its edges.
  ///
  /// - Returns: best first, in pixels of the frame.
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  public mutating func candidates(
    in frame: VideoFrame, crop: RotatedBox, outside: TensorFormat.Outside = .black, timer: any StepTimer
  ) throws -> [Candidate] {
    try start(on: frame, crop: crop, outside: outside, timer: timer)
    return try finish(timer: timer)
  }

  /// Starts a pass on a square crop of the frame, which may be rotated and reach past its edges.
  ///
  /// - Parameters:
  ///   - outside: what the network sees there.
  ///   - isSmoothed: whether it sees the crop without grain.
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  mutating func start(
    on frame: VideoFrame, crop: RotatedBox, outside: TensorFormat.Outside = .black, isSmoothed: Bool = false,
    timer: any StepTimer
  ) throws {
    sampler.outside = outside
    try timer.sampling {
      try request.withInput(0) { tensor in
        try sampler.sample(frame, region: crop, into: &tensor)
        if isSmoothed { smoother.smooth(&tensor, side: decoder.side) }
        if isMirrored { tensor.mirrorImage(side: decoder.side) }
      }
    }
    try request.start()
    self.crop = crop
  }

  /// Waits for the candidates of the pass that was started.
  ///
  /// - Returns: best first, in pixels of the frame.
  /// - Throws: `VStreamError.library` if the network fails.
  func finish(timer: any StepTimer) throws -> [Candidate] {
    try timer.inferring {
      try request.wait()
      return try request.withOutput(0) { values, _ in
        try request.withOutput(1) { logits, _ in
          decoder.decode(values: values, logits: logits, region: crop, isMirrored: isMirrored)
        }
      }
    }
  }
}
