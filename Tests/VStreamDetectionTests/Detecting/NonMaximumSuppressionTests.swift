import Testing
import VStreamDetection
import VStreamScene

/// The boxes that are kept of several overlapping ones.
@Suite struct NonMaximumSuppressionTests {
  /// A box 10 high at a place along a line; two of width 10 that are d apart overlap by (10 − d) ÷ (10 + d).
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
      "ties that stay keep their order", (0..<3).map { Candidate(left: Double(40 - $0 * 20), score: 0.5) },
      kept: [0, 1, 2]),
    // IoU (10 − 2.5) ÷ (10 + 2.5) = 0.6, exactly representable sizes: not greater than the threshold.
    Row(
      "at the threshold both stay", [Candidate(left: 0, score: 0.6), Candidate(left: 2.5, score: 0.5)], kept: [0, 1]),
    Row("just above it one goes", [Candidate(left: 0, score: 0.6), Candidate(left: 2.4375, score: 0.5)], kept: [0]),
    Row(
      "just below it both stay", [Candidate(left: 0, score: 0.6), Candidate(left: 2.5625, score: 0.5)], kept: [0, 1]),
    Row(
      "other classes do not count", [Candidate(left: 0, score: 0.6), Candidate(left: 0, score: 0.5, classIndex: 1)],
      kept: [0, 1]),
    // The middle one goes because of the first, and so cannot take the last with it.
    Row(
      "what is dropped drops nothing",
      [Candidate(left: 0, score: 0.9), Candidate(left: 2, score: 0.8), Candidate(left: 4, score: 0.7)], kept: [0, 2]),
    Row(
      "a small one inside a large one stays",
      [Candidate(left: 0, width: 100, score: 0.9), Candidate(left: 40, score: 0.8)], kept: [0, 1]),
    Row(
      "boxes without an area overlap nothing",
      [
        Candidate(left: 0, width: 0, score: 0.9), Candidate(left: 0, width: 0, score: 0.8),
        Candidate(left: 0, width: -5, score: 0.7),
      ], kept: [0, 1, 2]),
    Row(
      "nor do those that are nowhere",
      [Candidate(left: .nan, score: 0.9), Candidate(left: .nan, score: 0.8), Candidate(left: .infinity, score: 0.7)],
      kept: [0, 1, 2]),
    Row(
      "the limit keeps the best",
      [Candidate(left: 0, score: 0.5), Candidate(left: 20, score: 0.7), Candidate(left: 40, score: 0.6)], limit: 2,
      kept: [1, 2]),
    Row(
      "the limit counts what stays",
      [Candidate(left: 0, score: 0.9), Candidate(left: 0, score: 0.8), Candidate(left: 20, score: 0.7)], limit: 2,
      kept: [0, 2]),
    Row("a limit of none", [Candidate(left: 0, score: 0.9)], limit: 0, kept: []),
  ]

  @Test(arguments: rows) func keeps(_ row: Row) {
    // The label says which candidate it is.
    let objects = row.candidates.enumerated().map { index, candidate in
      DetectedObject(
        classIndex: candidate.classIndex, label: "\(index)", score: candidate.score,
        box: Box(x: candidate.left, y: 0, width: candidate.width, height: 10))
    }
    let kept = nonMaximumSuppression(objects, maximumIoU: 0.6, limit: row.limit)
    #expect(kept.map(\.label) == row.kept.map(String.init))
  }
}
