internal import VStreamScene

/// COCO's JSON: images (frames), annotations (boxes, and a pose's keypoints) and categories (classes, from 1) in one object.
struct COCOForm: RecordForm {
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

  mutating func begin(_ header: RecordHeader) -> String {
    (size, name) = (header.size, header.inputName)
    return "{\"annotations\":[\n"
  }

  mutating func text(of record: FrameRecord) -> String {
    let annotations = record.annotations
    images.append((annotations.frame, annotations.time.seconds))
    return annotations.found.entries.map { entry in
      count += 1
      let category = categories[entry.label] ?? categories.count + 1
      categories[entry.label] = category
      let line = JSONText.object { json in
        json.add("id", count)
        json.add("image_id", annotations.frame + 1)
        json.add("category_id", category)
        let box = [entry.box.x, entry.box.y, entry.box.width, entry.box.height]
        json.add("bbox", list: box.map { JSONText.number($0, places: 2) })
        json.add("area", entry.box.area, places: 2)
        json.add("iscrowd", 0)
        json.add("score", entry.score, places: 4)
        if !entry.landmarks.isEmpty { Self.add(entry.landmarks, to: &json) }
        if let id = entry.id { json.add("track_id", id) }
        if annotations.source == .predicted { json.add("predicted", true) }
      }
      return (count > 1 ? ",\n" : "") + line
    }.joined()
  }

  /// x, y and visibility of each keypoint: 2 where it is seen, 1 where it is only guessed.
  private static func add(_ landmarks: [PoseLandmark], to json: inout JSONText) {
    let points = keypoints.map { name in landmarks.first { $0.kind == name.kind } }
    json.add(
      "keypoints",
      list: points.flatMap { point -> [String] in
        guard let point else { return ["0", "0", "0"] }
        let place = [point.position.x, point.position.y].map { JSONText.number($0, places: 2) }
        return place + [point.inFrameLikelihood >= seen ? "2" : "1"]
      })
    json.add("num_keypoints", points.count { $0 != nil })
  }

  mutating func end(_ counts: RunCounts) -> String {
    let frames = images.map { frame, seconds in
      JSONText.object { json in
        json.add("id", frame + 1)
        json.add("file_name", "\(name)#\(frame)")
        json.add("width", size.width)
        json.add("height", size.height)
        json.add("pts", seconds, places: 6)
      }
    }
    let named = categories.sorted { $0.value < $1.value }.map { label, number in
      JSONText.object { json in
        json.add("id", number)
        json.add("name", label)
        if label == "pose" { json.add("keypoints", list: Self.keypoints.map { JSONText.quoted($0.name) }) }
      }
    }
    return "\n],\"images\":[\n" + frames.joined(separator: ",\n") + "\n],\"categories\":["
      + named.joined(separator: ",") + "]}\n"
  }
}
