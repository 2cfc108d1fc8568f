internal import VStreamCore
internal import VStreamSystem

/// KITTI's tracking format: frame, ID, class, KITTI's placeholders for unknown values, the box's corners, and the score; one
/// line per object, without faces and poses, for which KITTI has no classes.
struct KITTIEncoder: RecordEncoder {
  static let format = RecordFormat("KITTI", fileNameEndings: [".kitti.txt"], kinds: [.objects])

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    for object in record.annotations.found.objects ?? [] {
      text.append(record.annotations.frame)
      text.append(" ")
      text.append(object.id ?? -1)
      text.append(" ")
      text.append(KITTIClass(label: object.label).rawValue)
      // Truncation, occlusion and observation angle.
      text.append(" -1 -1 -10")
      for corner in [object.box.x, object.box.y, object.box.right, object.box.bottom] {
        text.append(" ")
        text.append(corner, places: 2)
      }
      // Dimensions, position and rotation in space.
      text.append(" -1 -1 -1 -1000 -1000 -1000 -10 ")
      text.append(object.score, places: 4)
      text.append("\n")
    }
  }
}

/// KITTI's classes. Evaluation programs know no others: TrackEval takes `person` for a person who sits, and ignores it.
enum KITTIClass: String {
  case pedestrian = "Pedestrian"
  case car = "Car"
  case van = "Van"
  case truck = "Truck"
  case cyclist = "Cyclist"
  case tram = "Tram"
  case other = "Misc"

  /// - Parameter label: the name of a class of COCO or of a model of the user's own, in any case.
  init(label: String) {
    switch label.lowercased() {
    case "person", "pedestrian": self = .pedestrian
    case "car": self = .car
    case "van": self = .van
    case "truck": self = .truck
    case "bicycle", "cyclist": self = .cyclist
    case "train", "tram": self = .tram
    default: self = .other
    }
  }
}
