/// On which frames detectors are run.
public enum DetectionInterval: Hashable, Sendable {
  /// On one frame of this number of frames, starting with the first.
  case every(Int)
  /// As often as the processors have time for; live inputs only.
  case auto
}
