/// How a detector's frames belong together.
public enum RunningMode: CaseIterable, Hashable, Sendable {
  /// Frames of one stream, in their order: what was found is followed from frame to frame, and its points steadied.
  case stream
  /// Each frame stands for itself.
  case singleImage
}
