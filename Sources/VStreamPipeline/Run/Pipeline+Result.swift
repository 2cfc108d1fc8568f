internal import VStreamMedia
public import VStreamReporting
internal import VStreamScene

/// The result of a run.
extension Pipeline {
  /// - Throws: the first error of any thread; `VStreamError` if no frame was decoded.
  func result(since start: Double) throws -> PipelineResult {
    let contents = state.contents.read { $0 }
    let wasAbandoned = contents.wasStopped && state.sinkInterrupt.wasTriggered
    if let error = contents.error, error.code != .closedByReader, !wasAbandoned { throw error }
    if contents.counts.framesIn == 0, !contents.wasStopped { throw noFramesError }
    var result = PipelineResult()
    result.statistics = statistics(contents, since: start)
    result.isLive = contents.flow.isLive
    result.canWait = contents.flow.hold != nil && !contents.flow.dropsAtEntrance
    result.tracksByLabel = contents.tracksByLabel
    result.counted = contents.counted
    let isRedacted = configuration.redaction != nil && configuration.output != nil
    result.framesRedacted = isRedacted ? contents.framesRedacted : nil
    result.coveredEllipses = contents.coveredEllipses
    result.mode = contents.mode
    result.warnings = contents.warnings
    result.wasStopped = contents.wasStopped
    result.incompletePath = contents.incompletePath
    result.wasClosedByReader = contents.wasClosedByReader || contents.error?.code == .closedByReader
    return result
  }

  private var noFramesError: VStreamError {
    let input = configuration.input
    if let start = configuration.start {
      return VStreamError(
        .usage, "'\(input.location)' ends before \(start) s (\(.start))", setting: .start, value: "\(start)",
        subject: input.location, remedy: "start earlier")
    }
    if ImageMetadata.isAnimatedWebP(input.location) {
      return VStreamError(
        .unreadableInput, "'\(input.location)' is an animated WebP, which this FFmpeg cannot decode",
        subject: input.location, remedy: "convert it to GIF or to a video with another program")
    }
    let remedy: Message =
      input.kind == .pipe
      ? "an MP4 file with its index at the end cannot be read from a pipe: give the file itself, or redirect it with '<'"
      : "\(.verbose) shows FFmpeg's messages"
    return VStreamError(
      .unreadableInput, "no frame of '\(input.location)' could be decoded", subject: input.location,
      remedy: "check that it is complete; \(remedy)")
  }

  /// The statistics up to now, also of a run that failed; `nil` if its input could not be opened.
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
