public import VStreamScene

/// What pose detection reports, and how it searches. The options and their names are ML Kit's, except the number of people.
public struct PoseDetectorOptions: Hashable, Sendable {
  public enum PerformanceMode: String, CaseIterable, Hashable, Sendable {
    /// The detector runs only for people who are not tracked yet, and the landmark network once for each person.
    case base
    /// The detector runs on every frame, and the landmark network twice for each person: also on the mirrored crop.
    case accurate
  }

  public var performanceMode = PerformanceMode.base
  public var detectorMode = DetectionMode.stream
  /// The most people that are reported, those with the highest scores first.
  public var maxPoses = 1
  /// Seconds of stream time between searches for new people; 0 to search every frame.
  public var searchInterval = 0.2
  /// Whether points are smoothed over time.
  public var isSmoothed = true
  /// The lowest score of a person, 0…1.
  public var minimumScore = 0.5

  public init() {}
}
