public import VStreamScene

/// What a run requires of a detector.
public struct DetectorRequirements: Hashable, Sendable {
  /// How its frames are related.
  public let mode: DetectionMode
  /// Whether it is given only some of the frames, and is to search the whole of each.
  public var isPaced: Bool
  /// Whether frames are given to it one at a time, as late ones are dropped.
  public let isLive: Bool
  /// Whether the checksums of its models are compared with those that are known, as where something is redacted.
  public let checksModels: Bool
  /// Where detectors that keep a state start afresh; `nil` for a stream that is one whole.
  public let grid: TimeGrid?

  public init(
    mode: DetectionMode, isPaced: Bool = false, isLive: Bool = false, checksModels: Bool = false,
    grid: TimeGrid? = nil
  ) {
    self.mode = mode
    self.isPaced = isPaced
    self.isLive = isLive
    self.checksModels = checksModels
    self.grid = grid
  }
}
