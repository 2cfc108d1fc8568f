import Testing

@testable import VStreamPipeline

struct DecodingTimesTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// In the order of decoding.
    let presentation: [Int64]
    let first: [Int64]
    let expected: [Int64]
  }

  static let rows = [
    Row(testDescription: "nothing", presentation: [], first: [], expected: []),
    Row(testDescription: "no reordering", presentation: [0, 4, 9], first: [0, 4, 9], expected: [0, 4, 9]),
    Row(
      testDescription: "one frame later", presentation: [0, 2, 1, 4, 3], first: [-1, 0, 1, 2, 3],
      expected: [-1, 0, 1, 2, 3]),
    Row(
      testDescription: "two parts, each with its own delay", presentation: [0, 2, 1, 3, 5, 4], first: [-1, 0, 1],
      expected: [-1, 0, 1, 2, 3, 4]),
    Row(
      testDescription: "parts with other delays", presentation: [0, 1, 2, 3, 7, 5, 4, 6], first: [0, 1, 2],
      expected: [-2, -1, 0, 1, 2, 3, 4, 5]),
    Row(
      testDescription: "a variable rate", presentation: [0, 50, 10, 60, 300, 100], first: [-10, 0, 10],
      expected: [-10, 0, 10, 50, 60, 100]),
    Row(
      testDescription: "first times that would be too late", presentation: [0, 2, 1], first: [5, 6, 7],
      expected: [-1, 0, 1]),
  ]

  @Test(arguments: rows)
  func `decoding times ascend and precede presentation`(row: Row) {
    let times = DecodingTimes(presentation: row.presentation, first: row.first)
    let found = (0..<times.count).map { times[$0] }
    #expect(found == row.expected)
    #expect(zip(found, row.presentation).allSatisfy { $0 <= $1 })
    #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
  }
}
