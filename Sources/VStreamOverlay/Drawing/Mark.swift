internal import VStreamCore

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
  static func list(_ found: Observations, in marks: inout [Mark]) {
    marks.removeAll(keepingCapacity: true)
    func add(_ kind: (some Observation).Type) {
      for observation in found[kind] ?? [] { marks.append(Mark(observation)) }
    }
    func addDetailed(_ kind: (some DetailedObservation).Type) {
      for observation in found[kind] ?? [] { marks.append(Mark(observation)) }
    }
    for kind in DetectionKind.allCases {
      let type = kind.observationType
      if let detailed = type as? any DetailedObservation.Type { addDetailed(detailed) } else { add(type) }
    }
  }

  static func all(_ found: Observations) -> [Mark] {
    var marks: [Mark] = []
    list(found, in: &marks)
    return marks
  }

  init(_ observation: some Observation) { self.init(observation, note: "", score: observation.score) }

  init(_ observation: some DetailedObservation) {
    let labelScore = observation.labelScore
    self.init(observation, note: labelScore?.note ?? "", score: labelScore?.score ?? observation.score)
  }

  private init(_ observation: some Observation, note: String, score: Double) {
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
