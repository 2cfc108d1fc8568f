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

extension Double {
  /// The largest number of an observation: far beyond the pixels of any frame, and small enough to be written again.
  private static let maximumRecorded = 1e9

  /// - Parameter recorded: pixels, a score or an angle.
  init(recorded value: Double) throws(DamagedRecord) {
    guard value.magnitude <= Self.maximumRecorded else {
      throw DamagedRecord(part: "the number \(value) is out of range")
    }
    self = value
  }

  /// - Parameter recorded: the value of a member that may be missing.
  static func optional(recorded value: Double?) throws(DamagedRecord) -> Double? {
    guard let value else { return nil }
    return try Double(recorded: value)
  }
}

extension Box {
  /// - Parameter recorded: left, top, width and height.
  init(recorded values: [Double]) throws(DamagedRecord) {
    guard values.count == 4 else { throw DamagedRecord(part: "a box does not have four numbers") }
    self.init(
      x: try Double(recorded: values[0]), y: try Double(recorded: values[1]), width: try Double(recorded: values[2]),
      height: try Double(recorded: values[3]))
  }
}

extension Point {
  /// - Parameter recorded: x and y.
  init(recorded values: [Double]) throws(DamagedRecord) {
    guard values.count == 2 else { throw DamagedRecord(part: "a point does not have two numbers") }
    self.init(x: try Double(recorded: values[0]), y: try Double(recorded: values[1]))
  }
}
