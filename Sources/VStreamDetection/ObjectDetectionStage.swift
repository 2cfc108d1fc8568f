public import VStreamInference
public import VStreamMedia
public import VStreamScene

/// Looks at frames, one at a time, for things of one kind or more.
public protocol FrameDetecting {
  /// - Returns: what was found, without IDs, best first, down to the detector's own lowest score.
  /// - Throws: `VStreamError` if the frame cannot be looked at or the network fails.
  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations
}

/// Hears how long the steps of a detection take.
public protocol StepTimer {
  /// Runs `body`, which makes the network's input of a frame.
  func sampling<R>(_ body: () throws -> R) rethrows -> R
  /// Runs `body`, which runs the network.
  func inferring<R>(_ body: () throws -> R) rethrows -> R
}

/// What of all that the network sees is wanted.
public struct ObjectDetectionOptions: Hashable, Sendable {
  /// The lowest score that is reported at all; low ones can only continue a track.
  public var minimumScore: Double
  /// Places in the model's class list; `nil` for all classes.
  public var classes: Set<Int>?
  public var filter: TensorFormat.Filter
  /// Whether parts of the frame are looked at as well as the whole, for what is small in it; up to seven times the work.
  public var isTiled: Bool

  public init(
    minimumScore: Double = 0.1, classes: Set<Int>? = nil, filter: TensorFormat.Filter = .bilinear, isTiled: Bool = false
  ) {
    self.minimumScore = minimumScore
    self.classes = classes
    self.filter = filter
    self.isTiled = isTiled
  }
}

/// SSD MobileNetV2 on whole frames, and on parts of them if that is wanted. One owner at a time; the model is shared.
public struct ObjectDetectionStage: FrameDetecting {
  private let request: InferenceRequest
  private let decoder: SSDDecoder
  private let options: ObjectDetectionOptions
  private var sampler: RegionSampler

  /// The network's input: `[1, 300, 300, 3]`, RGB, 0…255.
  public static let inputSize = PixelSize(width: 300, height: 300)

  /// - Throws: `VStreamError.missingDependency` if the model has other inputs or outputs than SSD MobileNetV2.
  public init(_ model: Model, options: ObjectDetectionOptions = ObjectDetectionOptions()) throws(VStreamError) {
    let expected = [[1, 300, 300, 3], [1, 1917, 4], [1, 1917, 91]]
    let shapes = (model.inputs + model.outputs).map(\.shape)
    guard shapes == expected else {
      throw VStreamError(
        .missingDependency, "'\(model.path)' is not the object model: its shapes are \(shapes), not \(expected)",
        remedy: "scripts/bootstrap makes it")
    }
    request = try InferenceRequest(model)
    decoder = SSDDecoder(minimumScore: options.minimumScore)
    self.options = options
    sampler = RegionSampler(TensorFormat(size: Self.inputSize, filter: options.filter))
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    Observations(objects: try objects(in: frame, timer: timer))
  }

  /// The objects in a frame, without IDs, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be looked at or the network fails.
  public mutating func objects(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedObject] {
    let tiling = Tiling(frame.size, isTiled: options.isTiled)
    var found: [[DetectedObject]] = []
    for region in tiling.regions {
      try timer.sampling {
        try request.withInput(0) { tensor in try sampler.sample(frame, region: region.box, into: &tensor) }
      }
      found.append(
        try timer.inferring {
          try request.infer()
          return try read(region: region.box, frame: frame.size)
        })
    }
    return tiling.merged(found, limit: SSDDecoder.limit)
  }

  /// Detects in a ready-made input of the network, as if it were a frame of its own size.
  ///
  /// - Parameter pixels: 300 × 300 × 3 numbers 0…255, RGB, row by row.
  public mutating func detect(inTensor pixels: [Float]) throws -> [DetectedObject] {
    try request.withInput(0) { tensor in
      guard pixels.count == tensor.count else {
        throw VStreamError(.library, "a tensor of \(pixels.count) floats, not \(tensor.count)")
      }
      for index in pixels.indices { tensor[index] = pixels[index] }
    }
    try request.infer()
    let size = Self.inputSize
    return try read(
      region: Box(x: 0, y: 0, width: Double(size.width), height: Double(size.height)), frame: size)
  }

  /// What the network was given last: 300 × 300 × 3 numbers 0…255, RGB, row by row.
  public func lastInput() throws -> [Float] {
    try request.withInput(0) { tensor in (0..<tensor.count).map { tensor[$0] } }
  }

  private func read(region: Box, frame: PixelSize) throws -> [DetectedObject] {
    try request.withOutput(0) { encodings, _ in
      try request.withOutput(1) { scores, _ in
        decoder.decode(encodings: encodings, scores: scores, region: region, frame: frame) { index in
          options.classes?.contains(index) ?? true
        }
      }
    }
  }
}
