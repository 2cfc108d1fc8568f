import Testing

@testable import VStreamPipeline

struct BacklogTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The moments before and after each read, in seconds after the input was opened.
    let reads: [[Double]]
    let isBeingRead: Bool
  }

  static let rows = [
    Row(testDescription: "nothing has been read", reads: [], isBeingRead: true),
    Row(testDescription: "packets that are there", reads: [[0, 0.0001], [0.2, 0.2001]], isBeingRead: true),
    Row(testDescription: "a packet that was waited for", reads: [[0, 0.0001], [0.2, 0.21]], isBeingRead: false),
    Row(
      testDescription: "a packet that is there after one that was waited for", reads: [[0, 0.01], [0.2, 0.2001]],
      isBeingRead: false),
    Row(
      testDescription: "stages that are too slow for the stream", reads: [[4, 4.0001], [5, 5.0001]], isBeingRead: false),
  ]

  @Test(arguments: rows)
  func `a backlog lasts until a packet is waited for, or for five seconds`(row: Row) {
    var backlog = Backlog(openedAt: 100)
    for read in row.reads { backlog.noteRead(from: 100 + read[0], to: 100 + read[1]) }
    #expect(backlog.isBeingRead == row.isBeingRead)
  }
}
