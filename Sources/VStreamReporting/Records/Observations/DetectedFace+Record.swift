internal import VStreamScene
internal import VStreamSystem

extension DetectedFace: RecordedObservation {
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
