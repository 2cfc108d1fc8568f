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

  /// Sets a list to all that has a box, in the order in which it is drawn.
  static func list(_ found: Observations, in marks: inout [Mark]) {
    marks.removeAll(keepingCapacity: true)
    for object in found.objects ?? [] { marks.append(Mark(object)) }
    for face in found.faces ?? [] { marks.append(Mark(face)) }
    for pose in found.poses ?? [] { marks.append(Mark(pose)) }
  }

  static func all(_ found: Observations) -> [Mark] {
    var marks: [Mark] = []
    list(found, in: &marks)
    return marks
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

  /// Sets a text to `person 12  0.91`, `face 3  smiling 0.92`.
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
