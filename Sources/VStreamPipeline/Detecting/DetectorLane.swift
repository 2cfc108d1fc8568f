internal import VStreamScene

/// Detectors that take their frames from one feed: for each frame, those of all its sources look one after the other.
struct DetectorGroup: Sendable {
  let feed: DetectionQueue
  /// How many look side by side, each at a frame of its own.
  let workers: Int
  let sources: [(source: DetectorFactory, use: DetectorRequirements)]

  /// The lanes of a run: with late frames dropped one that does all, frame after frame; else one for each kind, so that
  /// none waits for another. Where frames are to be seen in their order, a lane has one detector.
  static func lanes(
    for configuration: PipelineConfiguration, _ flow: Flow, use: (DetectionKind) -> DetectorRequirements
  ) -> [DetectorGroup] {
    let sources = configuration.detectors.map { ($0, use($0.kind)) }
    guard !sources.isEmpty else { return [] }
    if flow.hold != nil {
      return [
        DetectorGroup(
          feed: DetectionQueue(newestFrameUntil: configuration.clock), workers: 1, sources: sources,
          isLowPriority: true)
      ]
    }
    return sources.map { source, use in
      DetectorGroup(
        feed: DetectionQueue(everyFrameUpTo: configuration.threads),
        workers: source.follows(use) ? 1 : configuration.threads, sources: [(source, use)], isLowPriority: false)
    }
  }

  /// Whether what is drawn and coded goes before what is looked for.
  let isLowPriority: Bool

  /// Loads the models and starts the detectors; comes back when they are loaded.
  func start(on workers: ThreadGroup, threads: Int, state: RunState) {
    guard isLowPriority else { return start(threads: threads, state: state) { workers.start("detector", $0) } }
    // Models start threads of their own when they are loaded, and these are to give way as well.
    let isLoaded = Monitor(false)
    workers.startLowPriority {
      start(threads: threads, state: state) { workers.startLowPriority($0) }
      isLoaded.update { $0 = true }
    }
    _ = isLoaded.wait { $0 ? true : nil }
  }

  private func start(
    threads: Int, state: RunState, _ run: (@escaping @Sendable () -> Void) -> Void
  ) {
    do {
      let makers = try sources.map { try $0.source.load($0.use, workers, threads) }
      for _ in 0..<workers {
        run { [feed] in DetectorThread(state: state, feed: feed).run(makers) }
      }
    } catch {
      state.fail(error)
      // Frames that were read meanwhile are waited for; they learn that nobody will look at them.
      let known = VStreamError(any: error)
      run { [feed] in
        while let task = feed.next() { task.result.settle(.failed(known)) }
      }
    }
  }
}
