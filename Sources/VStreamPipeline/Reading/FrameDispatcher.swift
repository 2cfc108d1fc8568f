internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamReporting

/// Sends decoded frames to the detectors, as the schedule decides, and all items in their order to the annotator; drops frames
/// of a live input if the annotator falls behind.
struct FrameDispatcher {
  private let trim: Trim
  /// `nil` for the whole input.
  private let part: InputPart?
  /// Whether only the first frame is needed, as the video is encoded already.
  private let needsFirstFrameOnly: Bool
  /// Where the last frame lay.
  private var position = InputPart.Position.before
  private let dropsFrames: Bool
  /// Whether nothing that a frame shows may stay unsearched, in its stored pixels or as it is displayed.
  private let isRedacted: Bool
  /// Whether the annotator is waited for even if frames are dropped otherwise.
  var waitsForAnnotator = false
  private let processors: Int
  private let state: RunState
  private let output: Channel<StreamItem>
  private let queues: [DetectionQueue]
  private var schedule: DetectionSchedule
  /// Where the schedule starts afresh; `nil` for a live input.
  private let grid: TimeGrid?
  private var cell: Int64?
  private var arrivals = ArrivalTimes()
  private(set) var frameCount = 0
  private(set) var report = ReaderReport()
  /// Results whose state of the scene has not been read.
  private var unreadResults: [PendingDetection] = []
  /// Whether `takeScene` is called with each packet.
  var watchesScene = false
  /// Of the last decoded frame; `detectedSize` is that of the copy which detectors were given.
  private var last: (size: PixelSize, format: PixelFormat, detectedSize: PixelSize, rotation: Int)?
  /// `nil` if nothing is tracked.
  private var shots: ShotDetector?
  /// `nil` while pixels are square.
  private var squarer: FrameConverter?

  init(
    _ configuration: PipelineConfiguration, _ flow: Flow, trim: Trim, state: RunState, output: Channel<StreamItem>,
    queues: [DetectionQueue], isStream: Bool = false
  ) {
    self.trim = trim
    part = configuration.run.part
    needsFirstFrameOnly = configuration.run.joinedPackets != nil
    dropsFrames = flow.dropsAtEntrance
    isRedacted = configuration.redaction != nil || configuration.run.isVerification
    processors = configuration.threads
    self.state = state
    self.output = output
    self.queues = queues
    grid = flow.grid
    shots = queues.isEmpty || !isStream ? nil : ShotDetector()
    schedule = DetectionSchedule(
      configuration.detectEvery, processors: configuration.threads, hold: flow.hold ?? .infinity)
  }

  /// Whether no further frame is needed.
  var hasAllFrames: Bool { needsFirstFrameOnly && frameCount > 0 }

  /// Whether a frame after the part was decoded.
  var isPastPart: Bool { part != nil && position == .after }

  /// Counts damaged data. Between two frames of different parts it belongs to the later part.
  func countDamage() {
    guard part?.firstCell == nil || position == .inside, !isPastPart else { return }
    state.count { $0.corruptPackets += 1 }
  }

  /// Notes that a packet of the video has arrived.
  mutating func noteArrival(at seconds: Double) { arrivals.note(state.clock.now, at: seconds) }

  /// Sends a frame to the detectors and to the annotator. A frame outside the trimmed part is skipped.
  ///
  /// - Returns: `false` if a receiver has ended.
  /// - Throws: `VStreamError.library` if the frame cannot be given square pixels.
  mutating func dispatch(_ frame: consuming VideoFrame, rotation: Int) throws(VStreamError) -> Bool {
    if hasAllFrames { return true }
    if let part {
      position = part.position(of: frame.time)
      guard position == .inside else { return true }
    }
    guard trim.contains(frame.time.seconds) else {
      noteSkipped(isAfterEnd: trim.isAfter(frame.time.seconds))
      return true
    }
    updateSchedule(at: frame.time)
    if let before = shots?.shot, let shot = try shots?.next(frame) {
      if shot != before { schedule.restart() }
      frame.shot = shot
    }
    let isDetected = !queues.isEmpty && schedule.next()
    var detected = isDetected ? try withSquarePixels(frame) : frame
    detected.shot = frame.shot
    last = (frame.size, frame.format, detected.size, rotation)
    let results = isDetected ? queues.map { _ in PendingDetection(clock: state.clock) } : []
    let job = job(frame, results, detected.size, rotation)
    if watchesScene { unreadResults += results }
    // Before the annotator gets it, which waits for its results.
    for (queue, result) in zip(queues, results) {
      guard queue.offer(DetectionTask(frame: detected, result: result)) else { return false }
    }
    return send(.frame(job), weight: Weight.frame)
  }

