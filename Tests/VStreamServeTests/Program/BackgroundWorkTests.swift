import Foundation
import Testing
import VStreamPipeline

@testable import VStreamServe

/// Work apart from the connections.
struct BackgroundWorkTests {
  private struct Work: Sendable {
    var running = 0
    var most = 0
    var order: [Int] = []
  }

  @Test func `changes are made one by one, in their order`() {
    let work = Monitor(Work())
    for number in 0..<200 {
      BackgroundWork.run(.changes) {
        work.update { work in
          work.running += 1
          work.most = max(work.most, work.running)
        }
        sched_yield()
        work.update { work in
          work.running -= 1
          work.order.append(number)
        }
      }
    }
    #expect(BackgroundWork.runChange { work.read { $0.order } } == Array(0..<200))
    #expect(work.read { $0.most } == 1)
  }

  /// A change that takes long, and those that wait for it, leave the threads to others.
  @Test func `waiting changes delay no read`() {
    let (isReleased, hasRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for _ in 0..<100 {
      BackgroundWork.run(.changes) {
        isReleased.wait()
        isReleased.signal()
      }
    }
    BackgroundWork.run(.reads) { hasRead.signal() }
    #expect(hasRead.wait(timeout: .now() + 60) == .success)
    isReleased.signal()
    BackgroundWork.runChange {}
  }
}
