public import VStreamCore
public import VStreamTracking

/// The settings of pose detection. The options and their names are ML Kit's, except the number of people.
public struct PoseDetectorOptions: Hashable, Sendable {
  /// How thoroughly people are searched for.
  public enum PerformanceMode: String, CaseIterable, Hashable, Sendable {
    /// The detector runs only for people who are not tracked yet, and the landmark network once for each person.
    case base
    /// The detector runs on every frame, and the landmark network twice for each person: also on the mirrored crop.
    case accurate
  }

  /// How thoroughly people are searched for.
  public var performanceMode = PerformanceMode.base
  /// Whether images are frames of one stream, whose people are tracked and have IDs, or are independent.
  public var detectorMode = DetectionMode.stream
  /// The most people that are reported, those with the highest scores first.
  public var maxPoses = 1
  /// Seconds of stream time between searches for new people; 0 to search every frame.
  public var searchInterval: Duration {
    get { .seconds(searchSeconds) }
    set { searchSeconds = newValue.inSeconds }
  }
  package var searchSeconds = 0.2
  /// Whether points are smoothed over time.
  public var isSmoothed = true
  /// The lowest score of a person, 0…1.
  public var minimumScore = 0.5
  /// When people get IDs, and for how long they keep them; stream mode only. `minimumScore` replaces its own.
  public var tracking = TrackerOptions()
  /// OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  public var device = "CPU"

  /// - Parameter detectorMode: whether images are frames of one stream, or are independent.
  public init(detectorMode: DetectionMode = .stream) { self.detectorMode = detectorMode }

  /// - Throws: `VStreamError.usage` for a number that has no meaning.
  package func check() throws(VStreamError) {
    try NumberLimit.count(of: "people").check(maxPoses, of: .maxPoses)
    try NumberLimit.seconds.check(searchSeconds, of: .searchInterval)
    try trackerOptions.check()
  }

  /// The options of the tracker, with the lowest score of a person.
  package var trackerOptions: TrackerOptions {
    var options = tracking
    options.minimumScore = minimumScore
    return options
  }
}
