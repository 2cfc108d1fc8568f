internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia

/// Detectors that take their frames from one queue: one, or all of a live run, which are run on each frame one after the other.
struct DetectorGroup: Sendable {
  let queue: DetectionQueue
  let threadCount: Int
  let detectors: [DetectorSpec]

  /// The groups of a run. Where late frames are dropped, one group of all detectors, run by the threads of a pool: a shared one, or
  /// one thread of the run. Otherwise a group for each kind, so that no kind waits for another; a detector that needs the frames in
  /// their order has one thread.
  ///
  /// - Parameter threads: of the run.
  static func groups(
    for configuration: PipelineConfiguration, _ flow: Flow, _ requirements: DetectorRequirements,
    on threads: ThreadGroup
  ) -> [DetectorGroup] {
    let detectors = configuration.detectors
    guard !detectors.isEmpty else { return [] }
    guard flow.hold == nil else {
      let queue: DetectionQueue
      if let (pool, share) = configuration.detectorPool {
        queue = .newest(pool.join(share), ownPool: nil)
      } else {
        let pool = DetectorPool(threads: 1, clock: configuration.clock, on: threads)
        queue = .newest(pool.join(PoolShare(passesPerSecond: 1)), ownPool: pool)
      }
      return [DetectorGroup(queue: queue, threadCount: configuration.liveDetectors.count, detectors: detectors)]
    }
    return detectors.map { spec in
      DetectorGroup(
        queue: .every(Channel(capacity: configuration.threads)),
        threadCount: spec.needsFrameOrder(requirements) ? 1 : configuration.threads, detectors: [spec])
    }
  }

  /// Loads the models and starts the threads: of a run that drops late frames before it returns, otherwise side by side with
  /// other groups.
  func start(
    _ requirements: DetectorRequirements, of configuration: PipelineConfiguration, on group: ThreadGroup,
    state: RunState
  ) {
    let load = { @Sendable (threads: Int) throws in
      try detectors.map { try $0.load(requirements, threadCount, threads, from: configuration.models) }
    }
    switch queue {
    case .newest(let member, _):
      // OpenVINO starts its threads when a model is loaded; they inherit the low priority of the thread that loads it.
      let isLoaded = Monitor(false)
      group.start(.low) {
        do {
          member.begin(try load(configuration.liveDetectors.threads), state: state)
        } catch {
          state.fail(error)
        }
        isLoaded.update { $0 = true }
      }
      _ = isLoaded.wait { $0 ? true : nil }
    case .every(let channel):
      group.start {
        do {
          for make in try load(configuration.threads) {
            for _ in 0..<threadCount { group.start { DetectorThread(state: state, queue: channel).run(make) } }
          }
        } catch {
          state.fail(error)
          // The annotator waits for frames that were read meanwhile: their results are settled as failed.
          let failure = VStreamError(any: error)
          while let task = channel.receive() { task.result.settle(.failed(failure)) }
        }
      }
    }
  }
}

/// The body of a thread that detects every frame of its queue.
struct DetectorThread {
  let state: RunState
  let queue: Channel<DetectionTask>

  func run(_ make: DetectorSpec.Maker) {
    let timer = StageTimer()
    var detector: (any FrameDetecting)?
    while let task = queue.receive() {
      do {
        detector = try detector ?? make()
      } catch {
        task.result.settle(.failed(VStreamError(any: error)))
        continue
      }
      if var overlapping = detector as? any OverlappingDetecting, overlapping.framesInFlight > 1 {
        run(&overlapping, from: task, timer)
        break
      }
      settle(task) { try detector?.detect(in: task.frame, timer: timer) ?? Detections() }
    }
    state.add(timer)
  }

  /// Keeps several frames in flight: starts the next one, if it is already queued, before the previous ones are finished.
  private func run(_ detector: inout any OverlappingDetecting, from first: DetectionTask, _ timer: StageTimer) {
    var inFlight: [DetectionTask] = []
    var next: DetectionTask? = first
    while let task = next {
      do {
        try detector.start(task.frame, timer: timer)
        inFlight.append(task)
      } catch {
        task.result.settle(.failed(VStreamError(any: error)))
      }
      next = inFlight.count < detector.framesInFlight ? queue.receiveIfAvailable() : nil
      while next == nil, !inFlight.isEmpty {
        settle(inFlight.removeFirst()) { try detector.finish(timer: timer) }
        next = queue.receiveIfAvailable()
      }
      // Only here, with no frame in flight, may the thread wait: otherwise a result would wait for a later frame.
      if next == nil { next = queue.receive() }
    }
  }

  private func settle(_ task: DetectionTask, _ detect: () throws -> Detections) {
    let start = state.clock.now
    task.settle(detect)
    let seconds = state.clock.now - start
    state.contents.update { $0.detectionTimes.add(seconds) }
  }
}