  /// Sends a frame like the last one that was not decoded.
  ///
  /// - Parameter isUnchanged: whether nothing moved, so that objects are where they were. Otherwise detectors had no time for it.
  /// - Returns: `false` if a receiver has ended.
  /// - Throws: `VStreamError.library` if memory runs out.
  mutating func dispatchUndecoded(at time: Time, isUnchanged: Bool) throws(VStreamError) -> Bool {
    guard let last else { return true }
    var frame = try VideoFrame(withoutPixels: last.size, format: last.format, time: time)
    frame.shot = shots?.shot ?? 0
    let late = isUnchanged || queues.isEmpty ? [] : [PendingDetection(clock: state.clock)]
    late.first?.settle(.superseded)
    var job = job(frame, late, last.detectedSize, last.rotation)
    job.isUnchanged = isUnchanged
    state.count { $0.framesUndecoded += 1 }
    return send(.frame(job), weight: Weight.frame)
  }

  private mutating func job(
    _ frame: VideoFrame, _ results: [PendingDetection], _ detectedSize: PixelSize, _ rotation: Int
  ) -> FrameJob {
    var job = FrameJob(
      frame, index: frameCount, rotation: rotation,
      arrival: arrivals.take(at: frame.time.seconds) ?? arrivals.latest ?? state.clock.now,
      detection: PendingFrame(time: frame.time, offered: state.clock.now, results: results))
    if detectedSize != frame.size { job.detectedSize = detectedSize }
    frameCount += 1
    state.count { $0.framesIn += 1 }
    return job
  }

  /// The detectors' report of the scene since the last call.
  mutating func takeScene() -> KeyFrameDecoding.Scene {
    if queues.isEmpty { return .still }
    var scene = KeyFrameDecoding.Scene.unknown
    while let outcome = unreadResults.first?.outcome {
      unreadResults.removeFirst()
      guard case .found(let found) = outcome else { continue }
      if !found.isStill { scene = .moving } else if scene == .unknown { scene = .still }
    }
    return scene
  }

  /// The largest elongation of pixels for detecting faces.
  private static let searchedElongation = 2.05

  /// The frame as it is displayed: detectors find little in stretched frames.
  private mutating func withSquarePixels(_ frame: VideoFrame) throws(VStreamError) -> VideoFrame {
    guard let size = frame.squarePixelSize else { return frame }
    // Most viewers of photos show the pixels as square: subjects visible only there would be missed.
    if isRedacted, frame.pixelElongation > Self.searchedElongation {
      throw VStreamError(
        .unreadableInput,
        "its pixels are more than twice as long as wide: what is found as it is displayed may not be all that is visible "
          + "where a viewer ignores that",
        remedy: "write it with square pixels first, for example by 'ffmpeg -i INPUT -vf setsar=1 OUTPUT'")
    }
    let converter: FrameConverter
    if let squarer, squarer.size == size, squarer.format == frame.format {
      converter = squarer
    } else {
      converter = FrameConverter(size: size, format: frame.format)
      squarer = converter
    }
    return try converter.convert(frame)
  }

  /// Notes that a frame outside the trimmed part was skipped.
  mutating func noteSkipped(isAfterEnd: Bool) {
    if isAfterEnd { report.hasFramesAfterPart = true } else { report.hasFramesBeforePart = true }
  }

  /// Sends a packet that is copied.
  ///
  /// - Returns: `false` if the annotator has ended.
  func send(_ packet: Packet) -> Bool { send(.copy(packet), weight: Weight.packet) }

  private func send(_ item: StreamItem, weight: Int) -> Bool {
    guard dropsFrames, !waitsForAnnotator else { return output.send(item, weight: weight) }
    guard let dropped = output.push(item, weight: weight, evicting: \.evictionPolicy) else { return false }
    for case .frame(let job) in dropped {
      state.count { $0.framesDropped += 1 }
      for (queue, result) in zip(queues, job.detection.results) { queue.withdraw(result) }
    }
    return true
  }

  /// Starts the schedule afresh where a cell of a file begins, and adapts that of a live input to the load, about once a second.
  private mutating func updateSchedule(at time: Time) {
    let now = grid?.cell(of: time)
    if now != cell {
      schedule.restart()
      // The frames before those of a part are not decoded.
      shots?.restart()
    }
    cell = now
    guard schedule.isDue(at: state.clock.now) else { return }
    let (counts, passes, shortest) = state.contents.update { contents in
      (contents.counts, contents.detectionTimes, contents.detectionTimes.takeShortest())
    }
    let change = schedule.update(
      DetectionSchedule.Totals(
        seconds: state.clock.now, busySeconds: Machine.busySeconds(processors: processors),
        frames: counts.framesIn, passes: passes.count, passSeconds: passes.seconds, shortestPass: shortest,
        late: counts.framesLateForDetector, dropped: counts.framesDropped))
    if let change { state.notify(Message(change)) }
  }

  /// Ends the stream for the annotator and the detectors.
  func finish() {
    output.finish()
    for queue in queues { queue.finish() }
  }
}
