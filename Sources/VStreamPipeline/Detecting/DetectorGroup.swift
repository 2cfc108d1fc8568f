internal import VStreamScene

/// Detectors that take their frames from one queue, and the number of threads that run them.
///
/// On each frame a thread runs all of the group's detectors, one after the other. The threads of a pool are shared with the
/// groups of other runs.
struct DetectorGroup: Sendable {
  let queue: DetectionQueue
  let threadCount: Int
  let detectors: [(factory: DetectorFactory, requirements: DetectorRequirements)]
  /// Whether drawing and encoding take precedence over detection.
  let isLowPriority: Bool

  /// The groups of a run. Where late frames are dropped, one group with one thread, or with those of a pool, runs all
  /// detectors; otherwise there is
  /// a group for each kind, so that no kind waits for another. A detector that tracks has one thread, as it has to be given
  /// the frames in their order.
  static func groups(
    for configuration: PipelineConfiguration, _ flow: Flow, _ requirements: DetectorRequirements
  ) -> [DetectorGroup] {
    let detectors = configuration.detectors.map { ($0, requirements) }
    guard !detectors.isEmpty else { return [] }
    if flow.hold != nil {
      let pooled = configuration.detectorPool.map { DetectionQueue($0.pool.join($0.share)) }
      return [
        DetectorGroup(
          queue: pooled ?? DetectionQueue(newestFrameBy: configuration.clock),
          threadCount: configuration.liveDetectors.count, detectors: detectors, isLowPriority: true)
      ]
    }
    return detectors.map { factory, requirements in
      DetectorGroup(
        queue: DetectionQueue(everyFrameUpTo: configuration.threads),
        threadCount: factory.needsFrameOrder(requirements) ? 1 : configuration.threads,
        detectors: [(factory, requirements)], isLowPriority: false)
    }
  }

  /// Loads the models and starts the threads; returns when the models are loaded.
  ///
  /// - Parameter inferenceThreads: threads that inference may use in all.
  func start(on group: ThreadGroup, inferenceThreads: Int, state: RunState) {
    guard isLowPriority else { return start(inferenceThreads, state) { group.start(.ordinary, $0) } }
    // OpenVINO starts its threads when a model is loaded; they inherit the low priority of the thread that loads it.
    let isLoaded = Monitor(false)
    group.start(.low) {
      start(inferenceThreads, state) { group.start(.low, $0) }
      isLoaded.update { $0 = true }
    }
    _ = isLoaded.wait { $0 ? true : nil }
  }

  private func start(
    _ inferenceThreads: Int, _ state: RunState, run: (@escaping @Sendable () -> Void) -> Void
  ) {
    do {
      if let member = queue.member {
        member.begin(try detectors.map { try $0.factory.load($0.requirements, threadCount, threadCount) }, state: state)
        return
      }
      let makers = try detectors.map { try $0.factory.load($0.requirements, threadCount, inferenceThreads) }
      for _ in 0..<threadCount {
        run { [queue] in DetectorThread(state: state, queue: queue).run(makers) }
      }
    } catch {
      state.fail(error)
      // The annotator waits for frames that were read meanwhile: their results are settled as failed.
      let failure = VStreamError(any: error)
      run { [queue] in
        while let task = queue.next() { task.result.settle(.failed(failure)) }
      }
    }
  }
}
