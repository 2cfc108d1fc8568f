public import VStreamCore

/// A line, an outline or a text on a frame, of the user's own.
public struct OverlayMark: Hashable, Sendable {
  /// Pixels of the upright frame, in order; a single point is a dot.
  public var points: [Point]
  /// Whether the last point is followed by the first.
  public var isClosed: Bool
  /// One line, on a label above the points; none if empty. Characters that the font does not have are drawn as boxes.
  public var text: String
  /// Of the line, and of the label's background.
  public var color: Color
  /// In pixels; `nil` for that of boxes, which is proportional to the frame's size; 0 for the label only.
  public var lineWidth: Double?

  public init(
    points: [Point], isClosed: Bool = false, text: String = "", color: Color = .white, lineWidth: Double? = nil
  ) {
    self.points = points
    self.isClosed = isClosed
    self.text = text
    self.color = color
    self.lineWidth = lineWidth
  }

  /// The outline of a box.
  public init(_ box: Box, text: String = "", color: Color = .white, lineWidth: Double? = nil) {
    self.init(
      points: [
        Point(x: box.x, y: box.y), Point(x: box.right, y: box.y), Point(x: box.right, y: box.bottom),
        Point(x: box.x, y: box.bottom),
      ],
      isClosed: true, text: text, color: color, lineWidth: lineWidth)
  }

  /// - Parameter boxWidth: of the lines of boxes.
  func stroke(boxWidth: Double) -> Stroke? {
    let width = lineWidth ?? boxWidth
    let drawn = points.filter { $0.x.magnitude < Self.farthest && $0.y.magnitude < Self.farthest }
    guard let first = drawn.first, width > 0, width < Self.farthest else { return nil }
    return Stroke(points: isClosed && drawn.count > 1 ? drawn + [first] : drawn, width: width, color: color)
  }

  /// The box that the label is placed at; `nil` without a text, or where no point has a finite position.
  var anchor: Box? {
    let (x, y) = (points.map(\.x).filter(\.isFinite), points.map(\.y).filter(\.isFinite))
    guard !text.isEmpty, let left = x.min(), let right = x.max(), let top = y.min(), let bottom = y.max() else {
      return nil
    }
    func limited(_ value: Double) -> Double { min(max(value, -Self.farthest), Self.farthest) }
    return Box(left: limited(left), top: limited(top), right: limited(right), bottom: limited(bottom))
  }

  /// No frame has a pixel as far from its corner, in pixels.
  private static let farthest = 1e5
}

/// The box and label of an observation of any kind.
struct Mark {
  let box: Box
  let color: Color
  private let label: String
  private let id: Int?
  /// The caption before the score; empty, or with a space at the end.
  private let note: String
  private let score: Double

  /// Replaces `marks` by those of all observations, in drawing order.
  static func list(_ found: Detections, in marks: inout [Mark]) {
    marks.removeAll(keepingCapacity: true)
    func add(_ kind: (some KnownDetection).Type) {
      for observation in found[kind] ?? [] { marks.append(Mark(observation)) }
    }
    func addDetailed(_ kind: (some DetailedObservation).Type) {
      for observation in found[kind] ?? [] { marks.append(Mark(observation)) }
    }
    for kind in DetectionKind.allCases {
      let type = kind.detectionType
      if let detailed = type as? any DetailedObservation.Type { addDetailed(detailed) } else { add(type) }
    }
  }

  static func all(_ found: Detections) -> [Mark] {
    var marks: [Mark] = []
    list(found, in: &marks)
    return marks
  }

  init(_ observation: some KnownDetection) { self.init(observation, note: "", score: observation.score) }

  init(_ observation: some DetailedObservation) {
    let labelScore = observation.labelScore
    self.init(observation, note: labelScore?.note ?? "", score: labelScore?.score ?? observation.score)
  }

  private init(_ observation: some KnownDetection, note: String, score: Double) {
    box = observation.box
    color = Color(number: observation.colorNumber)
    label = observation.label
    id = observation.id
    self.note = note
    self.score = score
  }

  /// Replaces a text by `person 12  0.91`, `face 3  smiling 0.92`.
  func write(_ text: inout String, withLabel: Bool, withID: Bool) {
    text.removeAll(keepingCapacity: true)
    if withLabel { text += label }
    if withID, let id {
      if withLabel { text += " " }
      text += String(id)
    }
    guard withLabel else { return }
    let hundredths = min(max(0, Int(clamping: score * 100)), 100)
    text += "  "
    text += note
    text += String(hundredths / 100)
    text += "."
    text += String(hundredths % 100 / 10)
    text += String(hundredths % 10)
  }

  func text(withLabel: Bool, withID: Bool) -> String {
    var text = ""
    write(&text, withLabel: withLabel, withID: withID)
    return text
  }
}
