internal import VStreamScene
internal import VStreamSystem

/// The JSON of observations.
extension JSONRecord {
  /// The precision of the numbers of observations.
  enum Precision {
    /// At most two decimals for pixels, and four for scores and angles.
    case rounded
    /// All digits, so that a tracker that reads them back gives the same result.
    case exact

    func addScore(_ key: String, _ value: Double, to json: inout TextBuffer) {
      json.addKey(key)
      append(value, places: 4, to: &json)
    }

    func addPixels(_ key: String, _ value: Double, to json: inout TextBuffer) {
      json.addKey(key)
      append(value, places: 2, to: &json)
    }

    func add(_ key: String, _ box: Box, to json: inout TextBuffer) {
      json.addKey(key)
      json.addList { list in
        addElement(box.x, to: &list)
        addElement(box.y, to: &list)
        addElement(box.width, to: &list)
        addElement(box.height, to: &list)
      }
    }

    func add(_ point: Point, to list: inout TextBuffer) {
      list.addList { list in
        addElement(point.x, to: &list)
        addElement(point.y, to: &list)
      }
    }

    private func addElement(_ pixels: Double, to list: inout TextBuffer) {
      list.separate()
      append(pixels, places: 2, to: &list)
    }

    private func append(_ value: Double, places: Int, to text: inout TextBuffer) {
      if self == .exact { text.appendExactly(value) } else { text.append(value, places: places) }
    }
  }

  /// Adds a list for each kind that was detected.
  ///
  /// - Parameter isPredicted: whether each entry is marked as predicted.
  static func add(
    _ observations: Observations, _ precision: Precision, isPredicted: Bool = false, to json: inout TextBuffer
  ) {
    func add<Kind: Observation>(
      _ list: [Kind]?, _ addMembers: (Kind, Precision, inout TextBuffer) -> Void, to json: inout TextBuffer
    ) {
      guard let list else { return }
      json.addList(Kind.kind.rawValue) { all in
        for observation in list {
          all.addObject { json in
            if let id = observation.id { json.add("id", id) }
            addMembers(observation, precision, &json)
            if isPredicted { json.add("predicted", true) }
          }
        }
      }
    }
    add(observations.objects, addMembers(of:_:to:), to: &json)
    add(observations.faces, addMembers(of:_:to:), to: &json)
    add(observations.poses, addMembers(of:_:to:), to: &json)
  }

  private static func addMembers(of object: DetectedObject, _ precision: Precision, to json: inout TextBuffer) {
    json.add("label", object.label)
    precision.addScore("score", object.score, to: &json)
    if let category = object.category {
      json.add("category", category.category.rawValue)
      precision.addScore("categoryScore", category.score, to: &json)
    }
    precision.add("box", object.box, to: &json)
  }

  private static func addMembers(of face: DetectedFace, _ precision: Precision, to json: inout TextBuffer) {
    precision.addScore("score", face.score, to: &json)
    precision.add("box", face.box, to: &json)
    if let angles = face.angles {
      json.addObject("angles") { all in
        precision.addScore("x", angles.x, to: &all)
        precision.addScore("y", angles.y, to: &all)
        precision.addScore("z", angles.z, to: &all)
      }
    }
    if let landmarks = face.landmarks {
      json.addObject("landmarks") { all in
        for landmark in landmarks {
          all.addKey(landmark.kind.rawValue)
          precision.add(landmark.position, to: &all)
        }
      }
    }
    if let contours = face.contours {
      json.addObject("contours") { all in
        for contour in contours {
          all.addList(contour.kind.rawValue) { points in
            for point in contour.points { precision.add(point, to: &points) }
          }
        }
      }
    }
    if let probability = face.smiling { precision.addScore("smiling", probability, to: &json) }
    if let probability = face.leftEyeOpen { precision.addScore("leftEyeOpen", probability, to: &json) }
    if let probability = face.rightEyeOpen { precision.addScore("rightEyeOpen", probability, to: &json) }
  }

  private static func addMembers(of pose: DetectedPose, _ precision: Precision, to json: inout TextBuffer) {
    precision.addScore("score", pose.score, to: &json)
    precision.add("box", pose.box, to: &json)
    json.addList("landmarks") { all in
      for landmark in pose.landmarks {
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
}
