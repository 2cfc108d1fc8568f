internal import VStreamScene
internal import VStreamTracking

/// The types that belong to each kind. With `Observation`, this is all that the annotation step has to know of a kind.
extension DetectionKind {
  var observationType: any Observation.Type {
    switch self {
    case .objects: DetectedObject.self
    case .faces: DetectedFace.self
    case .poses: DetectedPose.self
    }
  }

  func tracker(_ options: TrackerOptions) -> any ObservationTracking {
    switch self {
    case .objects: Tracker(options)
    case .faces: FaceTracker(options)
    case .poses: PoseTracker(options)
    }
  }
}
