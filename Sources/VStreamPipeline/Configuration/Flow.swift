internal import VStreamScene

/// How the frames of a run flow; derived from its configuration and its input.
struct Flow: Hashable, Sendable {
  /// Whether frames arrive in real time and are to be released soon after.
  let isLive: Bool
  /// Whether the reader waits until each packet of a file is due.
  let readsAtFrameRate: Bool
  /// Seconds that a frame may be held for its detections; `nil` for no limit.
  let hold: Double?
  /// Whether frames are dropped at the entrance when later stages are too slow for them.
  let dropsAtEntrance: Bool
  /// Whether the input is one still image.
  var isStillImage = false

  /// Where detectors start afresh; `nil` for a live input, which is one whole.
  var grid: TimeGrid? { isLive ? nil : .files }

  /// Whether the input itself sets the pace, not the reader.
  var isPacedByInput: Bool { isLive && !readsAtFrameRate }
}

/// The policy for frames for which a detector is too slow.
public enum LateFramePolicy: String, Hashable, Sendable, CaseIterable {
  /// They are released in time, with predicted tracks.
  case drop
  /// They wait for their detections.
  case wait
}
