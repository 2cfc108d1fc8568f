internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Detects faces and computes their meshes.
///
/// In stream mode a face is tracked by its mesh, and the detector runs only for new faces: every `searchInterval`, when one is
/// lost, and while none is tracked. A face without a mesh, being small or in profile, is reported by its box alone. One
/// owner at a time, in stream mode one for each stream, its frames in their order.
struct MeshFaceSearch {
  private let options: FaceDetectorOptions
  private let interval: SearchInterval
  private var tracker: FaceMeshTracker
  private var describer: FaceDescriber
  /// How the next two frames are started.
  private var plans = [Plan(), Plan()]
  private var inFlight: [InFlightFrame] = []
  /// Stream time of the last search that was started early, and of the last that was finished; `nil` before the first.
  private var lastStartedSearch: Double?
  private var lastSearch: Double?
  /// Faces of the last search that have no mesh.
  private var untracked: [UntrackedFace] = []

  /// How a frame is started.
  private struct Plan {
    var crops: [(face: Int, crop: RotatedBox)] = []
    /// Whether new faces are searched for, whatever the time.
    var needsSearch = false
    /// Time of the last search.
    var lastSearch: Double?
  }

  private struct InFlightFrame {
    let frame: VideoFrame
    var passes: FaceMeshTracker.Passes
    /// The search for new faces; `nil` if it was not started early.
    var search: FaceFinder.Search?
  }

  /// A face without a mesh.
  private struct UntrackedFace {
    let box: Box
    /// Time of the last attempt to compute one, in seconds of the stream.
    let lastAttempt: Double
  }

  init(_ options: FaceDetectorOptions, meshModel: Model, eyeModel: Model?) throws(VStreamError) {
    self.options = options
    interval = SearchInterval(seconds: options.searchInterval)
    tracker = try FaceMeshTracker(meshModel, isSmoothed: options.isSmoothed)
    describer = try FaceDescriber(options, eyeModel: eyeModel)
  }

  /// The faces in a frame, best first, while no other frame is in flight.
  mutating func faces(
    in frame: VideoFrame, with finder: inout FaceFinder, timer: any StepTimer
  ) throws -> [DetectedFace] {
    try faces(in: try started(frame, nextPlan, &finder, timer), &finder, timer)
  }

  /// Starts on the next frame. At most two frames are in flight.
  mutating func start(_ frame: VideoFrame, with finder: inout FaceFinder, timer: any StepTimer) throws {
    inFlight.append(try started(frame, plans[0], &finder, timer))
    plans.removeFirst()
  }

  /// The faces in the frame that has been in flight longest, best first.
  mutating func finish(with finder: inout FaceFinder, timer: any StepTimer) throws -> [DetectedFace] {
    defer { plans.append(nextPlan) }
    return try faces(in: inFlight.removeFirst(), &finder, timer)
  }

  /// How a later frame is to be started, by what is known now.
  private var nextPlan: Plan {
    guard options.detectorMode == .stream else { return Plan(needsSearch: true) }
    return Plan(
      crops: tracker.nextCrops, needsSearch: tracker.faces.isEmpty || !untracked.isEmpty, lastSearch: lastSearch)
  }

  private mutating func started(
    _ frame: VideoFrame, _ plan: Plan, _ finder: inout FaceFinder, _ timer: any StepTimer
  ) throws -> InFlightFrame {
    var started = InFlightFrame(frame: frame, passes: try tracker.start(on: frame, plan.crops, timer: timer))
    let seconds = frame.time.seconds
    let isDue = plan.lastSearch.map { interval.isOver(since: max($0, lastStartedSearch ?? $0), at: seconds) } ?? false
    if plan.needsSearch || isDue {
      if finder.isSinglePass { started.search = try finder.start(on: frame, timer: timer) }
      lastStartedSearch = seconds
    }
    return started
  }

  private mutating func faces(
    in started: InFlightFrame, _ finder: inout FaceFinder, _ timer: any StepTimer
  ) throws -> [DetectedFace] {
    let (frame, seconds) = (started.frame, started.frame.time.seconds)
    var isLost = false
    if options.detectorMode == .stream {
      isLost = try tracker.update(with: started.passes, in: frame, timer: timer)
    } else {
      tracker.removeAll()
    }
    var boxes: [DetectedFace] = []
    if started.search != nil || isLost || isSearchDue(at: seconds) {
      let search = try started.search ?? finder.start(on: frame, timer: timer)
      let candidates = try finder.finish(search, timer: timer)
      boxes = try take(candidates, in: frame, timer).map(DetectedFace.init(boxOf:))
      lastSearch = seconds
    }
    return try (boxes + tracker.faces.map { try describer.described($0, in: frame, timer: timer) })
      .sorted { $0.score > $1.score }
  }

  private func isSearchDue(at seconds: Double) -> Bool {
    guard options.detectorMode == .stream, let lastSearch, untracked.isEmpty, !tracker.faces.isEmpty else {
      return true
    }
    return interval.isOver(since: lastSearch, at: seconds)
  }

  /// Confirms tracked faces by the candidates of a search, and tracks new ones from now on.
  ///
  /// - Returns: the candidates without a mesh. It is retried every `searchInterval`.
  private mutating func take(
    _ candidates: [FaceCandidate], in frame: VideoFrame, _ timer: any StepTimer
  ) throws -> [FaceCandidate] {
    let seconds = frame.time.seconds
    let knownCount = tracker.faces.count
    let before = untracked
    untracked = []
    var boxes: [FaceCandidate] = []
    for candidate in candidates {
      if tracker.confirm(by: candidate, amongFirst: knownCount) { continue }
      let lastAttempt = before.first { $0.box.iou(candidate.box) > FaceMeshTracker.duplicateIoU }?.lastAttempt
      let isRecent = lastAttempt.map { !interval.isOver(since: $0, at: seconds) } ?? false
      if !isRecent, try tracker.add(candidate, in: frame, timer: timer) { continue }
      untracked.append(
        UntrackedFace(box: candidate.box, lastAttempt: isRecent ? lastAttempt ?? seconds : seconds))
      boxes.append(candidate)
    }
    return boxes
  }
}

extension DetectedFace {
  /// A face with nothing but its box and score.
  init(boxOf candidate: FaceCandidate) { self.init(score: candidate.score, box: candidate.box) }
}
