public import VStreamReporting
public import VStreamScene

extension Message {
  /// A notice of a live input between two key frames, of which nothing can be decoded yet.
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
