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

/// What is invalid in a line of records.
struct DamagedRecord: Error {
  /// The path of the member, for example `objects[2].box`.
  private(set) var field: String
  /// Continues the sentence that starts with the field.
  let problem: String

  init(_ field: String, _ problem: String) {
    self.field = field
    self.problem = problem
  }

  var part: String { "\(field) \(problem)" }

  /// - Parameter outer: the member that holds the field.
  func inside(_ outer: String) -> DamagedRecord {
    var damage = self
    damage.field = field.hasPrefix("[") ? outer + field : "\(outer).\(field)"
    return damage
  }

  /// Runs `body`, whose errors are about a part of a member.
  static func inside<Result>(
    _ outer: String, _ body: () throws(DamagedRecord) -> Result
  ) throws(DamagedRecord) -> Result {
    do {
      return try body()
    } catch {
      throw error.inside(outer)
    }
  }
}

extension Double {
  /// The largest number of an observation: far beyond the pixels of any frame, and small enough to be written again.
  private static let maximumRecorded = 1e9

  /// - Parameters:
  ///   - recorded: pixels, a score or an angle.
  ///   - field: the member's name.
  init(recorded value: Double, _ field: String) throws(DamagedRecord) {
    guard value.magnitude <= Self.maximumRecorded else { throw DamagedRecord(field, "is out of range: \(value)") }
    self = value
  }

  /// - Parameter recorded: the value of a member that may be missing.
  static func optional(recorded value: Double?, _ field: String) throws(DamagedRecord) -> Double? {
    guard let value else { return nil }
    return try Double(recorded: value, field)
  }
}

extension Box {
  /// - Parameters:
  ///   - recorded: left, top, width and height.
  ///   - field: the member's name.
  init(recorded values: [Double], _ field: String = "box") throws(DamagedRecord) {
    guard values.count == 4 else { throw DamagedRecord(field, "does not have four numbers") }
    for value in values { _ = try Double(recorded: value, field) }
    self.init(x: values[0], y: values[1], width: values[2], height: values[3])
  }
}

extension Point {
  /// - Parameters:
  ///   - recorded: x and y.
  ///   - field: the member's name.
  init(recorded values: [Double], _ field: String) throws(DamagedRecord) {
    guard values.count == 2 else { throw DamagedRecord(field, "does not have two numbers") }
    self.init(x: try Double(recorded: values[0], field), y: try Double(recorded: values[1], field))
  }
}
