import Testing
import VStreamCore
import VStreamDetection

/// The choice among overlapping boxes.
@Suite struct NonMaximumSuppressionTests {
  /// A box 10 high at a position along a line; two of width 10 that are d apart overlap by (10 − d) ÷ (10 + d).
  struct Candidate: Sendable {
    let left: Double
    var width = 10.0
    let score: Double
    var classIndex = 0
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let candidates: [Candidate]
    var limit = 100
    /// Indices of the kept candidates, best first.
    let kept: [Int]

    init(_ what: String, _ candidates: [Candidate], limit: Int = 100, kept: [Int]) {
      testDescription = what
      self.candidates = candidates
      self.limit = limit
      self.kept = kept
    }
  }

  static let rows = [
    Row("nothing", [], kept: []),
    Row("one", [Candidate(left: 0, score: 0.5)], kept: [0]),
    Row("apart", [Candidate(left: 0, score: 0.5), Candidate(left: 20, score: 0.6)], kept: [1, 0]),
    Row("touching", [Candidate(left: 0, score: 0.5), Candidate(left: 10, score: 0.6)], kept: [1, 0]),
    Row("the same", [Candidate(left: 0, score: 0.5), Candidate(left: 0, score: 0.6)], kept: [1]),
    Row("a tie goes to the first", [Candidate(left: 0, score: 0.5), Candidate(left: 1, score: 0.5)], kept: [0]),
    Row(
      "kept ties keep their order", (0..<3).map { Candidate(left: Double(40 - $0 * 20), score: 0.5) },
      kept: [0, 1, 2]),
    // IoU (10 − 2.5) ÷ (10 + 2.5) = 0.6, exactly representable sizes: not greater than the threshold.
    Row(
      "at the threshold both are kept", [Candidate(left: 0, score: 0.6), Candidate(left: 2.5, score: 0.5)],
      kept: [0, 1]),
    Row(
      "just above it one is suppressed", [Candidate(left: 0, score: 0.6), Candidate(left: 2.4375, score: 0.5)],
      kept: [0]),
    Row(
      "just below it both are kept", [Candidate(left: 0, score: 0.6), Candidate(left: 2.5625, score: 0.5)],
      kept: [0, 1]),
    Row(
      "other classes do not count", [Candidate(left: 0, score: 0.6), Candidate(left: 0, score: 0.5, classIndex: 1)],
      kept: [0, 1]),
    // The first suppresses the middle one, which therefore cannot suppress the last.
    Row(
      "a suppressed box suppresses no other",
      [Candidate(left: 0, score: 0.9), Candidate(left: 2, score: 0.8), Candidate(left: 4, score: 0.7)], kept: [0, 2]),
    Row(
      "a small box inside a large one is kept",
      [Candidate(left: 0, width: 100, score: 0.9), Candidate(left: 40, score: 0.8)], kept: [0, 1]),
    Row(
      "boxes without an area overlap nothing",
      [
        Candidate(left: 0, width: 0, score: 0.9), Candidate(left: 0, width: 0, score: 0.8),
        Candidate(left: 0, width: -5, score: 0.7),
      ], kept: [0, 1, 2]),
    Row(
      "boxes without a finite position overlap nothing",
      [Candidate(left: .nan, score: 0.9), Candidate(left: .nan, score: 0.8), Candidate(left: .infinity, score: 0.7)],
      kept: [0, 1, 2]),
    Row(
      "the limit keeps the best",
      [Candidate(left: 0, score: 0.5), Candidate(left: 20, score: 0.7), Candidate(left: 40, score: 0.6)], limit: 2,
      kept: [1, 2]),
    Row(
      "the limit counts kept boxes",
      [Candidate(left: 0, score: 0.9), Candidate(left: 0, score: 0.8), Candidate(left: 20, score: 0.7)], limit: 2,
      kept: [0, 2]),
    Row("a limit of 0", [Candidate(left: 0, score: 0.9)], limit: 0, kept: []),
  ]

  @Test(arguments: rows) func keeps(_ row: Row) {
    // The label identifies the candidate.
    let objects = row.candidates.enumerated().map { index, candidate in
      DetectedObject(
        classIndex: candidate.classIndex, label: "\(index)", score: candidate.score,
        box: Box(x: candidate.left, y: 0, width: candidate.width, height: 10))
    }
    let kept = nonMaximumSuppression(objects, maximumIoU: 0.6, limit: row.limit)
    #expect(kept.map(\.label) == row.kept.map(String.init))
  }
}
