internal import VStreamScene
internal import VStreamSystem

/// An observation that is recorded as JSON, and read back.
protocol RecordedObservation: Observation {
  /// The members of its JSON object that are read back.
  associatedtype Members: Decodable

  /// - Throws: `DamagedRecord` if the members have invalid values.
  init(_ members: Members) throws(DamagedRecord)

  /// Adds the members, except the ID.
  func addMembers(_ precision: JSONRecord.Precision, to json: inout TextBuffer)

  /// The points for formats that have keypoints of people; empty for kinds without.
  var keypoints: [PoseLandmark] { get }
}

extension RecordedObservation {
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

/// What is invalid in a line of records.
struct DamagedRecord: Error {
  let part: String
}

extension Box {
  /// - Parameter recorded: left, top, width and height.
  init(recorded values: [Double]) throws(DamagedRecord) {
    guard values.count == 4 else { throw DamagedRecord(part: "a box does not have four numbers") }
    self.init(x: values[0], y: values[1], width: values[2], height: values[3])
  }
}

extension Point {
  /// - Parameter recorded: x and y.
  init(recorded values: [Double]) throws(DamagedRecord) {
    guard values.count == 2 else { throw DamagedRecord(part: "a point does not have two numbers") }
    self.init(x: values[0], y: values[1])
  }
}
