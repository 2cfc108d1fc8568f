internal import Dispatch
internal import VStreamMedia
public import VStreamReporting
public import VStreamScene

/// A run from input to output. Runs once; `stop` may be called from any thread.
public final class Pipeline: Sendable {
  private let configuration: PipelineConfiguration
  let state: RunState

  public init(_ configuration: PipelineConfiguration) {
    self.configuration = configuration
    state = RunState(clock: configuration.clock)
  }

  /// Has the run end early: what was read is drained, and the output closed.
  public func stop() { state.stop() }

  /// Runs to the end of the input, or until stopped.
  ///
  /// Blocks the calling thread.
  /// - Parameters:
  ///   - onProgress: called on the calling thread about five times a second.
  ///   - onFrame: told of each frame's annotations in their order, on a thread of the run's, which waits for it.
  /// - Throws: the first `VStreamError` of any stage; what was written before is closed and playable.
  public func run(
    onProgress: (PipelineProgress) -> Void = { _ in }, onFrame: (@Sendable (FrameAnnotations) -> Void)? = nil
  ) throws -> PipelineResult {
    let start = state.clock.now
    let media: MediaReader
    do {
      media = try MediaReader(configuration.input, interrupt: state.interrupt)
    } catch {
      // Who stops the opening of an input does not want to hear that it failed.
      guard state.contents.read({ $0.wasStopped }) else { throw error }
      return try result(since: start)
    }
    let (container, stream) = (withoutThumbnails(media.container), media.video)
    let flow = try configuration.flow(for: container)
    let decoder = try VideoDecoder(stream, threads: configuration.threads, isLowDelay: flow.hold != nil)
    let others = configuration.output == nil ? [] : media.streams.filter { $0.index != stream.index && isCopied($0) }
    let copied = others.filter { !mayShowRedacted($0) }
    let expected = flow.isLive && !flow.isPaced ? nil : expectedFrames(stream, container)
    let mode = configuration.mode(for: container)
    state.contents.update { contents in
      contents.startedAt = start
      contents.processorAtStart = Machine.processorSeconds()
      contents.allocationsAtStart = configuration.allocationCount?() ?? 0
      contents.framesExpected = expected
      contents.mode = mode
      contents.flow = flow
    }
    for hidden in others where mayShowRedacted(hidden) {
      state.warn("stream \(hidden.label) is left out, as it is not redacted (--keep-unredacted keeps it)")
    }

    let threads = ThreadGroup()
    let detectors = DetectorGroup.groups(for: configuration, flow) { kind in
      configuration.requirements(for: kind, of: stream, mode: mode, flow: flow)
    }
    let ordered = Channel<SourceItem>(capacity: framesHeld(of: stream, flow) * Weight.frame)
    let coded = Channel<SinkItem>(capacity: (flow.hold != nil ? 1 : 4) * Weight.frame)
    // Frames that come meanwhile wait where they are, and find the processor free.
    if flow.isLive { startDetectors(detectors, threads) }
    startReader(media, decoder, flow, copied: copied, detectors, to: ordered, threads)
    startAnnotator(stream, mode, flow, onFrame, from: ordered, to: coded, threads)
    startWriter(container, stream, flow, copied: copied, from: coded, threads)
    if !flow.isLive { startDetectors(detectors, threads) }
    while !threads.wait(until: .now() + .milliseconds(200)) {
      onProgress(progress(since: start))
      // Sinks in a network give in to this; what writes to a pipe cannot be ended, which `progress` tells.
      if state.isSinkStuck { state.sinkInterrupt.trigger() }
    }
    state.contents.update { $0.queues = [("toDraw", ordered.meanLength), ("toWrite", coded.meanLength)] }
    onProgress(progress(since: start))
    return try result(since: start)
  }

  private func startDetectors(_ groups: [DetectorGroup], _ threads: ThreadGroup) {
    for group in groups { group.start(on: threads, inferenceThreads: configuration.threads, state: state) }
  }

