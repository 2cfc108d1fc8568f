package import VStreamCore
package import VStreamReporting

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
