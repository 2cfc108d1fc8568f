/// Where a frame's annotations come from.
public enum AnnotationSource: String, Hashable, Sendable, Codable {
  /// Inference on this frame.
  case detected
  /// The tracker's prediction: inference was not run on this frame, or did not finish in time.
  case predicted
}

/// The observations of a frame that has already left the pipeline.
public struct TimedObservations: Hashable, Sendable {
  /// Of the frame.
  public var time: Time
  /// What was detected in it.
  public var found: Observations

  public init(time: Time, found: Observations) {
    self.time = time
    self.found = found
  }
}

/// One frame's index, time and observations.
public struct FrameAnnotations: Hashable, Sendable {
  /// Index of the decoded frame in this run, from 0; dropped frames count.
  public var frame: Int
  /// The frame's time on the input's timeline.
  public var time: Time
  /// Whether detectors ran on this frame.
  public var source: AnnotationSource
  /// What was found, by kind.
  public var found: Observations
  /// The number of the frame's shot, from 0: cuts lie between shots. No ID goes on in another shot. A shot may go on after
  /// another one, as after a flash.
  public var shot: Int {
    get { found.shot }
    set { found.shot = newValue }
  }

  public init(frame: Int, time: Time, source: AnnotationSource, found: Observations = Observations()) {
    self.frame = frame
    self.time = time
    self.source = source
    self.found = found
  }
}
