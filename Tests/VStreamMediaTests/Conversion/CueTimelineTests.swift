import Testing

@testable import VStreamMedia

/// Subtitles that overlap become successive ones.
struct CueTimelineTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let cues: [(start: Int64, end: Int64, text: String)]
    let expected: [CueTimeline.Cue]
    var testDescription: String { name }
  }

  private static func cue(_ start: Int64, _ end: Int64, _ texts: String...) -> CueTimeline.Cue {
    CueTimeline.Cue(start: start, end: end, texts: texts)
  }

  static let rows = [
    Row(name: "none", cues: [], expected: []),
    Row(name: "apart", cues: [(0, 5, "a"), (10, 15, "b")], expected: [cue(0, 5, "a"), cue(10, 15, "b")]),
    Row(name: "adjacent", cues: [(0, 5, "a"), (5, 9, "b")], expected: [cue(0, 5, "a"), cue(5, 9, "b")]),
    Row(
      name: "of one start", cues: [(1, 10, "a"), (1, 5, "b")], expected: [cue(1, 5, "a", "b"), cue(5, 10, "a")]),
    Row(
      name: "one in another", cues: [(0, 10, "a"), (4, 6, "b")],
      expected: [cue(0, 4, "a"), cue(4, 6, "a", "b"), cue(6, 10, "a")]),
    Row(
      name: "staggered", cues: [(0, 6, "a"), (4, 10, "b")],
      expected: [cue(0, 4, "a"), cue(4, 6, "a", "b"), cue(6, 10, "b")]),
    Row(name: "of no duration", cues: [(0, 0, "a"), (1, 2, "b")], expected: [cue(1, 2, "b")]),
    Row(name: "out of order", cues: [(5, 9, "a"), (3, 8, "b")], expected: [cue(5, 8, "a", "b"), cue(8, 9, "a")]),
  ]

  @Test(arguments: rows)
  func `cues do not overlap, and each text is shown as long as before`(row: Row) {
    var timeline = CueTimeline()
    var found: [CueTimeline.Cue] = []
    for cue in row.cues { found += timeline.add(start: cue.start, end: cue.end, text: cue.text) }
    found += timeline.finish()
    #expect(found == row.expected)
  }
}
