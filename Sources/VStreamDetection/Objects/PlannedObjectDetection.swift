internal import VStreamInference
public import VStreamMedia
public import VStreamScene
public import VStreamTracking

/// Detects objects in the regions of a stream's frames that an `ObjectSearchPlanner` selects, within a budget of passes.
///
/// One owner at a time, one for each stream, its frames in their order; the model is shared.
public struct PlannedObjectDetection: OverlappingDetecting {
  public let framesInFlight: Int
  private var networks: NetworkPool<ObjectNetwork>
  private var motion = MotionDetector()
  private var planner: ObjectSearchPlanner
  private var inFlight: [Flight] = []
  /// The network's runs for the next frame, on average.
  var passes: Double {
    get { planner.passes }
    set { planner.passes = newValue }
  }

  /// Whether gaps between frames are of frames that were not decoded, as nothing moved.
  var restsInGaps: Bool {
    get { planner.restsInGaps }
    set { planner.restsInGaps = newValue }
  }

  private struct Flight {
    let frame: VideoFrame
    let search: FrameSearch
    let isStill: Bool
    var networks: [ObjectNetwork]
  }

  /// - Parameters:
  ///   - passes: the network's runs for a frame, on average.
  ///   - tracking: options of the tracker whose tracks plans are made from.
  ///   - framesInFlight: a constant of the run: other values give other plans.
  /// - Throws: `VStreamError.library` if OpenVINO fails.
  public init(
    _ model: ObjectModel, options: ObjectDetectionOptions, passes: Double, tracking: TrackerOptions,
    framesInFlight: Int
  ) throws(VStreamError) {
    self.framesInFlight = max(1, framesInFlight)
    networks = try NetworkPool { () throws(VStreamError) in try ObjectNetwork(model, options: options) }
    planner = ObjectSearchPlanner(
      passes: passes, input: model.size, tracking: tracking, framesInFlight: framesInFlight)
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    try start(frame, timer: timer)
    return try finish(timer: timer)
  }

  public mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    let search = planner.plan(frame.size, at: frame.time.seconds, motion: try motion.next(frame), shot: frame.shot)
    var flight = Flight(frame: frame, search: search, isStill: planner.isStill, networks: [])
    for region in search.regions {
      var network = try networks.take()
      try timer.sampling { try network.sample(frame, showing: region.box) }
      try network.start()
      flight.networks.append(network)
    }
    inFlight.append(flight)
  }

  public mutating func finish(timer: any StepTimer) throws -> Observations {
    let flight = inFlight.removeFirst()
    let found = try flight.networks.map { network in
      try timer.inferring {
        try network.wait()
        return try network.objects()
      }
    }
    for network in flight.networks { networks.putBack(network) }
    let objects = SearchMerge(flight.search).merged(found, limit: ObjectDetectionStage.limit)
    planner.add(objects, foundBy: flight.search, at: flight.frame.time.seconds, shot: flight.frame.shot)
    var observations = Observations(objects: objects, objectSearch: flight.search)
    observations.isStill = flight.isStill
    return observations
  }
}
