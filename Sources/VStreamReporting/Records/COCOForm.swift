internal import VStreamScene

/// COCO's JSON: images (frames), annotations (boxes, and a pose's keypoints) and categories (classes, from 1) in one object.
struct COCOEncoder: RecordEncoder {
  private var size = PixelSize(width: 0, height: 0)
  private var name = ""
  /// Numbers and seconds of the frames so far, which come after all annotations.
  private var images: [(frame: Int, seconds: Double)] = []
  private var categories: [String: Int] = [:]
  private var count = 0

  /// COCO's keypoints in their order; it has no more of a body.
  private static let keypoints: [(name: String, kind: PoseLandmark.Kind)] = [
    ("nose", .nose), ("left_eye", .leftEye), ("right_eye", .rightEye), ("left_ear", .leftEar),
    ("right_ear", .rightEar), ("left_shoulder", .leftShoulder), ("right_shoulder", .rightShoulder),
    ("left_elbow", .leftElbow), ("right_elbow", .rightElbow), ("left_wrist", .leftWrist),
    ("right_wrist", .rightWrist), ("left_hip", .leftHip), ("right_hip", .rightHip), ("left_knee", .leftKnee),
    ("right_knee", .rightKnee), ("left_ankle", .leftAnkle), ("right_ankle", .rightAnkle),
  ]
  /// The likelihood from which a keypoint counts as seen.
  private static let seen = 0.5

  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    (size, name) = (header.size, header.inputName)
    text.append("{\"annotations\":[\n")
  }

  mutating func add(_ record: FrameRecord, to text: inout TextBuffer) {
    let annotations = record.annotations
    images.append((annotations.frame, annotations.time.seconds))
    annotations.found.forEachEntry { entry in
      count += 1
      let category = categories[entry.label] ?? categories.count + 1
      categories[entry.label] = category
      if count > 1 { text.append(",\n") }
      text.addObject { json in
        json.add("id", count)
        json.add("image_id", annotations.frame + 1)
        json.add("category_id", category)
        json.addBox("bbox", entry.box)
        json.add("area", entry.box.area, places: 2)
        json.add("iscrowd", 0)
        json.add("score", entry.score, places: 4)
        if !entry.landmarks.isEmpty { Self.add(entry.landmarks, to: &json) }
        if let id = entry.id { json.add("track_id", id) }
        if annotations.source == .predicted { json.add("predicted", true) }
      }
    }
  }

  /// x, y and visibility of each keypoint: 2 where it is seen, 1 where it is only guessed.
  private static func add(_ landmarks: [PoseLandmark], to json: inout TextBuffer) {
    let points = keypoints.map { name in landmarks.first { $0.kind == name.kind } }
    json.addList("keypoints") { list in
      for point in points {
        guard let point else {
          for _ in 0..<3 { list.addWhole(0) }
          continue
        }
        list.addNumber(point.position.x, places: 2)
        list.addNumber(point.position.y, places: 2)
        list.addWhole(point.inFrameLikelihood >= seen ? 2 : 1)
      }
    }
    json.add("num_keypoints", points.count { $0 != nil })
  }

  mutating func end(_ counts: RunCounts, in text: inout TextBuffer) {
    text.append("\n],\"images\":[\n")
    for (index, image) in images.enumerated() {
      if index > 0 { text.append(",\n") }
      text.addObject { json in
        json.add("id", image.frame + 1)
        json.add("file_name", "\(name)#\(image.frame)")
        json.add("width", size.width)
        json.add("height", size.height)
        json.add("pts", image.seconds, places: 6)
      }
    }
    text.append("\n],\"categories\":[")
    for (label, number) in categories.sorted(by: { $0.value < $1.value }) {
      text.addObject { json in
        json.add("id", number)
        json.add("name", label)
        guard label == "pose" else { return }
        json.addList("keypoints") { all in for keypoint in Self.keypoints { all.addText(keypoint.name) } }
      }
    }
    text.append("]}\n")
  }
}
