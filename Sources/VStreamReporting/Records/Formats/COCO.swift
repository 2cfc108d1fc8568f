internal import VStreamCore
internal import VStreamSystem

/// COCO's JSON: one object with the lists of annotations (boxes, and poses' keypoints), images (frames) and categories.
struct COCOEncoder: RecordEncoder {
  static let format = RecordFormat("COCO", fileNameEndings: [".json"])

  private var size = PixelSize(width: 0, height: 0)
  private var inputName = ""
  /// Index, file and time of the frames so far, which are written after all annotations.
  private var images: [(frame: Int, file: String?, seconds: Double)] = []
  private var categories: Set<COCOCategory> = []
  private var annotationCount = 0

  /// The difference between the track IDs of one kind and of the next, as IDs are unique per kind only.
  private static let idsOfKind = 1_000_000_000

  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    (size, inputName) = (header.size, header.inputName)
    text.append("{\"info\":")
    text.addObject { $0.add("description", header.inputName) }
    text.append(",\"annotations\":[\n")
  }

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    let annotations = record.annotations
    images.append((annotations.frame, record.imageName, annotations.time.seconds))
    annotations.found.forEachEntry { entry in
      let category = entry.cocoCategory
      categories.insert(category)
      annotationCount += 1
      if annotationCount > 1 { text.append(",\n") }
      text.addObject { json in
        json.add("id", annotationCount)
        json.add("image_id", annotations.frame + 1)
        json.add("category_id", category.id)
        Self.addShape(entry.box, to: &json)
        json.add("score", entry.score, places: 4)
        if !entry.keypoints.isEmpty { COCOKeypoints.add(entry.keypoints, to: &json) }
        if let id = entry.id { json.add("track_id", id + Self.idsOfKind * entry.kindIndex) }
        if annotations.source == .predicted || entry.isPredicted { json.add("predicted", true) }
      }
    }
  }

  /// Adds the box, and the same as a polygon, which some programs require.
  private static func addShape(_ box: Box, to json: inout TextBuffer) {
    json.addBox("bbox", box)
    json.addList("segmentation") { polygons in
      polygons.addList { list in
        for (x, y) in [(box.x, box.y), (box.right, box.y), (box.right, box.bottom), (box.x, box.bottom)] {
          list.addNumber(x, places: 2)
          list.addNumber(y, places: 2)
        }
      }
    }
    json.add("area", box.area, places: 2)
    json.add("iscrowd", 0)
  }

  mutating func end(_ counts: RunCounts, in text: inout TextBuffer) {
    text.append("\n],\"images\":[\n")
    for (index, image) in images.enumerated() {
      if index > 0 { text.append(",\n") }
      text.addObject { json in
        json.add("id", image.frame + 1)
        json.add("file_name", image.file ?? "\(inputName)#\(image.frame)")
        json.add("width", size.width)
        json.add("height", size.height)
        json.add("pts", image.seconds, places: 6)
      }
    }
    text.append("\n],\"categories\":[")
    for category in categories.sorted(by: { $0.id < $1.id }) {
      text.addObject { json in
        json.add("id", category.id)
        json.add("name", category.name)
        json.add("supercategory", category.supercategory)
        if category == .pose { COCOKeypoints.addDescription(to: &json) }
      }
    }
    text.append("]}\n")
  }
}

extension RecordEntry {
  fileprivate var cocoCategory: COCOCategory {
    switch kind {
    case .objects: COCOCategory(ofClass: label)
    case .faces: .face
    case .poses: .pose
    }
  }

  fileprivate var kindIndex: Int { DetectionKind.allCases.firstIndex(of: kind) ?? 0 }
}

/// COCO's 17 keypoints of a person.
enum COCOKeypoints {
  /// In COCO's order.
  private static let all: [(name: String, kind: PoseLandmark.Kind)] = [
    ("nose", .nose), ("left_eye", .leftEye), ("right_eye", .rightEye), ("left_ear", .leftEar),
    ("right_ear", .rightEar), ("left_shoulder", .leftShoulder), ("right_shoulder", .rightShoulder),
    ("left_elbow", .leftElbow), ("right_elbow", .rightElbow), ("left_wrist", .leftWrist),
    ("right_wrist", .rightWrist), ("left_hip", .leftHip), ("right_hip", .rightHip), ("left_knee", .leftKnee),
    ("right_knee", .rightKnee), ("left_ankle", .leftAnkle), ("right_ankle", .rightAnkle),
  ]

  /// The lines between keypoints, by their numbers from 1, as COCO's annotation files have them.
  private static let skeleton = [
    (16, 14), (14, 12), (17, 15), (15, 13), (12, 13), (6, 12), (7, 13), (6, 7), (6, 8), (7, 9), (8, 10), (9, 11),
    (2, 3), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7),
  ]

  /// The in-frame likelihood from which a keypoint is marked as visible.
  private static let visibleLikelihood = 0.5

  /// Adds x, y and visibility of each keypoint: 2 if it is visible, 1 if its position is an estimate, 0 if it is missing.
  static func add(_ landmarks: [PoseLandmark], to json: inout TextBuffer) {
    let points = all.map { keypoint in landmarks.first { $0.kind == keypoint.kind } }
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

  /// Adds the members of their category.
  static func addDescription(to json: inout TextBuffer) {
    json.addList("keypoints") { list in for keypoint in all { list.addText(keypoint.name) } }
    json.addList("skeleton") { list in
      for (one, other) in skeleton {
        list.addList { ends in
          ends.addInteger(one)
          ends.addInteger(other)
        }
      }
    }
  }
}

/// A category of COCO's JSON. Its number depends on its kind and name only, so that files of different runs can be merged.
struct COCOCategory: Hashable {
  let id: Int
  let name: String
  let supercategory: String

  static let face = COCOCategory(id: 201, name: DetectedFace.name, supercategory: "person")
  static let pose = COCOCategory(id: 202, name: DetectedPose.name, supercategory: "person")

  private init(id: Int, name: String, supercategory: String) {
    self.id = id
    self.name = name
    self.supercategory = supercategory
  }

  /// The category of a class of objects: COCO's own for its 80 classes, whatever the case; others are numbered by a hash of
  /// their name, beyond COCO's numbers of things, stuff and panoptic categories.
  init(ofClass label: String) {
    if let known = Self.known[label.lowercased()] {
      self = known
    } else {
      self.init(id: Self.firstHashed + Self.hash(of: label), name: label, supercategory: "object")
    }
  }

  private static let firstHashed = 1000

  private static let known: [String: COCOCategory] = {
    let categories = zip(COCOClasses.names, COCOClasses.identifiers).map { name, id in
      COCOCategory(id: id, name: name, supercategory: supercategory(of: id))
    }
    return Dictionary(uniqueKeysWithValues: categories.map { ($0.name, $0) })
  }()

  /// The last identifier of each of COCO's groups of classes.
  private static let supercategories: [(last: Int, name: String)] = [
    (1, "person"), (9, "vehicle"), (15, "outdoor"), (25, "animal"), (33, "accessory"), (43, "sports"),
    (51, "kitchen"), (61, "food"), (70, "furniture"), (77, "electronic"), (82, "appliance"), (90, "indoor"),
  ]

  private static func supercategory(of id: Int) -> String {
    supercategories.first { id <= $0.last }?.name ?? "object"
  }

  /// 40 bits of FNV-1a's 64: of 1000 names, two have the same with a probability of 5 in 10 million.
  private static func hash(of name: String) -> Int {
    Int(name.stableHash >> 24)
  }
}
