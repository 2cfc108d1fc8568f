import Testing
import VStreamTestSupport

@testable import VStreamPipeline

/// The gate's rules, without threads.
struct LateFrameGateTests {
  private func frame<Frame>(_ turn: LateFrameGate<Frame>.Turn) -> Frame? {
    if case .frame(let frame) = turn { frame } else { nil }
  }

  @Test func `a free detector gets the frame that comes`() {
    var gate = LateFrameGate<Int>()
    #expect(gate.offer(1) == nil)
    #expect(frame(gate.next()) == 1)
    #expect(gate.isInFlight)
  }

  @Test func `one frame waits, and the newest wins`() {
    var gate = LateFrameGate<Int>()
    _ = gate.offer(1)
    _ = gate.next()
    #expect(gate.offer(2) == nil)
    #expect(gate.offer(3) == 2)
    #expect(gate.offer(4) == 3)
    #expect(frame(gate.next()) == 4)
    #expect(frame(gate.next()) == nil, "nothing else was queued")
    #expect(!gate.isInFlight)
  }

  @Test func `what left unseen is taken back, if it still waits`() {
    var gate = LateFrameGate<Int>()
    _ = gate.offer(1)
    #expect(gate.withdraw { $0 == 2 } == nil)
    #expect(gate.withdraw { $0 == 1 } == 1)
    #expect(frame(gate.next()) == nil)
  }

  @Test func `at the end the waiting frame can still be taken, then there is no more`() {
    var gate = LateFrameGate<Int>()
    _ = gate.offer(1)
    gate.finish()
    #expect(frame(gate.next()) == 1)
    guard case .end = gate.next() else {
      Issue.record("not at the end")
      return
    }
  }

  /// Frames come and detectors end at random moments: whatever the order, each frame is taken, pushed out or waits, and
  /// what is taken is the newest there is.
  @Test(arguments: 0..<20) func `no frame is lost or taken twice`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    var gate = LateFrameGate<Int>()
    var (taken, superseded): ([Int], [Int]) = ([], [])
    var offered = 0
    for _ in 0..<500 {
      if random.next() % 3 > 0 {
        if let old = gate.offer(offered) { superseded.append(old) }
        offered += 1
      } else if let next = frame(gate.next()) {
        #expect(next == offered - 1, "the newest")
        taken.append(next)
      }
    }
    gate.finish()
    if let last = frame(gate.next()) { taken.append(last) }
    #expect((taken + superseded).sorted() == Array(0..<offered))
    #expect(taken == taken.sorted())
  }
}
