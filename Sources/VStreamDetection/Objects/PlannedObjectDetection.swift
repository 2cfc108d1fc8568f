package import VStreamCore
internal import VStreamInference
package import VStreamMedia
package import VStreamTracking

/// How often the object network is run on a stream, on average.
package enum PassBudget: Hashable, Sendable {
  case perFrame(Double)
  /// However many frames a second has, and however many of them are skipped.
  case perSecond(Double)
}

/// Detects objects in the regions of a stream's frames that an `ObjectSearchPlanner` selects, within a budget of passes.
///
/// One owner at a time, one for each stream, its frames in their order; the model is shared.
package struct PlannedObjectDetection: OverlappingDetecting {
  package let framesInFlight: Int
  private let inputs: SearchInputs
  private let model: ObjectModel
  private let resize: (PixelSize) throws -> ObjectModel
  /// The model with its second input, once it is used.
  private var resized: ObjectModel?
  private let options: ObjectDetectionOptions
  /// The idle networks, by the sizes of their inputs.
  private var networks: [PixelSize: [ObjectNetwork]] = [:]
  private var motion = MotionDetector()
  private var planner: ObjectSearchPlanner
  private var inFlight: [Flight] = []
  /// `nil` if each frame has the same number of passes.
  private var passesPerSecond: Double?
  private var lastTime: Double?

  /// Seconds of the stream for which a frame is assumed to stand: of the first one, and at most.
  private static let usualInterval = 0.04
  private static let longestInterval = 0.5
  /// Passes of a frame below which its budget is not a number of use.
  private static let fewestPasses = 0.001

  private struct Flight {
    let frame: VideoFrame
    let search: FrameSearch
    let isStill: Bool
    var networks: [ObjectNetwork]
  }

  /// - Parameters:
  ///   - resize: loads the model with its second input, when that is first used.
  ///   - tracking: options of the tracker whose tracks plans are made from.
  ///   - framesInFlight: a constant of the run: other values give other plans.
  package init(
    _ model: ObjectModel, resize: @escaping (PixelSize) throws -> ObjectModel, options: ObjectDetectionOptions,
    budget: PassBudget, tracking: TrackerOptions, framesInFlight: Int
  ) {
    self.framesInFlight = max(1, framesInFlight)
    (self.model, self.resize, self.options) = (model, resize, options)
    inputs = model.inputs
    let passes: Double
    switch budget {
    case .perFrame(let number): passes = number
    case .perSecond(let rate): (passes, passesPerSecond) = (rate * Self.usualInterval, rate)
    }
    planner = ObjectSearchPlanner(
      passes: passes, inputs: inputs, tracking: tracking, framesInFlight: framesInFlight)
    // Frames may be missing that were not decoded, as nothing moved.
    planner.idlesInGaps = passesPerSecond != nil
  }

  package mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    try start(frame, timer: timer)
    return try finish(timer: timer)
  }

  private mutating func makeNetwork(_ size: PixelSize) throws -> ObjectNetwork {
    if size == model.size { return try ObjectNetwork(model, options: options) }
    let resized = try resized ?? resize(size)
    self.resized = resized
    return try ObjectNetwork(resized, options: options)
  }

  package mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    if let passesPerSecond {
      let seconds = frame.time.seconds
      let interval = lastTime.map { min(max(0, seconds - $0), Self.longestInterval) } ?? Self.usualInterval
      lastTime = seconds
      planner.passes = max(Self.fewestPasses, passesPerSecond * interval)
    }
    let search = planner.plan(frame.size, at: frame.time.seconds, motion: try motion.next(frame), shot: frame.shot)
    var flight = Flight(frame: frame, search: search, isStill: planner.isStill, networks: [])
    for region in search.regions {
      let size = inputs.size(for: region, in: search)
      var network = try networks[size]?.popLast() ?? makeNetwork(size)
      try timer.sampling { try network.sample(frame, showing: region.box) }
      try network.start()
      flight.networks.append(network)
    }
    inFlight.append(flight)
  }

  package mutating func finish(timer: any StepTimer) throws -> Detections {
    let flight = inFlight.removeFirst()
    let found = try flight.networks.map { network in
      try timer.inferring {
        try network.wait()
        return try network.objects()
      }
    }
    for (region, network) in zip(flight.search.regions, flight.networks) {
      networks[inputs.size(for: region, in: flight.search), default: []].append(network)
    }
    let objects = SearchMerge(flight.search).merged(found, limit: ObjectDetectionStage.limit)
    planner.add(objects, foundBy: flight.search, at: flight.frame.time.seconds, shot: flight.frame.shot)
    var observations = Detections(objects: objects, objectSearch: flight.search)
    observations.isStill = flight.isStill
    return observations
  }
}
