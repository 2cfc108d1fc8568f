/// An object in a frame.
public struct DetectedObject: Detection, KnownDetection {
  /// The track's ID in a stream; `nil` in single images.
  public var id: Int?
  /// Index in the detector's list of classes, from 0.
  public var classIndex: Int
  /// The class's name, for example `person`.
  public var label: String
  /// The class's name in this frame's detection; `nil` if it is `label`, which is that of the track.
  public var detectedLabel: String?
  public var score: Double
  public var box: Box
  /// Whether it was not searched for on its frame, so that its box is the tracker's prediction.
  public var isPredicted = false
  /// The object's coarse category; `nil` unless categories were requested.
  public var category: CategoryLabel?

  public init(id: Int? = nil, classIndex: Int, label: String, score: Double, box: Box) {
    self.id = id
    self.classIndex = classIndex
    self.label = label
    self.score = score
    self.box = box
  }

  public static var kind: DetectionKind { .objects }
  package static let name = "object"
  package static var list: WritableKeyPath<Detections, [DetectedObject]?> { \.objects }
  package static var redactionSelector: RedactionSelector { .label }
  package static var hasConfidentDetections: Bool { false }
  package var colorNumber: Int { id ?? classIndex }

  package func moved(to box: Box) -> DetectedObject {
    var object = self
    object.box = box
    return object
  }

  package func scaled(x horizontal: Double, y vertical: Double) -> DetectedObject {
    moved(to: box.scaled(x: horizontal, y: vertical))
  }
}

/// ML Kit's coarse categories of objects.
public enum ObjectCategory: String, CaseIterable, Hashable, Sendable, Codable {
  case fashionGood = "fashion good"
  case food
  case homeGood = "home good"
  case place
  case plant
  /// None of the others, or uncertain.
  case unknown
}

/// A category with its score.
public struct CategoryLabel: Hashable, Sendable, Codable {
  /// The category.
  public var category: ObjectCategory
  /// 0…1.
  public var score: Double

  public init(_ category: ObjectCategory, score: Double) {
    self.category = category
    self.score = score
  }
}

/// The 80 object classes of COCO 2017.
package enum COCOClasses {
  /// In the order of their official identifiers.
  package static let names = [
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant",
    "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard",
    "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket", "bottle",
    "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange", "broccoli",
    "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed", "dining table", "toilet",
    "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven", "toaster", "sink",
    "refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
  ]

  /// The identifiers that no class has.
  private static let unusedIdentifiers: Set = [12, 26, 29, 30, 45, 66, 68, 69, 71, 83]

  /// The classes' official identifiers, from 1 to 90 with gaps, in the order of `names`.
  package static let identifiers = (1...90).filter { !unusedIdentifiers.contains($0) }
}
