import Testing
import VStreamCore
import VStreamReporting

@testable import VStreamPipeline

/// The state that the threads of a run share.
struct RunStateTests {
  private let clock = ManualClock()

  @Test func `the first error is reported, and stops the run`() {
    let state = RunState(clock: clock)
    #expect(!state.isStopping && state.wait(until: 0))
    state.fail(VStreamError(.library, "first"))
    state.fail(VStreamError(.library, "second"))
    #expect(state.contents.read { $0.error?.message } == "first")
    #expect(state.isStopping && state.interrupt.wasTriggered)
    #expect(!state.contents.read { $0.wasStopped }, "it failed, and was not stopped")
  }

  @Test func `a stop ends waiting before its moment`() {
    let state = RunState(clock: clock)
    let threads = ThreadGroup()
    let ended = Monitor<Bool?>(nil)
    threads.start {
      let isGoingOn = state.wait(until: 1000)
      ended.update { $0 = isGoingOn }
    }
    state.stop()
    #expect(ended.wait { $0 } == false)
    #expect(state.contents.read { $0.wasStopped && $0.error == nil })
  }

  @Test func `waiting ends at its moment`() {
    let state = RunState(clock: clock)
    let threads = ThreadGroup()
    let ended = Monitor<Bool?>(nil)
    threads.start {
      let isGoingOn = state.wait(until: 5)
      ended.update { $0 = isGoingOn }
    }
    clock.advance(to: 5)
    #expect(ended.wait { $0 } == true)
  }

  @Test func `warnings are in the result, notices are shown only`() {
    let state = RunState(clock: clock)
    state.warn("a stream is omitted")
    state.notify("reconnected")
    #expect(state.contents.read { $0.warnings.map(\.description) } == ["a stream is omitted"])
    #expect(
      state.contents.read { $0.messages.map(\.description) } == ["warning: a stream is omitted", "reconnected"])
  }

  struct CountRow: CustomTestStringConvertible, Sendable {
    let name: String
    let hasFailed: Bool
    var repeated = 0
    var dropped = 0
    let expected: Int
    var testDescription: String { name }
  }

  @Test(arguments: [
    CountRow(name: "a run without an error", hasFailed: false, dropped: 1, expected: 1),
    CountRow(name: "frames in flight at a failure", hasFailed: true, expected: 4),
    CountRow(name: "repeated frames were in flight as well", hasFailed: true, repeated: 2, expected: 6),
    CountRow(name: "more were dropped before", hasFailed: true, dropped: 9, expected: 9),
  ])
  func `frames in flight when a run fails count as dropped`(row: CountRow) {
    let state = RunState(clock: clock)
    state.count { counts in
      (counts.framesIn, counts.framesOut) = (10, 6)
      (counts.framesRepeated, counts.framesDropped) = (row.repeated, row.dropped)
    }
    if row.hasFailed { state.fail(VStreamError(.library, "failed")) }
    #expect(state.contents.read { $0.settledCounts.framesDropped } == row.expected)
  }

  @Test func `the shortest detection pass is of the time since it was last taken`() {
    var times = RunState.DetectionTimes()
    for seconds in [0.3, 0.1, 0.2] { times.add(seconds) }
    #expect(times.count == 3 && abs(times.seconds - 0.6) < 1e-9)
    #expect(times.takeShortest() == 0.1)
    times.add(0.5)
    #expect(times.takeShortest() == 0.5)
    #expect(times.takeShortest() == .infinity)
  }

  @Test func `the measurements of all threads are added up`() {
    let state = RunState(clock: clock)
    for _ in 0..<2 {
      let timer = StageTimer()
      timer.measure(.decode) {}
      timer.measure(.encode) {}
      timer.measure(.decode) {}
      state.add(timer)
    }
    #expect(state.contents.read { $0.stages.mapValues(\.count) } == [.decode: 4, .encode: 2])
  }
}
