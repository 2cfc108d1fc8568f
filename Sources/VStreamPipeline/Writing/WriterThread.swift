internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

/// The body of the writer thread: writes all items to the sink, and counts the frames.
struct WriterThread {
  private let configuration: PipelineConfiguration
  private let state: RunState
  private let input: Channel<StreamItem>
  private let timer: StageTimer
  private let monitor: SinkMonitor
  /// Whether the input has an end, without which the output is not complete.
  private let hasKnownEnd: Bool
  private var sink: any FrameSink
  private var report = WriterReport()

  init(
    configuration: PipelineConfiguration, container: ContainerInfo, stream: StreamInfo, copied: [StreamInfo],
    state: RunState, isLive: Bool, input: Channel<StreamItem>
  ) {
    self.configuration = configuration
    self.state = state
    self.input = input
    timer = StageTimer()
    hasKnownEnd = container.hasKnownEnd
    let destination = configuration.output?.destination
    let isWatched = destination?.isLive == true || destination?.isPipe == true
    monitor = SinkMonitor(state: state, timer: timer, isLive: isLive, isWatched: isWatched)
    guard let output = configuration.output else {
      sink = NullSink(monitor: monitor, observer: configuration.observer)
      state.contents.update { $0.isOutputOpen = true }
      return
    }
    let context = SinkContext(
      output: output, container: container, video: stream, copied: copied,
      trim: configuration.trim(of: container, copied: copied), isTrimmed: (configuration.start ?? 0) > 0,
      monitor: monitor)
    if let packets = configuration.run.joinedPackets {
      sink = JoinedVideoSink(context, packets: packets, isRedacted: configuration.redaction != nil)
    } else if output.hasOverlayTrack {
      sink = OverlayTrackSink(context, overlay: configuration.overlay)
    } else {
      sink = Self.encodingSink(context, configuration, state)
    }
  }

  private static func encodingSink(
    _ context: SinkContext, _ configuration: PipelineConfiguration, _ state: RunState
  ) -> any FrameSink {
    let all = EncodingSink(context, packets: configuration.packetFile)
    guard context.output.copiesUnchangedGroups else { return all }
    do throws(ChangedGroupsSink.Obstacle) {
      return try ChangedGroupsSink(context, configuration)
    } catch {
      state.warn("everything is encoded (\(.encode, "changed")): \(error.reason)")
      return all
    }
  }

  /// Writes all items, and closes the output even after a failure.
  mutating func run() -> WriterReport {
    do {
      while let item = input.receive() { try write(item) }
      let isComplete = !hasKnownEnd || state.contents.read { !$0.wasStopped && $0.error == nil }
      try sink.finish(isComplete: isComplete)
      if !isComplete { noteIncompleteFile() }
    } catch {
      state.fail(error)
      // An output that is invalid leaves no file; one that failed part way is playable up to there.
      if (error as? VStreamError)?.code == .usage { sink.discard() } else { sink.abandon() }
      noteIncompleteFile()
    }
    input.cancel()
    state.add(timer)
    return report
  }

  private mutating func write(_ item: StreamItem) throws {
    do {
      switch item {
      case .copy(let packet): try sink.write(packet)
      case .frame(let job):
        report.framesCopied += job.frame.copyCount
        try sink.write(job)
        count(job)
      case .dropped: break
      }
    } catch let error as VStreamError where error.code == .closedByReader && configuration.writesOtherFiles {
      sink = NullSink(monitor: monitor)
      report.wasClosedByReader = true
      state.contents.update { $0.isOutputOpen = true }
      if case .frame(let job) = item { count(job) }
    }
  }

  private mutating func noteIncompleteFile() {
    let part = configuration.output?.destination.partPath.flatMap { FileStatus(of: $0) == nil ? nil : $0 }
    report.incompletePath = state.contents.read(\.counts.framesOut) > 0 ? part : nil
  }

  private mutating func count(_ job: FrameJob) {
    if report.firstFrameAt == nil { report.firstFrameAt = state.clock.now }
    let framesOut = state.contents.update { contents in
      contents.counts.framesOut += 1
      switch job.record.annotations.source {
      case .detected: contents.counts.framesDetected += 1
      case .predicted: contents.counts.framesPredicted += 1
      }
      if job.isLate { contents.counts.framesLateForDetector += 1 }
      return contents.counts.framesOut
    }
    guard framesOut == configuration.warmUpFrames else { return }
    report.warm = (
      state.clock.now, Machine.processorSeconds(), configuration.allocationCount?() ?? 0, report.framesCopied
    )
  }
}
