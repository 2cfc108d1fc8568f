internal import VStreamScene
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
