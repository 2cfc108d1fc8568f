import Dispatch
import Testing

@testable import VStreamPipeline

/// The threads of runs.
struct ThreadGroupTests {
  /// Dispatch has 255 threads, and many cameras need more.
  @Test func `hundreds of threads wait for each other`() {
    let threads = ThreadGroup()
    let started = Monitor(0)
    for index in 0..<600 {
      threads.start(index % 2 == 0 ? .ordinary : .low) {
        started.update { $0 += 1 }
        _ = started.wait { $0 == 601 ? true : nil }
      }
    }
    #expect(started.wait { $0 == 600 ? true : nil } == true)
    #expect(!threads.wait(until: .now()))
    started.update { $0 += 1 }
    #expect(threads.wait(until: .distantFuture))
  }
}
