internal import VStreamScene

/// The box and label of an observation of any kind.
struct Mark {
  let box: Box
  let color: Color
  private let label: String
  private let id: Int?
  /// What the score is of, if not of the detection; empty or with a space at the end.
  private let note: String
  private let score: Double

  /// Replaces `marks` by those of all observations, in drawing order.
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
    // IDs are unique per kind; the offset gives poses other colours than objects.
    color = Color(number: (pose.id ?? 0) + 2048)
    label = "pose"
    id = pose.id
    note = ""
    score = pose.score
  }

  /// IDs are unique per kind; the offset places faces half way between the colours of objects.
  static func color(of face: DetectedFace) -> Color { Color(number: (face.id ?? 0) + 1000) }

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
