public import VStreamInference
public import VStreamMedia
public import VStreamScene

/// Looks at frames, one at a time, for things of one kind or more.
public protocol FrameDetecting {
  /// - Returns: what was found, without IDs, best first, down to the detector's own lowest score.
  /// - Throws: `VStreamError` if the frame cannot be looked at or the network fails.
  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations
}

/// A detector that can begin to look at a frame before it is done with the one before.
///
/// What is found is the same, however early the next frame is begun.
public protocol OverlappingDetecting: FrameDetecting {
  /// Whether it does anything on a frame before its end.
  var mayOverlap: Bool { get }
  /// Begins to look at a frame. No more than two frames are begun and not ended.
  mutating func begin(_ frame: VideoFrame, timer: any StepTimer) throws
  /// Waits for what is found in the frame that was begun first.
  mutating func end(timer: any StepTimer) throws -> Observations
}

/// Hears how long the steps of a detection take.
public protocol StepTimer {
  /// Runs `body`, which makes the network's input of a frame.
  func sampling<R>(_ body: () throws -> R) rethrows -> R
  /// Runs `body`, which runs the network.
  func inferring<R>(_ body: () throws -> R) rethrows -> R
}

/// For who does not want to know how long the steps take.
public struct UntimedSteps: StepTimer {
  public init() {}
  public func sampling<R>(_ body: () throws -> R) rethrows -> R { try body() }
  public func inferring<R>(_ body: () throws -> R) rethrows -> R { try body() }
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

/// Finds objects in whole frames, and in parts of them if that is wanted. One owner at a time; the model is shared.
public struct ObjectDetectionStage: FrameDetecting {
  private let model: ObjectModel
  private let request: InferenceRequest
  private let ssd: SSDDecoder
  private let reader: OutputReader
  private let options: ObjectDetectionOptions
  private var sampler: RegionSampler
  /// What a network is given that does not take 32-bit floats.
  private var converted: [Float] = []

  /// Objects of the same class that overlap more than this are one.
  private static let maximumIoU = 0.6
  /// At most so many objects are kept of a frame.
  private static let limit = 100

  /// - Throws: `VStreamError.library` if OpenVINO fails.
  public init(
    _ model: ObjectModel, options: ObjectDetectionOptions = ObjectDetectionOptions()
  ) throws(VStreamError) {
    self.model = model
    self.options = options
    request = try InferenceRequest(model.model)
    ssd = SSDDecoder(minimumScore: options.minimumScore)
    reader = OutputReader(
      layout: model.layout, width: model.size.width, height: model.size.height,
      minimumScore: Float(options.minimumScore), hasNoObjectClass: model.hasNoObjectClass)
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
  /// - Throws: `VStreamError` if the frame cannot be looked at or the network fails.
  public mutating func objects(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedObject] {
    let tiling = Tiling(frame.size, isTiled: options.isTiled)
    var found: [[DetectedObject]] = []
    for region in tiling.regions {
      let seen = model.fit.region(showing: region.box, in: model.size)
      try timer.sampling { try sample(frame, region: seen) }
      found.append(
        try timer.inferring {
          try request.infer()
          return try read(region: seen, frame: frame.size)
        })
    }
    return tiling.merged(found, limit: Self.limit)
  }

  private mutating func sample(_ frame: VideoFrame, region: Box) throws {
    let input = model.imageInput
    if model.model.inputs[input].element == .float32 {
      try request.withInput(input) { tensor in try sampler.sample(frame, region: region, into: &tensor) }
    } else {
      if converted.isEmpty { converted = [Float](repeating: 0, count: model.size.width * model.size.height * 3) }
      var numbers = converted
      converted = []
      defer { converted = numbers }
      var tensor = numbers.mutableSpan
      try sampler.sample(frame, region: region, into: &tensor)
      try request.setInput(input, numbers)
    }
  }

  /// Detects in a ready-made input of the network, as if it were a frame of its own size.
  ///
  /// - Parameter pixels: as many numbers as the network's input has, in its own order.
  public mutating func detect(inTensor pixels: [Float]) throws -> [DetectedObject] {
    try request.setInput(model.imageInput, pixels)
    try request.infer()
    let whole = Box(x: 0, y: 0, width: Double(model.size.width), height: Double(model.size.height))
    return try read(region: whole, frame: model.size)
  }

  /// What the network was given last: as many numbers as its input has, in its own order.
  public func lastInput() throws -> [Float] {
    try request.withInput(model.imageInput) { tensor in (0..<tensor.count).map { tensor[$0] } }
  }

  private func read(region: Box, frame: PixelSize) throws -> [DetectedObject] {
    if model.layout == .ssdMobileNetV2 {
      return try request.withOutput(0) { encodings, _ in
        try request.withOutput(1) { scores, _ in
          ssd.decode(encodings: encodings, scores: scores, region: region, frame: frame) { index in
            options.classes?.contains(index) ?? true
          }
        }
      }
    }
    let tables = try model.outputs.map { index in
      let (numbers, shape) = try request.output(index)
      return OutputTable(shape: shape, values: numbers)
    }
    if model.isLayoutRecognised, let contradiction = reader.contradiction(in: tables) {
      throw model.misread(contradiction)
    }
    let (across, down) = (region.width / Double(model.size.width), region.height / Double(model.size.height))
    let objects = reader.read(tables).compactMap { raw -> DetectedObject? in
      guard let place = model.place(of: raw.classIndex), options.classes?.contains(place) ?? true else { return nil }
      let box = raw.box.scaled(x: across, y: down)
      let moved = Box(x: region.x + box.x, y: region.y + box.y, width: box.width, height: box.height)
      guard let visible = moved.clipped(to: frame) else { return nil }
      return DetectedObject(
        classIndex: place, label: model.labels.names[place], score: Double(raw.score), box: visible)
    }
    let maximumIoU = model.layout.hasNoDoubles ? 1 : Self.maximumIoU
    return nonMaximumSuppression(objects, maximumIoU: maximumIoU, limit: Self.limit)
  }
}

extension DetectorDescription.Fit {
  /// The part of a frame, reaching past it where there is to be padding, that shows a region in an input of a size.
  func region(showing region: Box, in size: PixelSize) -> Box {
    if self == .stretch { return region }
    let scale = min(Double(size.width) / region.width, Double(size.height) / region.height)
    let (width, height) = (Double(size.width) / scale, Double(size.height) / scale)
    if self == .topLeft { return Box(x: region.x, y: region.y, width: width, height: height) }
    return Box(center: region.center, width: width, height: height)
  }
}
