internal import VStreamScene

/// Makes observations of the lists in a line of records.
struct ObservationDecoder {
  /// The part of a line that cannot be read.
  struct Damage: Error {
    let part: String
  }

  /// The names of classes by their indices; unknown ones are appended.
  private(set) var labels: [String]

  init(labels: [String]) { self.labels = labels }

  mutating func observations(_ lists: RecordLine.Lists) throws(Damage) -> Observations {
    Observations(
      objects: try lists.objects?.map { object throws(Damage) in try self.object(object) },
      faces: try lists.faces?.map { face throws(Damage) in try Self.face(face) },
      poses: try lists.poses?.map { pose throws(Damage) in try Self.pose(pose) })
  }

  private mutating func object(_ recorded: RecordLine.Object) throws(Damage) -> DetectedObject {
    var object = DetectedObject(
      id: recorded.id, classIndex: index(of: recorded.label), label: recorded.label, score: recorded.score,
      box: try Self.box(recorded.box))
    // A category that a later version adds is unknown to this one.
    object.category = recorded.category.map { name in
      CategoryLabel(ObjectCategory(rawValue: name) ?? .unknown, score: recorded.categoryScore ?? 0)
    }
    return object
  }

  private mutating func index(of label: String) -> Int {
    if let known = labels.firstIndex(of: label) { return known }
    labels.append(label)
    return labels.count - 1
  }

  private static func face(_ recorded: RecordLine.Face) throws(Damage) -> DetectedFace {
    var face = DetectedFace(id: recorded.id, score: recorded.score, box: try box(recorded.box))
    face.angles = recorded.angles
    face.landmarks = try FaceLandmark.Kind.allCases.made(from: recorded.landmarks) {
      kind, values throws(Damage) in
      FaceLandmark(kind, at: try point(values))
    }
    face.contours = try FaceContour.Kind.allCases.made(from: recorded.contours) {
      kind, points throws(Damage) in
      FaceContour(kind, points: try points.map { values throws(Damage) in try point(values) })
    }
    face.smiling = recorded.smiling
    face.leftEyeOpen = recorded.leftEyeOpen
    face.rightEyeOpen = recorded.rightEyeOpen
    return face
  }

  private static func pose(_ recorded: RecordLine.Pose) throws(Damage) -> DetectedPose {
    // Landmarks that a later version adds are skipped.
    let landmarks = recorded.landmarks.compactMap { landmark in
      PoseLandmark.Kind(rawValue: landmark.type).map { kind in
        PoseLandmark(
          kind, at: Point(x: landmark.x, y: landmark.y), z: landmark.z, inFrameLikelihood: landmark.inFrameLikelihood)
      }
    }
    return DetectedPose(id: recorded.id, score: recorded.score, box: try box(recorded.box), landmarks: landmarks)
  }

  private static func box(_ values: [Double]) throws(Damage) -> Box {
    guard values.count == 4 else { throw Damage(part: "a box of four numbers") }
    return Box(x: values[0], y: values[1], width: values[2], height: values[3])
  }

  private static func point(_ values: [Double]) throws(Damage) -> Point {
    guard values.count == 2 else { throw Damage(part: "a point of two numbers") }
    return Point(x: values[0], y: values[1])
  }
}

extension Array where Element: RawRepresentable<String> {
  /// What `make` makes of the table's values under these names, in their order; `nil` if there is no table.
  fileprivate func made<Value, Result, Failure>(
    from table: [String: Value]?, _ make: (Element, Value) throws(Failure) -> Result
  ) throws(Failure) -> [Result]? {
    guard let table else { return nil }
    var results: [Result] = []
    for name in self {
      if let value = table[name.rawValue] { results.append(try make(name, value)) }
    }
    return results
  }
}
