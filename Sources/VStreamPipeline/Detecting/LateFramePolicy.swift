/// The policy for frames for which a detector is too slow.
public enum LateFramePolicy: String, Hashable, Sendable, CaseIterable {
  /// They are released in time, with predicted tracks.
  case drop
  /// They wait for their detections.
  case wait
}
