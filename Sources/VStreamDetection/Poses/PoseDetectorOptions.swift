public import VStreamScene

/// What a pose detector finds, and how. The options are ML Kit's, under its names, and the number of people.
public struct PoseDetectorOptions: Hashable, Sendable {
  public enum PerformanceMode: String, CaseIterable, Hashable, Sendable {
    /// The detector looks only for people who are not followed yet, and the landmark network once at each.
    case base
    /// The detector looks on every frame, and the landmark network twice at each person: at their mirror image as well.
    case accurate
  }

  public var performanceMode = PerformanceMode.base
  public var detectorMode = DetectionMode.stream
  /// So many people at most, the surest.
  public var maxPoses = 1
  /// Seconds of stream time from one look for new people to the next; 0 to look on every frame.
  public var searchInterval = 0.2
  /// Whether points are smoothed over time.
  public var isSmoothed = true
  /// The lowest score of a person, 0…1.
  public var minimumScore = 0.5

  public init() {}
}
