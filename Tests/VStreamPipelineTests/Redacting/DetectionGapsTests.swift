import Testing

@testable import VStreamPipeline

/// How long the time between detections is in which a frame lies.
struct DetectionGapsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// Frames with detections, of ten that follow each other by a second.
    let detected: Set<Int>
    /// The frame with which detections of an earlier one come late.
    var late: [Int: [Double]] = [:]
    /// The gaps of the frames once all are known.
    let lengths: [Double]
    var testDescription: String { name }
  }

  @Test(arguments: [
    Row(name: "every frame", detected: Set(0..<10), lengths: Array(repeating: 0, count: 10)),
    Row(name: "every third", detected: [0, 3, 6, 9], lengths: [0, 3, 3, 0, 3, 3, 0, 3, 3, 0]),
    Row(name: "none at the end: to the last frame", detected: [0, 4], lengths: [0, 4, 4, 4, 0, 5, 5, 5, 5, 5]),
    Row(
      name: "none at the beginning", detected: [2, 9],
      lengths: [.infinity, .infinity, 0, 7, 7, 7, 7, 7, 7, 0]),
    Row(name: "late ones", detected: [0, 8], late: [6: [2, 4]], lengths: [0, 2, 0, 2, 0, 4, 4, 4, 0, 1]),
    Row(name: "none", detected: [], lengths: Array(repeating: .infinity, count: 10)),
  ])
  func `a gap lasts from one detection to the next`(row: Row) {
    var gaps = DetectionGaps()
    for index in 0..<10 {
      gaps.add(Double(index), isDetected: row.detected.contains(index), late: row.late[index] ?? [])
    }
    #expect((0..<10).map { gaps.length(at: Double($0)) } == row.lengths)
  }

  @Test func `a frame that leaves at once knows only what was before it`() {
    var gaps = DetectionGaps()
    let lengths = (0..<6).map { index in
      gaps.add(Double(index), isDetected: index % 3 == 0, late: [])
      return gaps.length(at: Double(index))
    }
    #expect(lengths == [0, 1, 2, 0, 1, 2])
  }
}
