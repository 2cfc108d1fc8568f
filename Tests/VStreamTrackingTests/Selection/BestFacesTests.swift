import Testing
import VStreamTestSupport
import VStreamTracking

struct BestFacesTests {
  enum Step: Sendable {
    /// ID, score, value.
    case offer(Int, Double, String)
    case end([Int])
    case endAll
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let steps: [Step]
    /// The results of all ends, in order, as `ID value`.
    let given: [String]
    var left = 0
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "no faces", steps: [.end([1]), .endAll], given: []),
    Row(name: "a single face of score 0 is kept", steps: [.offer(1, 0, "a"), .endAll], given: ["1 a"]),
    Row(
      name: "the best face is kept, in any order",
      steps: [.offer(1, 2, "a"), .offer(1, 5, "b"), .offer(1, 3, "c"), .endAll], given: ["1 b"]),
    Row(
      name: "the first of equal scores is kept", steps: [.offer(1, 2, "a"), .offer(1, 2, "b"), .endAll], given: ["1 a"]),
    Row(name: "a score that is not a number is ignored", steps: [.offer(1, .nan, "a"), .endAll], given: []),
    Row(
      name: "IDs are independent", steps: [.offer(2, 9, "a"), .offer(1, 1, "b"), .endAll], given: ["1 b", "2 a"]),
    Row(
      name: "one ends before the others", steps: [.offer(1, 1, "a"), .offer(2, 1, "b"), .end([2])], given: ["2 b"],
      left: 1),
    Row(
      name: "an ID ends once", steps: [.offer(1, 1, "a"), .end([1, 1]), .end([1]), .endAll], given: ["1 a"]),
    Row(
      name: "several IDs end in ascending order", steps: [.offer(3, 1, "c"), .offer(1, 1, "a"), .end([3, 7, 1])],
      given: ["1 a", "3 c"]),
  ]

  @Test(arguments: rows) func `the best face of each ID is returned when the ID ends`(row: Row) {
    var best = BestFaces<String>()
    var given: [String] = []
    for step in row.steps {
      switch step {
      case .offer(let id, let score, let value): best.offer(value, score: score, for: id)
      case .end(let ids): given += best.end(ids).map { "\($0.id) \($0.value)" }
      case .endAll: given += best.endAll().map { "\($0.id) \($0.value)" }
      }
    }
    #expect(given == row.given)
    #expect(best.count == row.left)
  }

  /// Compared with a list of all faces; one face is held per open ID.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `in any order of faces, the result is the best of all`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var best = BestFaces<Int>()
    var offered: [Int: [(score: Double, value: Int)]] = [:]
    for value in 0..<2000 {
      let id = numbers.below(8)
      if numbers.below(10) == 0 {
        let ended = best.end([id]).map(\.value)
        let all = offered.removeValue(forKey: id) ?? []
        let greatest = all.map(\.score).max()
        #expect(ended == (all.first { $0.score == greatest }).map { [$0.value] } ?? [])
      } else {
        let score = Double(numbers.below(50))
        let isBetter = offered[id, default: []].allSatisfy { $0.score < score }
        #expect(best.accepts(score, for: id) == isBetter)
        best.offer(value, score: score, for: id)
        offered[id, default: []].append((score, value))
      }
      #expect(best.count == offered.count)
    }
  }
}
