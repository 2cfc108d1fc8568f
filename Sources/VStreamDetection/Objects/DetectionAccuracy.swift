/// How much of the processor the detection of objects in a stream may use.
public enum DetectionAccuracy: String, Hashable, Sendable, CaseIterable {
  case fast
  case balanced
  case accurate

  /// Runs of the network for a frame, on average.
  public var passes: Double {
    switch self {
    case .fast: 0.33
    case .balanced: 1.25
    case .accurate: 2.7
    }
  }
}
