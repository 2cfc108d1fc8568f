/// An object in a frame.
///
/// As a detector gives it, `id` is `nil`; as a tracker reports it, `id` is set under the ID contract: positive, unique
/// per input stream, never reused, never given before confirmation.
public struct DetectedObject: Hashable, Sendable, Codable {
  public var id: Int?
  /// Index in the detector's list of classes, from 0.
  public var classIndex: Int
  /// The class's name, for example `person`.
  public var label: String
  /// The score of this frame's detection, 0…1; on a predicted frame that of the last one.
  public var score: Double
  /// Pixels of the upright frame.
  public var box: Box
  /// What kind of thing it is, coarsely; `nil` where that was not asked for.
  public var category: CategoryLabel?

  public init(id: Int? = nil, classIndex: Int, label: String, score: Double, box: Box) {
    self.id = id
    self.classIndex = classIndex
    self.label = label
    self.score = score
    self.box = box
  }
}

/// Where a frame's annotations come from.
public enum AnnotationSource: String, Hashable, Sendable, Codable {
  /// From a detector that looked at this very frame.
  case detected
  /// From the tracker's prediction; no detector looked at this frame, or it answered too late.
  case predicted
}

/// What was found in one frame, kind by kind; `nil` where a kind was not asked for.
public struct Observations: Hashable, Sendable, Codable {
  public var objects: [DetectedObject]?
  public var faces: [DetectedFace]?
  public var poses: [DetectedPose]?

  public init(objects: [DetectedObject]? = nil, faces: [DetectedFace]? = nil, poses: [DetectedPose]? = nil) {
    self.objects = objects
    self.faces = faces
    self.poses = poses
  }

  /// Takes over the kinds that another look at the same frame found.
  public mutating func merge(_ other: Observations) {
    if let found = other.objects { objects = found }
    if let found = other.faces { faces = found }
    if let found = other.poses { poses = found }
  }
}

/// What was found in a frame that is not at hand any more.
public struct TimedObservations: Hashable, Sendable, Codable {
  public var time: Time
  public var found: Observations

  public init(time: Time, found: Observations) {
    self.time = time
    self.found = found
  }
}

/// What is known of one frame: where it stands in its stream and what was found in it.
public struct FrameAnnotations: Hashable, Sendable, Codable {
  /// Number of the decoded frame in this run, from 0; dropped frames count.
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
