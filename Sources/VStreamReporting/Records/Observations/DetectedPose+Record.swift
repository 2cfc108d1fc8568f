internal import VStreamScene
internal import VStreamSystem

extension DetectedPose: RecordedObservation {
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
