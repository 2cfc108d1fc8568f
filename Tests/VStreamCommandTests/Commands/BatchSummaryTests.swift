import Testing

@testable import VStreamCommand

/// What the end of a batch lists.
struct BatchSummaryTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    var canResume = true
    /// The outcome and the existing file of the first inputs of three.
    let outcomes: [(BatchSummary.Outcome, String?)]
    let lines: [String]
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "all done", outcomes: [(.done, "A"), (.done, "B"), (.done, "C")], lines: ["3 inputs: 3 done"]),
    Row(
      name: "one failed", outcomes: [(.done, "A"), (.failed, nil), (.skipped, "C")],
      lines: ["3 inputs: 1 done, 1 skipped, 1 failed"]),
    Row(
      name: "stopped in the second", outcomes: [(.done, "A"), (.stopped, "B.part")],
      lines: [
        "3 inputs: 1 done, 1 stopped, 1 not started", "  finished: A",
        "  unfinished, plays up to where it was stopped: B.part", "  not started: c",
        "  the same command with --resume does what is missing",
      ]),
    Row(
      name: "stopped before the second, after a failure", outcomes: [(.failed, nil)],
      lines: [
        "3 inputs: 1 failed, 2 not started", "  failed: a", "  not started: b, c",
        "  the same command with --resume does what is missing",
      ]),
    Row(
      name: "stopped without outputs", canResume: false, outcomes: [(.done, nil), (.stopped, nil)],
      lines: ["3 inputs: 1 done, 1 stopped, 1 not started", "  not started: c"]),
  ]

  @Test(arguments: rows)
  func `a batch that was stopped names what exists and what is missing`(row: Row) {
    var summary = BatchSummary(inputs: ["a", "b", "c"], canResume: row.canResume)
    for (outcome, output) in row.outcomes { summary.add(outcome, output: output) }
    #expect(summary.lines == row.lines)
    #expect(summary.wasStopped == (row.lines.count > 1))
  }

  @Test func `of many names the first ten are listed`() {
    let summary = BatchSummary(inputs: (1...13).map { "\($0)" }, canResume: false)
    #expect(summary.lines.last == "  not started: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … and 3 more")
  }
}
