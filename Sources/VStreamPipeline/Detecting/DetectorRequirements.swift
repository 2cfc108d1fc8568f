public import VStreamScene

/// What a run requires of a detector.
public struct DetectorRequirements: Hashable, Sendable {
  /// How its frames are related.
  public let mode: DetectionMode
  /// Whether it is to search the whole of each frame: it is given only some of them, or a detection that comes later is too late.
  public var searchesWholeFrames: Bool
  /// Whether frames are given to it one at a time, as late ones are dropped.
  public let isLive: Bool
  /// Whether the checksums of its models are compared with those that are known, as where something is redacted.
  public let checksModels: Bool
  /// Where detectors that keep a state start afresh; `nil` for a stream that is one whole.
  public let grid: TimeGrid?

  public init(
    mode: DetectionMode, searchesWholeFrames: Bool = false, isLive: Bool = false, checksModels: Bool = false,
    grid: TimeGrid? = nil
  ) {
    self.mode = mode
    self.searchesWholeFrames = searchesWholeFrames
    self.isLive = isLive
    self.checksModels = checksModels
    self.grid = grid
  }
}
