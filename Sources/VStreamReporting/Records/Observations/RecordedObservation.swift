internal import VStreamScene
internal import VStreamSystem

/// An observation that is recorded as JSON. It is read back by its `Decodable` conformance.
protocol RecordedObservation: Observation {
  /// Adds the members, except the ID.
  func addMembers(_ precision: JSONRecord.Precision, to json: inout TextBuffer)

  /// The coarse category, for kinds that have one.
  var recordedCategory: CategoryLabel? { get }

  /// The points for formats that have keypoints of people; empty for kinds without.
  var keypoints: [PoseLandmark] { get }
}

extension RecordedObservation {
  var recordedCategory: CategoryLabel? { nil }
  var keypoints: [PoseLandmark] { [] }
}

extension DetectionKind {
  /// The type of its observations, which are recorded.
  var recordedType: any RecordedObservation.Type {
    switch self {
    case .objects: DetectedObject.self
    case .faces: DetectedFace.self
    case .poses: DetectedPose.self
    }
  }
}
