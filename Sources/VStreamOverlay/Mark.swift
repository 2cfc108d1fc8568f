internal import VStreamScene

/// What is found, whatever its kind, as far as its box and label go.
struct Mark {
  let box: Box
  let color: Color
  private let label: String
  private let id: Int?
  /// What follows the label: a score 0…1, and before it what it is the score of, if not of the label.
  private let note: String
  private let score: Double

  /// All that has a box, in the order in which it is drawn.
  static func all(_ found: Observations) -> [Mark] {
    (found.objects ?? []).map(Mark.init) + (found.faces ?? []).map(Mark.init) + (found.poses ?? []).map(Mark.init)
  }

  init(_ object: DetectedObject) {
    box = object.box
    color = Color(number: object.id ?? object.classIndex)
    label = object.label
    id = object.id
    note = ""
    score = object.score
  }

  init(_ face: DetectedFace) {
    box = face.box
    color = Self.color(of: face)
    label = "face"
    id = face.id
    note = face.smiling == nil ? "" : "smiling "
    score = face.smiling ?? face.score
  }

  init(_ pose: DetectedPose) {
    box = pose.box
    // Like faces, counted for themselves.
    color = Color(number: (pose.id ?? 0) + 2048)
    label = "pose"
    id = pose.id
    note = ""
    score = pose.score
  }

  /// Faces are counted for themselves; that they lie half way between the colours of objects sets them apart.
  static func color(of face: DetectedFace) -> Color { Color(number: (face.id ?? 0) + 1000) }

  /// `person 12  0.91`, `face 3  smiling 0.92`
  func text(withLabel: Bool, withID: Bool) -> String {
    var words: [String] = []
    if withLabel { words.append(label) }
    if withID, let id { words.append("\(id)") }
    let text = words.joined(separator: " ")
    guard withLabel else { return text }
    let hundredths = min(max(0, Int(clamping: score * 100)), 100)
    return "\(text)  \(note)\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
  }
}
