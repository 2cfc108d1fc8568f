internal import VStreamScene

/// Detectors that take their frames from one feed: for each frame, those of all its sources look one after the other.
struct DetectorLane: Sendable {
  let feed: DetectorFeed
  /// How many look side by side, each at a frame of its own.
  let workers: Int
  let sources: [DetectorSource]

  /// The lanes of a run: with late frames dropped one that does all, frame after frame; else one for each kind, so that
  /// none waits for another.
  static func lanes(for configuration: PipelineConfiguration, _ flow: Flow) -> [DetectorLane] {
    let sources = configuration.detectors
    guard !sources.isEmpty else { return [] }
    if flow.hold != nil {
      return [DetectorLane(feed: DetectorFeed(newestFrameUntil: configuration.clock), workers: 1, sources: sources)]
    }
    return sources.map { source in
      DetectorLane(
        feed: DetectorFeed(everyFrameUpTo: configuration.threads), workers: configuration.threads, sources: [source])
    }
  }

  /// Loads the models on the calling thread and starts the detectors.
  func start(on workers: Workers, threads: Int, state: RunState) {
    do {
      let makers = try sources.map { try $0.load(self.workers, threads) }
      for _ in 0..<self.workers {
        workers.start("detector") { [feed] in DetectorWorker(state: state, feed: feed).run(makers) }
      }
    } catch {
      state.fail(error)
      // Frames that were read meanwhile are waited for; they learn that nobody will look at them.
      let known = VStreamError(any: error)
      workers.start("no detector") { [feed] in
        while let task = feed.next() { task.result.settle(.failed(known)) }
      }
    }
  }
}
