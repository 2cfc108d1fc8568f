package import VStreamCore
internal import VStreamMedia
package import VStreamReporting
internal import VStreamSystem

/// The result of a run that ended without an error.
package struct PipelineResult: Sendable {
  package var statistics = Statistics()
  /// Number of confirmed tracks by label; for single images, of detections.
  package var tracksByLabel: [String: Int] = [:]
  /// The counts of zones and lines; `nil` if none were configured.
  package var counted: RegionCounts?
  /// The number of frames with redaction; `nil` without it.
  package var framesRedacted: Int?
  /// The streams, and others of the input's parts, that are in the output unredacted, in words.
  package var unredacted: [String] = []
  /// Text and timed metadata of the input that are in the output, where something is redacted, in words.
  package var keptText: [String] = []
  /// Omissions of a redacted output: images and text of the input, in words.
  package var omitted: [String] = []
  /// The covered regions of each written frame, if `RedactionOptions.recordsCoveredEllipses`.
  package var coveredEllipses: [[Ellipse]] = []
  /// The groups of pictures that were copied or encoded; `nil` if all frames were encoded.
  package var groups: WrittenGroups?
  package var mode = DetectionMode.stream
  /// Problems that did not end the run, one line each.
  package var warnings: [Message] = []
  package var isLive = false
  /// Whether late frames of an input that is never dropped from were released without their detections, so that waiting
  /// for them would have been possible.
  package var canWait = false
  /// Whether the run was stopped before its input ended.
  package var wasStopped = false
  /// The file that a stopped run wrote, which plays but is not complete; `nil` if the output is complete, or no file.
  package var incompletePath: String?
  /// Whether the reader of standard output closed it before the end.
  package var wasClosedByReader = false
}

extension Message {
  /// The notice of a live input that was opened between two key frames.
  package static let waitingForKeyFrame: Message = "waiting for a key frame"
}

/// The progress of a run.
package struct PipelineProgress: Sendable {
  package var counts = RunCounts()
  /// Expected number of frames; `nil` if it is unknown.
  package var framesExpected: Int?
  /// Seconds since the run began.
  package var elapsedSeconds = 0.0
  package var isLive = false
  /// From a packet's arrival until it was written, since the previous call; live only.
  package var latency = DurationHistogram()
  /// Number of current tracks.
  package var tracks = 0
  /// Warnings and notices since the previous call, one line each.
  package var messages: [Message] = []
  /// Whether the run was stopped and waits for a sink that does not accept data; a pipe may make it wait without limit.
  package var isSinkStuck = false
}

/// The result of a run.
extension Pipeline {
  /// - Throws: the first error of any thread; `VStreamError` if no frame was decoded.
  func result(since start: Double) throws -> PipelineResult {
    let contents = state.contents.read { $0 }
    let wasAbandoned = contents.wasStopped && state.sinkInterrupt.wasTriggered
    if let error = contents.error, error.code != .closedByReader, !wasAbandoned {
      throw Self.error(error, leaving: contents.writer?.incompletePath)
    }
    if contents.counts.framesIn == 0, !contents.wasStopped { throw emptyPartError(contents) ?? noFramesError }
    var result = PipelineResult()
    result.statistics = statistics(contents, since: start)
    result.isLive = contents.start.flow.isLive
    result.canWait = contents.start.flow.hold != nil && !contents.start.flow.dropsAtEntrance
    result.tracksByLabel = contents.annotator.tracksByLabel
    result.counted = contents.annotator.counted
    // Of rendered parts, the frames are not decoded.
    let isRedacted =
      configuration.redaction != nil && configuration.output != nil && configuration.run.joinedPackets == nil
    result.framesRedacted = isRedacted ? contents.annotator.framesRedacted : nil
    let unredacted = contents.start.unredacted.filter { $0.stream.map(contents.omittedStreams.contains) != true }
    result.unredacted = unredacted.filter { !$0.isText }.map(\.name)
    result.keptText = unredacted.filter(\.isText).map(\.name)
    result.omitted = contents.start.omitted + contents.annotator.omitted
    result.coveredEllipses = contents.annotator.coveredEllipses
    result.groups = contents.groups
    result.mode = contents.start.mode
    result.warnings = contents.warnings
    result.wasStopped = contents.wasStopped
    result.incompletePath = contents.writer?.incompletePath
    result.wasClosedByReader = contents.writer?.wasClosedByReader == true || contents.error?.code == .closedByReader
    return result
  }

