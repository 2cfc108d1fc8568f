public import VStreamScene

/// What a run requires of a detector.
public struct DetectorRequirements: Hashable, Sendable {
  /// How its frames are related.
  public let mode: DetectionMode
  /// Seconds of stream time within which a new object has to be detected: half of the look-back window where it is
  /// redacted, `nil` where there is no limit.
  public let maximumDetectionDelay: Double?
  /// Whether frames are given to it one at a time, as late ones are dropped.
  public let isLive: Bool

  public init(mode: DetectionMode, maximumDetectionDelay: Double? = nil, isLive: Bool = false) {
    self.mode = mode
    self.maximumDetectionDelay = maximumDetectionDelay
    self.isLive = isLive
  }
}
