internal import VStreamScene
internal import VStreamSystem

/// COCO's JSON: one object with the lists of annotations (boxes, and poses' keypoints), images (frames) and categories
/// (classes, numbered from 1).
struct COCOEncoder: RecordEncoder {
  static let format = RecordFormat("COCO", fileNameEndings: [".json"])

  private var size = PixelSize(width: 0, height: 0)
  private var inputName = ""
  /// Index and time of the frames so far, which are written after all annotations.
  private var images: [(frame: Int, seconds: Double)] = []
  private var categories: [String: Int] = [:]
  private var annotationCount = 0

  /// COCO's 17 keypoints in their order.
  private static let keypoints: [(name: String, kind: PoseLandmark.Kind)] = [
    ("nose", .nose), ("left_eye", .leftEye), ("right_eye", .rightEye), ("left_ear", .leftEar),
    ("right_ear", .rightEar), ("left_shoulder", .leftShoulder), ("right_shoulder", .rightShoulder),
    ("left_elbow", .leftElbow), ("right_elbow", .rightElbow), ("left_wrist", .leftWrist),
    ("right_wrist", .rightWrist), ("left_hip", .leftHip), ("right_hip", .rightHip), ("left_knee", .leftKnee),
    ("right_knee", .rightKnee), ("left_ankle", .leftAnkle), ("right_ankle", .rightAnkle),
  ]
  /// The in-frame likelihood from which a keypoint is marked as visible.
  private static let visibleLikelihood = 0.5

  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    (size, inputName) = (header.size, header.inputName)
    text.append("{\"annotations\":[\n")
  }

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    let annotations = record.annotations
    images.append((annotations.frame, annotations.time.seconds))
    annotations.found.forEachEntry { entry in
      annotationCount += 1
      let category = categories[entry.label] ?? categories.count + 1
      categories[entry.label] = category
      if annotationCount > 1 { text.append(",\n") }
      text.addObject { json in
        json.add("id", annotationCount)
        json.add("image_id", annotations.frame + 1)
        json.add("category_id", category)
        json.addBox("bbox", entry.box)
        json.add("area", entry.box.area, places: 2)
        json.add("iscrowd", 0)
        json.add("score", entry.score, places: 4)
        if !entry.keypoints.isEmpty { Self.addKeypoints(entry.keypoints, to: &json) }
        if let id = entry.id { json.add("track_id", id) }
        if annotations.source == .predicted || entry.isPredicted { json.add("predicted", true) }
      }
    }
  }

  /// Adds x, y and visibility of each keypoint: 2 if it is visible, 1 if its position is an estimate, 0 if it is missing.
  private static func addKeypoints(_ landmarks: [PoseLandmark], to json: inout TextBuffer) {
    let points = keypoints.map { keypoint in landmarks.first { $0.kind == keypoint.kind } }
    json.addList("keypoints") { list in
      for point in points {
        guard let point else {
          for _ in 0..<3 { list.addInteger(0) }
          continue
        }
        list.addNumber(point.position.x, places: 2)
        list.addNumber(point.position.y, places: 2)
        list.addInteger(point.inFrameLikelihood >= visibleLikelihood ? 2 : 1)
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
        json.add("file_name", "\(inputName)#\(image.frame)")
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
        guard label == DetectedPose.name else { return }
        json.addList("keypoints") { all in for keypoint in Self.keypoints { all.addText(keypoint.name) } }
      }
    }
    text.append("]}\n")
  }
}