  /// How many frames may be held for their detections and wait to be drawn.
  private func framesHeld(of stream: StreamInfo, _ flow: Flow) -> Int {
    // Every detector has a frame at work and one waiting; a few more even out the stages.
    guard let hold = flow.hold else { return 2 * configuration.threads + 2 }
    let rate = min(max(stream.frameRate?.value ?? 30, 1), 1000)
    // Where nothing is dropped, frames that come in a burst wait where they come from; one is held by the annotator.
    let seconds = min(hold, Self.longestHold) + (flow.dropsAtEntrance ? Self.slack : 0)
    let frames = Int((seconds * rate).rounded(.up)) + (flow.dropsAtEntrance ? 1 : -1)
    let most = Self.maximumHeldPixels / max(1, stream.pixelCount)
    return max(1, min(frames, most))
  }

  /// No more frames are held than come in so many seconds, whatever is asked for.
  private static let longestHold = 10.0
  /// Seconds of a live stream that may wait for what is slow for a moment before frames are dropped.
  private static let slack = 0.2
  /// As many pixels may wait as make about 200 MB.
  private static let maximumHeldPixels = 130_000_000

  private func isCopied(_ stream: StreamInfo) -> Bool {
    if stream.isInternal || stream.kind == .unknown { return false }
    return stream.kind != .audio || configuration.output?.copiesAudio == true
  }

  private var isRedacted: Bool { configuration.redaction != nil && configuration.output != nil }

  /// Whether a stream may show what is redacted in the video.
  private func mayShowRedacted(_ stream: StreamInfo) -> Bool {
    configuration.redaction?.omitsImages == true && stream.mayContainImages
  }

  private func withoutThumbnails(_ container: ContainerInfo) -> ContainerInfo {
    guard configuration.redaction?.omitsImages == true else { return container }
    if configuration.output != nil, container.hasThumbnail {
      state.warn("the thumbnail in the photo's Exif is left out, as it is not redacted (--keep-unredacted keeps it)")
    }
    return container.withoutThumbnails
  }

  private func expectedFrames(_ stream: StreamInfo, _ container: ContainerInfo) -> Int? {
    let isWhole = configuration.start == nil && configuration.duration == nil
    if isWhole, stream.frameCount > 0 { return stream.frameCount }
    let seconds = stream.durationTicks.map { Double($0) * stream.timeBase.value } ?? container.durationSeconds
    guard let rate = stream.frameRate, let seconds = seconds ?? configuration.duration else { return nil }
    let taken = min(max(0, seconds - (configuration.start ?? 0)), configuration.duration ?? .infinity)
    let frames = (taken * rate.value).rounded()
    return frames.isFinite && frames < 1e12 ? Int(frames) : nil
  }

  private func startReader(
    _ media: sending MediaReader, _ decoder: sending VideoDecoder, _ flow: Flow, copied: [StreamInfo],
    _ detectors: [DetectorGroup], to ordered: Channel<SourceItem>, _ threads: ThreadGroup
  ) {
    let reader = Transfer(
      Reader(
        media: media, decoder: decoder, configuration: configuration, flow: flow, copied: Set(copied.map(\.index)),
        state: state, ordered: ordered, queues: detectors.map(\.queue)))
    threads.start("reader") {
      guard var reader = reader.take() else { return }
      reader.run()
    }
  }

  private func startAnnotator(
    _ stream: StreamInfo, _ mode: DetectionMode, _ flow: Flow, _ onFrame: (@Sendable (FrameAnnotations) -> Void)?,
    from ordered: Channel<SourceItem>,
    to coded: Channel<SinkItem>, _ threads: ThreadGroup
  ) {
    var configuration = configuration
    if let onFrame { configuration.onAnnotations = onFrame }
    threads.start("annotator") { [configuration, state] in
      do {
        var annotator = try Annotator(
          configuration: configuration, mode: mode, flow: flow, stream: stream, state: state, ordered: ordered,
          coded: coded)
        annotator.run()
      } catch {
        state.fail(error)
        ordered.cancel()
        coded.finish()
      }
    }
  }

