internal import VStreamScene

/// The result of one check of the installation.
struct Finding: Hashable {
  enum State: String {
    case ok
    /// Everything works without it, or slower.
    case note
    /// Runs fail without it.
    case missing
  }

  let state: State
  /// What was checked, in a word.
  let subject: String
  let detail: String
  /// What to do; empty for nothing.
  var remedy = ""

  /// `missing  models      face-mesh is not installed; scripts/bootstrap installs it`.
  var line: String {
    let advice = remedy.isEmpty ? "" : "; \(remedy)"
    return "\(Self.padded(state.rawValue, to: 8)) \(Self.padded(subject, to: 10)) \(detail)\(advice)"
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension Finding {
  /// Something that runs need and that failed with an error.
  init(missing subject: String, _ error: VStreamError) {
    self.init(state: .missing, subject: subject, detail: error.commandText)
  }
}
