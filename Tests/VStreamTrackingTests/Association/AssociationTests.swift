import Testing
import VStreamTestSupport

@testable import VStreamTracking

struct AssociationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let candidates: [Candidate]
    /// Track and detection.
    let expected: [[Int]]
    var testDescription: String { name }
  }

  private static func candidate(_ track: Int, _ detection: Int, _ gain: Double) -> Candidate {
    Candidate(track: track, detection: detection, gain: gain)
  }

  static let rows = [
    Row(name: "nothing", candidates: [], expected: []),
    Row(name: "one pair", candidates: [candidate(3, 5, 1)], expected: [[3, 5]]),
    Row(
      name: "two pairs that do not compete", candidates: [candidate(0, 1, 1), candidate(2, 0, 1)],
      expected: [[0, 1], [2, 0]]),
    Row(
      name: "the greater gain wins a detection", candidates: [candidate(0, 0, 1), candidate(1, 0, 2)],
      expected: [[1, 0]]),
    Row(
      name: "two pairs with a greater total gain than the best single pair",
      candidates: [candidate(0, 0, 5), candidate(0, 1, 4), candidate(1, 0, 4)], expected: [[0, 1], [1, 0]]),
    Row(
      name: "one pair with a greater gain than two together",
      candidates: [candidate(0, 0, 9), candidate(0, 1, 4), candidate(1, 0, 4)], expected: [[0, 0]]),
    Row(
      name: "groups that are linked last",
      candidates: [candidate(0, 0, 2), candidate(1, 1, 2), candidate(2, 0, 1), candidate(2, 1, 3)],
      expected: [[0, 0], [2, 1]]),
  ]

  @Test(arguments: rows)
  func `pairs match those computed by hand`(_ row: Row) {
    var association = Association()
    association.select(row.candidates, trackCount: 4, detectionCount: 6)
    #expect(association.pairs.map { [$0.track, $0.detection] }.sorted { $0[0] < $1[0] } == row.expected)
  }

  @Test func `association in groups has the same total gain as in one step`() {
    var generator = SeededNumbers(seed: 3)
    // One object for all problems, to check that the state of one does not affect the next.
    var association = Association()
    for _ in 0..<300 {
      let tracks = Int.random(in: 1...9, using: &generator)
      let detections = Int.random(in: 1...9, using: &generator)
      var candidates: [Candidate] = []
      for track in 0..<tracks {
        for detection in 0..<detections where Double.random(in: 0...1, using: &generator) < 0.3 {
          candidates.append(
            Candidate(track: track, detection: detection, gain: Double.random(in: 0.1...5, using: &generator)))
        }
      }
      association.select(candidates, trackCount: tracks, detectionCount: detections)
      let pairs = association.pairs
      #expect(Set(pairs.map(\.track)).count == pairs.count)
      #expect(Set(pairs.map(\.detection)).count == pairs.count)
      #expect(Set(pairs).isSubset(of: candidates))
      let gain = pairs.reduce(0) { $0 + $1.gain }
      #expect(abs(gain - gainAtOnce(candidates, tracks, detections)) < 1e-9)
    }
  }

  /// The maximum total gain, by one assignment of all tracks and detections.
  private func gainAtOnce(_ candidates: [Candidate], _ tracks: Int, _ detections: Int) -> Double {
    var gains = [Double](repeating: 0, count: tracks * detections)
    for candidate in candidates { gains[candidate.track * detections + candidate.detection] = candidate.gain }
    var assignment = Assignment()
    assignment.solve(rows: tracks, columns: detections) { -gains[$0 * detections + $1] }
    return assignment.columnOfRow.enumerated().reduce(0) { sum, pair in
      sum + (pair.element < 0 ? 0 : gains[pair.offset * detections + pair.element])
    }
  }
}
