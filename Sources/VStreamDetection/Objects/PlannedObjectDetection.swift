internal import VStreamInference
public import VStreamMedia
public import VStreamScene
public import VStreamTracking

/// Detects objects in the regions of a stream's frames that an `InferencePlanner` selects, within a budget of passes.
///
/// A plan is made from the tracks as they were `framesInFlight` frames before, however many of these are in flight.
///
/// One owner at a time, one for each stream, its frames in their order; the model is shared.
public struct PlannedObjectDetection: OverlappingDetecting {
  public let framesInFlight: Int
  private let minimumScore: Double
  private var networks: NetworkPool<ObjectNetwork>
  private var planner: InferencePlanner
  private var motion = MotionDetector()
  private var tracker: Tracker
  private var inFlight: [Flight] = []
  /// The results that the tracker has not been given yet.
  private var results: [Result] = []
  private var frameCount = 0

  private struct Flight {
    let index: Int
    let frame: VideoFrame
    let search: FrameSearch
    var networks: [ObjectNetwork]
  }

  private struct Result {
    let index: Int
    let time: Double
    let observations: Observations
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
    minimumScore = tracking.minimumScore
    networks = try NetworkPool { () throws(VStreamError) in try ObjectNetwork(model, options: options) }
    planner = InferencePlanner(passes: passes, input: model.size)
    tracker = Tracker(tracking)
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    try start(frame, timer: timer)
    return try finish(timer: timer)
  }

  public mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    let search = try plan(frame)
    var flight = Flight(index: frameCount, frame: frame, search: search, networks: [])
    frameCount += 1
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
    let observations = Observations(objects: objects, objectSearch: flight.search)
    results.append(Result(index: flight.index, time: flight.frame.time.seconds, observations: observations))
    return observations
  }

  private mutating func plan(_ frame: VideoFrame) throws -> FrameSearch {
    while let result = results.first, result.index <= frameCount - framesInFlight {
      results.removeFirst()
      _ = tracker.update(
        result.observations.objects ?? [], searched: result.observations.objectSearch, at: result.time)
    }
    let map = try motion.next(frame)
    var scene = InferencePlanner.Scene(frame: frame.size, time: frame.time.seconds)
    let snapshots = tracker.snapshots(at: scene.time)
    scene.tracks = snapshots.map { track in
      InferencePlanner.TrackedObject(
        box: track.object.box, isTentative: track.object.id == nil, isLost: track.isLost,
        isMoving: map.hasMotion(in: track.object.box), scale: track.searchScale, observedAt: track.observedAt)
    }
    scene.moving = map.regions(outside: snapshots.map { $0.object.box.buffered(by: 0.2) })
    scene.isGlobal = map.isGlobal
    return planner.plan(scene)
  }
}
