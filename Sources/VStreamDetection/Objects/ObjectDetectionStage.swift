package import VStreamCore
internal import VStreamInference
package import VStreamMedia

/// Detects objects in whole frames, and in tiles of them if wanted. One owner at a time; the model is shared.
package struct ObjectDetectionStage: FrameDetecting {
  private let options: ObjectDetectionOptions
  private var network: ObjectNetwork

  /// Most objects that are reported of a frame.
  static let limit = 100

  /// - Throws: `VStreamError.library` if OpenVINO fails.
  package init(
    _ model: ObjectModel, options: ObjectDetectionOptions = ObjectDetectionOptions()
  ) throws(VStreamError) {
    self.options = options
    network = try ObjectNetwork(model, options: options)
  }

  package mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    var tiling = Tiling(frame.size, isTiled: options.isTiled, input: network.inputSize)
    var found = try tiling.search.regions.map { try objects(in: frame, showing: $0.box, timer) }
    if let whole = found.first, let margin = options.margin, margin.applies(to: whole, in: frame.size) {
      network.sampler.outside = .level(Self.marginLevel)
      defer { network.sampler.outside = network.sampler.format.outside }
      found.append(margin.counted(try objects(in: frame, showing: tiling.addMargin(), timer), in: frame.size))
    }
    if let whole = found.first, let margin = options.margin,
      let turns = QuarterTurns.turns(at: frame.time, isEmpty: !margin.isFound(in: whole), isAlways: margin.isAlways)
    {
      let turn = QuarterTurn(turns, of: frame.size)
      found.append(try objects(in: frame, after: turn, timer).filter { margin.classes.contains($0.classIndex) })
      tiling.addWhole()
    }
    guard found.count > 1 else { return Detections(objects: found.first) }
    let merged = SearchMerge(tiling.search).merged(found, limit: Self.limit)
    return Detections(objects: merged, objectSearch: tiling.search)
  }

  /// The objects in a frame, without IDs, best first.
  ///
  /// - Throws: `VStreamError` if the frame cannot be sampled or the network fails.
  package mutating func objects(in frame: VideoFrame, timer: any StepTimer) throws -> [DetectedObject] {
    try detect(in: frame, timer: timer).objects ?? []
  }

  /// A middle grey, 0…255.
  private static let marginLevel: Float = 128

  private mutating func objects(
    in frame: VideoFrame, showing box: Box, _ timer: any StepTimer
  ) throws -> [DetectedObject] {
    try timer.sampling { try network.sample(frame, showing: box) }
    return try timer.inferring {
      try network.infer()
      return try network.objects()
    }
  }

  /// The objects of the whole frame, rotated.
  private mutating func objects(
    in frame: VideoFrame, after turn: QuarterTurn, _ timer: any StepTimer
  ) throws -> [DetectedObject] {
    let whole = Box(x: 0, y: 0, width: Double(turn.size.width), height: Double(turn.size.height))
    try timer.sampling { try network.sample(frame, showing: whole, after: turn) }
    return try timer.inferring {
      try network.infer()
      return try network.objects().map { object in
        var object = object
        object.box = turn.box(object.box)
        return object
      }
    }
  }

  /// Detects in an input that is already computed, as if it were a frame of the input's size.
  ///
  /// - Parameter pixels: as many values as the network's input has, in its own order.
  package mutating func detect(inTensor pixels: [Float]) throws -> [DetectedObject] {
    try network.setInput(pixels)
    try network.infer()
    return try network.objects()
  }

  /// The network's last input: as many values as it has, in its own order.
  ///
  /// - Throws: `VStreamError.library` if it is not of 32-bit floats.
  package func lastInput() throws -> [Float] { try network.lastInput() }
}
