/// An object in a frame.
public struct DetectedObject: Observation {
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
  public static let name = "object"
  public static var list: WritableKeyPath<Observations, [DetectedObject]?> { \.objects }
  public static var redactionSelector: RedactionSelector { .label }
  public static var hasConfidentDetections: Bool { false }
  public var colorNumber: Int { id ?? classIndex }

  public func moved(to box: Box) -> DetectedObject {
    var object = self
    object.box = box
    return object
  }

  public func scaled(x horizontal: Double, y vertical: Double) -> DetectedObject {
    moved(to: box.scaled(x: horizontal, y: vertical))
  }
}
