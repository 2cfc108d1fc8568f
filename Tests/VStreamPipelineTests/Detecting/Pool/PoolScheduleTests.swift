import Testing
import VStreamTestSupport

@testable import VStreamPipeline

/// Whose frame a pool detects next.
struct PoolScheduleTests {
  /// The next frame, which is done at once.
  private static func serve(_ schedule: inout PoolSchedule<String>) -> String? {
    guard case .frame(let frame, let id) = schedule.next() else { return nil }
    schedule.complete(id)
    return frame
  }

  @Test func `equal members are served in the order in which they wait`() {
    var schedule = PoolSchedule<String>()
    let ids = (0..<3).map { _ in schedule.join(deadlineAfter: 0.2) }
    for (moment, index) in [2, 0, 1].enumerated() {
      _ = schedule.offer("\(index)", by: ids[index], at: Double(moment))
    }
    #expect((0..<3).map { _ in Self.serve(&schedule) } == ["2", "0", "1"])
    #expect(Self.serve(&schedule) == nil)
  }

  @Test func `the newest frame replaces the one that waits, which keeps its turn`() {
    var schedule = PoolSchedule<String>()
    let (one, other) = (schedule.join(deadlineAfter: 0.2), schedule.join(deadlineAfter: 0.2))
    _ = schedule.offer("old", by: one, at: 0)
    _ = schedule.offer("other", by: other, at: 1)
    #expect(schedule.offer("new", by: one, at: 2) == "old")
    #expect(Self.serve(&schedule) == "new")
    #expect(Self.serve(&schedule) == "other")
  }

  @Test func `a member has one frame in flight`() {
    var schedule = PoolSchedule<String>()
    let id = schedule.join(deadlineAfter: 0.2)
    _ = schedule.offer("first", by: id, at: 0)
    guard case .frame("first", id) = schedule.next() else { return #expect(Bool(false)) }
    _ = schedule.offer("second", by: id, at: 1)
    guard case .nothing = schedule.next() else { return #expect(Bool(false)) }
    schedule.complete(id)
    #expect(Self.serve(&schedule) == "second")
  }

  /// Members that always have a frame, and one thread that serves a frame in a second.
  private static func counts(deadlines: [Double], seconds: Int) -> [Int] {
    var schedule = PoolSchedule<Int>()
    let ids = deadlines.map { schedule.join(deadlineAfter: $0) }
    var counts = deadlines.map { _ in 0 }
    for second in 0..<seconds {
      for (index, id) in ids.enumerated() { _ = schedule.offer(index, by: id, at: Double(second)) }
      guard case .frame(let index, let id) = schedule.next() else { break }
      schedule.complete(id)
      counts[index] += 1
    }
    return counts
  }

  @Test func `none starves, and none is served twice while an equal one waits`() {
    let counts = Self.counts(deadlines: [Double](repeating: 0.2, count: 7), seconds: 7 * 50)
    #expect(counts == [Int](repeating: 50, count: 7))
  }

  @Test func `a member with an earlier deadline is served more, and the others go on`() {
    let counts = Self.counts(deadlines: [1, 20, 20, 20], seconds: 400)
    #expect(counts[0] > 2 * counts[1], "\(counts)")
    #expect(counts.dropFirst().allSatisfy { $0 >= 10 }, "\(counts)")
  }

  @Test func `the frame of a member that leaves is returned, and its later frames as well`() {
    var schedule = PoolSchedule<String>()
    let id = schedule.join(deadlineAfter: 0.2)
    _ = schedule.offer("a", by: id, at: 0)
    #expect(schedule.leave(id) == "a")
    #expect(schedule.offer("b", by: id, at: 1) == "b")
    #expect(Self.serve(&schedule) == nil)
    #expect(schedule.join(deadlineAfter: 0.2) != id)
  }

  @Test func `a withdrawn frame is not detected`() {
    var schedule = PoolSchedule<String>()
    let id = schedule.join(deadlineAfter: 0.2)
    _ = schedule.offer("a", by: id, at: 0)
    #expect(schedule.withdraw(from: id) { $0 == "b" } == nil)
    #expect(schedule.withdraw(from: id) { $0 == "a" } == "a")
    #expect(Self.serve(&schedule) == nil)
  }

  @Test func `what waits at the end is served`() {
    var schedule = PoolSchedule<String>()
    let id = schedule.join(deadlineAfter: 0.2)
    _ = schedule.offer("a", by: id, at: 0)
    schedule.finish()
    #expect(Self.serve(&schedule) == "a")
    guard case .end = schedule.next() else { return #expect(Bool(false)) }
  }
}
