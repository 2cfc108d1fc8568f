import Testing

@testable import VStreamPipeline

struct HoldPolicyTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Milliseconds that earlier results took.
    let results: [Double]
    /// Milliseconds that a result which has not come yet has taken.
    var pending = 0.0
    /// Milliseconds for which the next frame is held.
    let held: Double
  }

  @Test(arguments: [
    Row(testDescription: "before the first result", results: [], held: 10),
    Row(testDescription: "results in time", results: [20, 30, 49], held: 50),
    Row(testDescription: "exactly in time", results: [50], held: 50),
    Row(testDescription: "a late result", results: [20, 60], held: 10),
    Row(testDescription: "in time again after a late one", results: [60, 20], held: 50),
    Row(testDescription: "in time again after a very late one", results: [100, 20], held: 10),
    Row(testDescription: "in time for a while after it", results: [100, 20, 20, 20, 20], held: 50),
    Row(testDescription: "one that is overdue", results: [20], pending: 66, held: 10),
    Row(testDescription: "one that is not yet overdue", results: [20], pending: 33, held: 50),
  ])
  func `a frame is held where its result may come in time`(row: Row) {
    var policy = HoldPolicy(hold: 0.05)
    for result in row.results { policy.add(result / 1000) }
    #expect(abs(policy.seconds(pending: row.pending / 1000) - row.held / 1000) < 1e-9)
  }
}
