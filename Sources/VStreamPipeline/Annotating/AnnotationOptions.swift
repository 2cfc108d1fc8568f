public import VStreamScene
public import VStreamTracking

/// How detections become annotations.
public struct AnnotationOptions: Sendable {
  /// How the detections of one kind become annotations.
  public struct KindOptions: Sendable {
    /// Of streams.
    public var tracker: TrackerOptions
    /// The lowest score that is reported of single images.
    public var minimumScore: Double

    public init(tracker: TrackerOptions, minimumScore: Double) {
      self.tracker = tracker
      self.minimumScore = minimumScore
    }
  }

  public var mode: DetectionMode
  /// Of each kind that is detected.
  public var kinds: [DetectionKind: KindOptions]
  /// The number of objects that are reported in a frame, the most prominent ones; `nil` for all.
  public var maximumObjects: Int?
  /// The zones and lines in which objects are counted; streams only.
  public var counted = CountedRegions()

  public init(mode: DetectionMode, kinds: [DetectionKind: KindOptions], maximumObjects: Int? = nil) {
    self.mode = mode
    self.kinds = kinds
    self.maximumObjects = maximumObjects
  }
}

extension TrackerOptions {
  /// For kinds whose detectors report confident detections only: the score that starts a track is set for
  /// objects, and need not be exceeded.
  var forConfidentDetections: TrackerOptions {
    var options = self
    options.minimumScore = min(options.minimumScore, Self.confidentScore)
    return options
  }

  private static let confidentScore = 0.5
}
