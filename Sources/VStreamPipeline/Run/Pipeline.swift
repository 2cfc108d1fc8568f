internal import Dispatch
internal import VStreamCore
package import VStreamMedia
package import VStreamReporting

/// A run from input to output. Runs once; `stop` may be called from any thread.
package final class Pipeline: Sendable {
  let configuration: PipelineConfiguration
  let state: RunState

  package init(_ configuration: PipelineConfiguration) {
    self.configuration = configuration
    state = RunState(clock: configuration.clock)
  }

  /// Ends the run early: frames that were read are processed, and the output is closed.
  package func stop() { state.stop() }

  /// Runs to the end of the input, or until stopped. Blocks the calling thread.
  ///
  /// - Parameters:
  ///   - onProgress: called on the calling thread about five times a second.
  ///   - onFrame: called with each frame's annotations, and the frame before anything is drawn on it, in the frames' order, on a
  ///     thread of the run, which waits for it.
  /// - Throws: `VStreamError.usage` if it has run before; the first error of any stage; the output so far is closed and playable.
  package func run(
    onProgress: (PipelineProgress) -> Void = { _ in },
    onFrame: (@Sendable (FrameRecord, VideoFrame) -> Void)? = nil
  ) throws -> PipelineResult {
    try state.begin()
    let start = state.clock.now
    let threads = ThreadGroup()
    if configuration.isLiveByKind { preloadDetectors(on: threads) }
    guard let queues = try open(at: start, onFrame, threads) else { return try result(since: start) }
    while !threads.wait(until: .now() + .milliseconds(200)) {
      onProgress(progress(since: start))
      // Interrupts a network sink; a blocked write to a pipe cannot be interrupted, and `progress` reports it.
      if state.isSinkStuck { state.sinkInterrupt.trigger() }
    }
    state.contents.update { $0.queues = queues() }
    onProgress(progress(since: start))
    return try result(since: start)
  }

  /// Opens the input and starts the threads, which alone hold the demuxer and the decoder from then on.
  ///
  /// - Returns: the mean lengths of the channels, when the threads have ended; `nil` if the run was stopped before it began.
  private func open(
    at start: Double, _ onFrame: (@Sendable (FrameRecord, VideoFrame) -> Void)?, _ threads: ThreadGroup
  ) throws -> (() -> [(name: String, mean: Double)])? {
    let media: MediaReader
    do {
      media = try MediaReader(configuration.input, interrupt: state.interrupt)
    } catch {
      _ = threads.wait(until: .distantFuture)
      // Opening the input fails if the run is stopped meanwhile, which is not an error.
      guard state.contents.read({ $0.wasStopped }) else { throw error }
      return nil
    }
    let plan = try StreamPlan(configuration, media: media)
    let decoder = try VideoDecoder(
      plan.video, threads: configuration.threads, isLowDelay: plan.flow.hold != nil,
      effort: configuration.decodingEffort(plan.video))
    begin(plan, at: start)
    return startThreads(plan, media, decoder, onFrame, threads)
  }

  /// Loads the models while a live input is opened, so that its first frames need not wait for them.
  private func preloadDetectors(on threads: ThreadGroup) {
    let requirements = DetectorRequirements(mode: configuration.mode ?? .stream, isLive: true)
    threads.start(.low) { [configuration] in
      for spec in configuration.detectors {
        // An error comes again when the detectors are started.
        let (count, threads) = configuration.liveDetectors
        _ = try? spec.load(requirements, count, threads, from: configuration.models)
      }
    }
  }

  private func begin(_ plan: StreamPlan, at start: Double) {
    state.contents.update { contents in
      contents.start = RunStart(
        moment: start, processorSeconds: Machine.processorSeconds(), allocations: configuration.allocationCount?() ?? 0,
        framesExpected: plan.expectedFrames, mode: plan.mode, flow: plan.flow, unredacted: plan.unredacted,
        omitted: plan.omitted)
    }
    if let choice = plan.choice { state.notify(choice) }
    for warning in plan.warnings { state.warn(warning) }
  }

  /// - Returns: the mean lengths of the channels, when the threads have ended.
  private func startThreads(
    _ plan: StreamPlan, _ media: sending MediaReader, _ decoder: sending VideoDecoder,
    _ onFrame: (@Sendable (FrameRecord, VideoFrame) -> Void)?, _ threads: ThreadGroup
  ) -> () -> [(name: String, mean: Double)] {
    let requirements = configuration.requirements(mode: plan.mode, flow: plan.flow)
    let detectors =
      configuration.run.joinedRecords != nil
      ? [] : DetectorGroup.groups(for: configuration, plan.flow, requirements, on: threads)
    func startDetectors() {
      for group in detectors { group.start(requirements, of: configuration, on: threads, state: state) }
    }
    let decoded = Channel<StreamItem>(capacity: plan.framesHeld * Weight.frame)
    let annotated = Channel<StreamItem>(capacity: (plan.flow.hold != nil ? 1 : 4) * Weight.frame)
    // Models are loaded before live frames arrive, and while a file's first frames are decoded.
    let waitsForModels = plan.flow.isLive || plan.flow.hold != nil
    if waitsForModels { startDetectors() }
    startReader(plan, media, decoder, to: decoded, queues: detectors.map(\.queue), threads)
    startAnnotator(plan, onFrame, from: decoded, to: annotated, threads)
    threads.start { [configuration, state] in
      var writer = WriterThread(
        configuration: configuration, container: plan.container, stream: plan.video, copied: plan.copied,
        state: state, isLive: plan.flow.isLive, input: annotated)
      let report = writer.run()
      state.contents.update { $0.writer = report }
    }
    if !waitsForModels { startDetectors() }
    return { [("toDraw", decoded.meanLength), ("toWrite", annotated.meanLength)] }
  }

  private func startReader(
    _ plan: StreamPlan, _ media: sending MediaReader, _ decoder: sending VideoDecoder, to output: Channel<StreamItem>,
    queues: [DetectionQueue], _ threads: ThreadGroup
  ) {
    if let paths = configuration.run.joinedRecords {
      media.close()
      threads.start { [configuration, state] in
        var joined = JoinedRecords(paths, configuration: configuration, state: state, output: output)
        joined.run()
      }
      return
    }
    let reader = Transfer(
      ReaderThread(
        media: media, decoder: decoder, configuration: configuration, flow: plan.flow,
        copied: Set(plan.copied.map(\.index)), state: state, output: output, queues: queues))
    threads.start { [state] in
      guard var reader = reader.take() else { return }
      let report = reader.run()
      state.contents.update { $0.reader = report }
    }
  }

  private func startAnnotator(
    _ plan: StreamPlan, _ onFrame: (@Sendable (FrameRecord, VideoFrame) -> Void)?, from input: Channel<StreamItem>,
    to output: Channel<StreamItem>, _ threads: ThreadGroup
  ) {
    var configuration = configuration
    if let onFrame { configuration.onFrame = onFrame }
    threads.start { [configuration, state] in
      do {
        var annotator = try AnnotatorThread(
          configuration: configuration, plan: plan, state: state, threads: threads, input: input, output: output)
        let report = annotator.run()
        state.contents.update { $0.annotator = report }
      } catch {
        state.fail(error)
        input.cancel()
        output.finish()
      }
    }
  }

  /// The progress up to now, with the messages since the previous call.
  private func progress(since start: Double) -> PipelineProgress {
    let elapsed = state.clock.now - start
    let isSinkStuck = state.isSinkStuck
    return state.contents.update { contents in
      defer {
        contents.messages = []
        contents.recentLatency = DurationHistogram()
      }
      return PipelineProgress(
        counts: contents.counts, framesExpected: contents.start.framesExpected, elapsedSeconds: elapsed,
        isLive: contents.start.flow.isLive, latency: contents.recentLatency, tracks: contents.tracks,
        messages: contents.messages, isSinkStuck: isSinkStuck)
    }
  }
}