  private func startWriter(
    _ container: ContainerInfo, _ stream: StreamInfo, _ flow: Flow, copied: [StreamInfo],
    from coded: Channel<SinkItem>, _ threads: ThreadGroup
  ) {
    threads.start("writer") { [configuration, state] in
      var writer = Writer(
        configuration: configuration, container: container, stream: stream, copied: copied, state: state,
        isLive: flow.isLive, coded: coded)
      writer.run()
    }
  }

  /// How far it is, and what has been said since the last call.
  private func progress(since start: Double) -> PipelineProgress {
    let elapsed = state.clock.now - start
    let isSinkStuck = state.isSinkStuck
    return state.contents.update { contents in
      defer {
        contents.messages = []
        contents.recentLatency = DurationHistogram()
      }
      return PipelineProgress(
        counts: contents.counts, framesExpected: contents.framesExpected, elapsedSeconds: elapsed,
        isLive: contents.flow.isLive, latency: contents.recentLatency, tracks: contents.tracks,
        messages: contents.messages, isSinkStuck: isSinkStuck)
    }
  }

  private func result(since start: Double) throws -> PipelineResult {
    let contents = state.contents.read { $0 }
    let wasGivenUp = contents.wasStopped && state.sinkInterrupt.wasTriggered
    if let error = contents.error, error.code != .closedByReader, !wasGivenUp { throw error }
    if contents.counts.framesIn == 0, !contents.wasStopped {
      if let start = configuration.start {
        throw VStreamError(
          .usage, "nothing of '\(configuration.input.location)' is left after \(start) s (--start)",
          remedy: "start earlier")
      }
      throw VStreamError(
        .unreadableInput, "not one frame of '\(configuration.input.location)' could be decoded",
        remedy: "see that it is whole; "
          + (configuration.input.kind == .pipe
            ? "an MP4 whose index is at its end cannot be read from a pipe: give the file itself, or by '<'"
            : "--verbose shows what FFmpeg says of it"))
    }
    var result = PipelineResult()
    result.statistics = statistics(contents, since: start)
    result.isLive = contents.flow.isLive
    result.canWait = contents.flow.hold != nil && !contents.flow.dropsAtEntrance
    result.tracksByLabel = contents.tracksByLabel
    result.counted = contents.counted
    result.framesRedacted = isRedacted ? contents.framesRedacted : nil
    result.covers = contents.covers
    result.mode = contents.mode
    result.warnings = contents.warnings
    result.wasStopped = contents.wasStopped
    result.wasClosedByReader = contents.error?.code == .closedByReader
    return result
  }

  /// What a run that failed had done by then; `nil` before there is anything.
  public var statistics: Statistics? {
    state.contents.read { contents in contents.startedAt.map { statistics(contents, since: $0) } }
  }

  private func statistics(_ contents: RunState.Contents, since start: Double) -> Statistics {
    var statistics = Statistics()
    statistics.counts = contents.settledCounts
    statistics.wallSeconds = state.clock.now - start
    statistics.stages = contents.stages
    statistics.firstFrameSeconds = contents.firstFrameAt.map {
      $0 - (configuration.isFirstOfProcess ? Machine.processStart : start)
    }
    statistics.peakMemoryBytes = Machine.peakMemoryBytes()
    let processor = Machine.processorSeconds()
    statistics.processorSeconds = processor - contents.processorAtStart
    statistics.queues = contents.queues
    let warm = contents.warmAt ?? (start, contents.processorAtStart, contents.allocationsAtStart, 0)
    statistics.steady.frames = contents.counts.framesOut - (contents.warmAt == nil ? 0 : configuration.warmUpFrames)
    statistics.steady.seconds = state.clock.now - warm.seconds
    statistics.steady.processorSeconds = processor - warm.processor
    statistics.steady.allocations = configuration.allocationCount.map { $0() - warm.allocations }
    statistics.steady.copies = contents.framesCopied - warm.copies
    if contents.flow.isLive {
      statistics.latency = contents.latency
      statistics.detectionAge = contents.detectionAge
    }
    return statistics
  }
}
