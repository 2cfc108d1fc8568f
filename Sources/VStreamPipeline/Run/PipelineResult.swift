public import VStreamReporting
public import VStreamScene

/// The result of a run that ended without an error.
public struct PipelineResult: Sendable {
  public var statistics = Statistics()
  /// Number of confirmed tracks by label; for single images, of detections.
  public var tracksByLabel: [String: Int] = [:]
  /// The counts of zones and lines; `nil` if none were configured.
  public var counted: RegionCounts?
  /// The number of frames with redaction; `nil` without it.
  public var framesRedacted: Int?
  /// The streams, and others of the input's parts, that are in the output unredacted, in words.
  public var unredacted: [String] = []
  /// Text and timed metadata of the input that are in the output, where something is redacted, in words.
  public var keptText: [String] = []
  /// Omissions of a redacted output: images and text of the input, in words.
  public var omitted: [String] = []
  /// The covered regions of each written frame, if `RedactionOptions.recordsCoveredEllipses`.
  public var coveredEllipses: [[Ellipse]] = []
  public var mode = DetectionMode.stream
  /// Problems that did not end the run, one line each.
  public var warnings: [Message] = []
  public var isLive = false
  /// Whether late frames of an input that is never dropped from were released without their detections, so that waiting
  /// for them would have been possible.
  public var canWait = false
  /// Whether the run was stopped before its input ended.
  public var wasStopped = false
  /// The file that a stopped run wrote, which plays but is not complete; `nil` if the output is complete, or no file.
  public var incompletePath: String?
  /// Whether the reader of standard output closed it before the end.
  public var wasClosedByReader = false
}

extension Message {
  /// The notice of a live input that was opened between two key frames.
  public static let waitingForKeyFrame: Message = "waiting for a key frame"
}

/// The progress of a run.
public struct PipelineProgress: Sendable {
  public var counts = RunCounts()
  /// Expected number of frames; `nil` if it is unknown.
  public var framesExpected: Int?
  /// Seconds since the run began.
  public var elapsedSeconds = 0.0
  public var isLive = false
  /// From a packet's arrival until it was written, since the previous call; live only.
  package var latency = DurationHistogram()
  /// Number of current tracks.
  public var tracks = 0
  /// Warnings and notices since the previous call, one line each.
  public var messages: [Message] = []
  /// Whether the run was stopped and waits for a sink that does not accept data; a pipe may make it wait without limit.
  public var isSinkStuck = false
}
