internal import VStreamScene
internal import VStreamSystem

extension DetectedFace: RecordedObservation {
  struct Members: Decodable {
    var id: Int?
    var score: Double
    var box: [Double]
    var angles: HeadAngles?
    var landmarks: [String: [Double]]?
    var contours: [String: [[Double]]]?
    var smiling: Double?
    var leftEyeOpen: Double?
    var rightEyeOpen: Double?
  }

  init(_ members: Members) throws(DamagedRecord) {
    self.init(id: members.id, score: try Double(recorded: members.score, "score"), box: try Box(recorded: members.box))
    if let angles = members.angles {
      for (axis, angle) in [("x", angles.x), ("y", angles.y), ("z", angles.z)] {
        _ = try Double(recorded: angle, "angles.\(axis)")
      }
    }
    angles = members.angles
    landmarks = try FaceLandmark.Kind.allCases.made(from: members.landmarks) { kind, values throws(DamagedRecord) in
      FaceLandmark(kind, at: try Point(recorded: values, "landmarks.\(kind.rawValue)"))
    }
    contours = try FaceContour.Kind.allCases.made(from: members.contours) { kind, points throws(DamagedRecord) in
      var contour = FaceContour(kind, points: [])
      for (index, values) in points.enumerated() {
        contour.points.append(try Point(recorded: values, "contours.\(kind.rawValue)[\(index)]"))
      }
      return contour
    }
    smiling = try Double.optional(recorded: members.smiling, "smiling")
    leftEyeOpen = try Double.optional(recorded: members.leftEyeOpen, "leftEyeOpen")
    rightEyeOpen = try Double.optional(recorded: members.rightEyeOpen, "rightEyeOpen")
  }

  func addMembers(_ precision: JSONRecord.Precision, to json: inout TextBuffer) {
    precision.addScore("score", score, to: &json)
    precision.add("box", box, to: &json)
    if let angles = angles {
      json.addObject("angles") { all in
        precision.addScore("x", angles.x, to: &all)
        precision.addScore("y", angles.y, to: &all)
        precision.addScore("z", angles.z, to: &all)
      }
    }
    if let landmarks = landmarks {
      json.addObject("landmarks") { all in
        for landmark in landmarks {
          all.addKey(landmark.kind.rawValue)
          precision.add(landmark.position, to: &all)
        }
      }
    }
    if let contours = contours {
      json.addObject("contours") { all in
        for contour in contours {
          all.addList(contour.kind.rawValue) { points in
            for point in contour.points { precision.add(point, to: &points) }
          }
        }
      }
    }
    if let probability = smiling { precision.addScore("smiling", probability, to: &json) }
    if let probability = leftEyeOpen { precision.addScore("leftEyeOpen", probability, to: &json) }
    if let probability = rightEyeOpen { precision.addScore("rightEyeOpen", probability, to: &json) }
  }
}

extension Array where Element: RawRepresentable<String> {
  /// Maps the dictionary's values in the order of these cases; `nil` if there is no dictionary.
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
