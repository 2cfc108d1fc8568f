internal import VStreamScene
internal import VStreamSystem

extension DetectedPose: RecordedObservation {
  struct Members: Decodable {
    struct Landmark: Decodable {
      var type: String
      var x: Double
      var y: Double
      var z: Double
      var inFrameLikelihood: Double
    }

    var id: Int?
    var score: Double
    var box: [Double]
    var landmarks: [Landmark]
  }

  init(_ members: Members) throws(DamagedRecord) {
    // Landmarks that a later version adds are skipped.
    var landmarks: [PoseLandmark] = []
    for (index, landmark) in members.landmarks.enumerated() {
      guard let kind = PoseLandmark.Kind(rawValue: landmark.type) else { continue }
      let made = try DamagedRecord.inside("landmarks[\(index)]") { () throws(DamagedRecord) in
        try PoseLandmark(kind, landmark)
      }
      landmarks.append(made)
    }
    self.init(
      id: members.id, score: try Double(recorded: members.score, "score"), box: try Box(recorded: members.box),
      landmarks: landmarks)
  }

  func addMembers(_ precision: JSONRecord.Precision, to json: inout TextBuffer) {
    precision.addScore("score", score, to: &json)
    precision.add("box", box, to: &json)
    json.addList("landmarks") { all in
      for landmark in landmarks {
        all.addObject { json in
          json.add("type", landmark.kind.rawValue)
          precision.addPixels("x", landmark.position.x, to: &json)
          precision.addPixels("y", landmark.position.y, to: &json)
          precision.addPixels("z", landmark.z, to: &json)
          precision.addScore("inFrameLikelihood", landmark.inFrameLikelihood, to: &json)
        }
      }
    }
  }

  var keypoints: [PoseLandmark] { landmarks }
}

extension PoseLandmark {
  fileprivate init(_ kind: Kind, _ members: DetectedPose.Members.Landmark) throws(DamagedRecord) {
    self.init(
      kind, at: Point(x: try Double(recorded: members.x, "x"), y: try Double(recorded: members.y, "y")),
      z: try Double(recorded: members.z, "z"),
      inFrameLikelihood: try Double(recorded: members.inFrameLikelihood, "inFrameLikelihood"))
  }
}