  /// An error that names the playable file that the run left.
  private static func error(_ error: VStreamError, leaving path: String?) -> VStreamError {
    guard let path, !error.advice.description.contains(path) else { return error }
    var complete = error
    complete.advice = (error.advice.isEmpty ? "" : "\(error.advice); ") + "what was written plays: '\(path)'"
    return complete
  }

  /// The error of an input whose frames are all outside the part that is processed; `nil` if it has none.
  private func emptyPartError(_ contents: RunState.Contents) -> VStreamError? {
    let input = configuration.input
    if contents.reader.hasFramesAfterPart {
      let start = configuration.start ?? 0
      let end = start + (configuration.duration ?? .infinity)
      return VStreamError(
        .usage,
        "\(input.displayName) has no frame from \(start.formatted(.decimals(3))) s to \(end.formatted(.decimals(3))) s "
          + "(\(.start), \(.duration))",
        setting: .duration, subject: input.location, remedy: "choose another part")
    }
    guard contents.reader.hasFramesBeforePart, let start = configuration.start else { return nil }
    return VStreamError(
      .usage, "\(input.displayName) ends before \(start) s (\(.start))", setting: .start, value: "\(start)",
      subject: input.location, remedy: "start earlier")
  }

  private var noFramesError: VStreamError {
    let input = configuration.input
    if ImageMetadata.isAnimatedWebP(input.location) {
      return VStreamError(
        .unreadableInput, "\(input.displayName) is an animated WebP, which this FFmpeg cannot decode",
        subject: input.location, remedy: "convert it to GIF or to a video with another program")
    }
    let remedy: Message =
      input.kind == .pipe
      ? "an MP4 file with its index at the end cannot be read from a pipe: give the file itself, or redirect it with '<'"
      : "\(.verbose) shows FFmpeg's messages"
    return VStreamError(
      .unreadableInput, "no frame of \(input.displayName) could be decoded", subject: input.location,
      remedy: "check that it is complete; \(remedy)")
  }

  /// The statistics up to now, also of a run that failed; `nil` if its input could not be opened.
  package var statistics: Statistics? {
    state.contents.read { contents in contents.start.moment.map { statistics(contents, since: $0) } }
  }

  private func statistics(_ contents: RunState.Contents, since start: Double) -> Statistics {
    let (began, writer) = (contents.start, contents.writer ?? WriterReport())
    var statistics = Statistics()
    statistics.counts = contents.settledCounts
    statistics.wallSeconds = state.clock.now - start
    statistics.stages = contents.stages
    statistics.firstFrameSeconds = writer.firstFrameAt.map {
      $0 - (configuration.isFirstOfProcess ? Machine.processStart : start)
    }
    statistics.peakMemoryBytes = Machine.peakMemoryBytes()
    let processor = Machine.processorSeconds()
    statistics.processorSeconds = processor - began.processorSeconds
    statistics.queues = contents.queues
    let warm = writer.warm ?? (start, began.processorSeconds, began.allocations, 0)
    statistics.steady.frames = contents.counts.framesOut - (writer.warm == nil ? 0 : configuration.warmUpFrames)
    statistics.steady.seconds = state.clock.now - warm.seconds
    statistics.steady.processorSeconds = processor - warm.processor
    statistics.steady.allocations = configuration.allocationCount.map { $0() - warm.allocations }
    statistics.steady.copies = writer.framesCopied - warm.copies
    if began.flow.isLive {
      statistics.latency = contents.latency
      statistics.detectionAge = contents.annotator.detectionAge
    }
    return statistics
  }
}
