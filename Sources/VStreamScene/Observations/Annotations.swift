/// Where a frame's annotations come from.
public enum AnnotationSource: String, Hashable, Sendable, Codable {
  /// Inference on this frame.
  case detected
  /// The tracker's prediction: inference was not run on this frame, or did not finish in time.
  case predicted
}

/// The observations of one frame by kind; a list is `nil` if its kind was not detected.
public struct Observations: Hashable, Sendable, Codable {
  public var objects: [DetectedObject]?
  public var faces: [DetectedFace]?
  public var poses: [DetectedPose]?

  public init(objects: [DetectedObject]? = nil, faces: [DetectedFace]? = nil, poses: [DetectedPose]? = nil) {
    self.objects = objects
    self.faces = faces
    self.poses = poses
  }

  /// Replaces the lists of the kinds that another detection pass on the same frame provides.
  public mutating func merge(_ other: Observations) {
    if let found = other.objects { objects = found }
    if let found = other.faces { faces = found }
    if let found = other.poses { poses = found }
  }
}

/// The observations of a frame that has already left the pipeline.
public struct TimedObservations: Hashable, Sendable, Codable {
  public var time: Time
  public var found: Observations

  public init(time: Time, found: Observations) {
    self.time = time
    self.found = found
  }
}

/// One frame's index, time and observations.
public struct FrameAnnotations: Hashable, Sendable, Codable {
  /// Index of the decoded frame in this run, from 0; dropped frames count.
  public var frame: Int
  public var time: Time
  public var source: AnnotationSource
  public var found: Observations

  public init(frame: Int, time: Time, source: AnnotationSource, found: Observations = Observations()) {
    self.frame = frame
    self.time = time
    self.source = source
    self.found = found
  }
}
