/// On which frames detectors are run.
public enum DetectionInterval: Hashable, Sendable {
  /// On one frame of this number of frames, starting with the first.
  case every(Int)
  /// As often as the processors have time for; live inputs only.
  case auto
}

/// The policy for frames for which a detector is too slow.
public enum LatePolicy: String, Hashable, Sendable, CaseIterable {
  /// They are released in time, with predicted tracks.
  case drop
  /// They wait for their detections.
  case wait
}
