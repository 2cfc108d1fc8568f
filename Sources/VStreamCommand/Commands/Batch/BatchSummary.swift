internal import VStreamCore
internal import VStreamMedia
internal import VStreamSystem

/// The outcomes of a batch's inputs.
struct BatchSummary {
  enum Outcome: String, CaseIterable {
    case done
    case skipped
    case failed
    case stopped
    case notStarted = "not started"
  }

  private let inputs: [String]
  private let canResume: Bool
  private var outcomes: [Outcome] = []
  private var outputs: [String?] = []

  /// - Parameter canResume: whether a later run can skip the inputs with an output.
  init(inputs: [String], canResume: Bool) {
    self.inputs = inputs
    self.canResume = canResume
  }

  /// Whether inputs were not run to their end because of a signal.
  var wasStopped: Bool { inputs.indices.contains { [.stopped, .notStarted].contains(outcome(of: $0)) } }

  /// Adds the outcome of the next input.
  ///
  /// - Parameter output: the file that exists of it; `nil` for none.
  mutating func add(_ outcome: Outcome, output: String?) {
    outcomes.append(outcome)
    outputs.append(output)
  }

  /// The outcome of each input.
  private func outcome(of index: Int) -> Outcome { index < outcomes.count ? outcomes[index] : .notStarted }

  /// `3 inputs: 2 done, 1 failed`; of a stopped batch also the existing and the remaining outputs.
  var lines: [String] {
    let all = inputs.indices.map(outcome)
    let counts = Outcome.allCases.compactMap { outcome in
      let count = all.count { $0 == outcome }
      return count > 0 ? "\(count) \(outcome.rawValue)" : nil
    }
    let total = "\(inputs.count) inputs: \(counts.joined(separator: ", "))"
    return [total] + (wasStopped ? details(all) : [])
  }

  private func details(_ all: [Outcome]) -> [String] {
    let named = { (wanted: [Outcome], name: (Int) -> String?) in
      all.indices.filter { wanted.contains(all[$0]) }.compactMap(name)
    }
    let lists = [
      ("finished", named([.done, .skipped]) { outputs[$0] }),
      ("unfinished, plays up to where it was stopped", named([.stopped]) { outputs[$0] }),
      ("failed", named([.failed]) { ShownLocation.text(inputs[$0]) }),
      ("not started", named([.notStarted]) { ShownLocation.text(inputs[$0]) }),
    ]
    return lists.filter { !$0.1.isEmpty }.map { "  \($0.0): \(Self.list($0.1))" }
      + (canResume ? ["  the same command with --resume does what is missing"] : [])
  }

  private static let maximumNames = 10

  /// `a.mp4, b.mp4, … and 12 more`.
  private static func list(_ names: [String]) -> String {
    let more = names.count - maximumNames
    return names.prefix(maximumNames).joined(separator: ", ") + (more > 0 ? ", … and \(more) more" : "")
  }
}
