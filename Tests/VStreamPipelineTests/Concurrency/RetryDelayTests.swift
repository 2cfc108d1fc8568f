import Testing
import VStreamTestSupport

@testable import VStreamPipeline

struct RetryDelayTests {
  @Test func `pauses double up to the longest, and begin again after a success`() {
    var delay = RetryDelay(first: 0.25, longest: 4)
    var numbers = SeededNumbers(seed: 1)
    for expected in [0.25, 0.5, 1, 2, 4, 4, 4] {
      let pause = delay.take(using: &numbers)
      #expect(abs(pause / expected - 1) <= 0.2, "\(pause) for \(expected)")
    }
    delay.reset()
    #expect(delay.take(using: &numbers) <= 0.3)
  }

  @Test func `those that were lost together do not return at the same moment`() {
    var numbers = SeededNumbers(seed: 2)
    let pauses = (0..<20).map { _ in
      var delay = RetryDelay(first: 1, longest: 4)
      return delay.take(using: &numbers)
    }
    #expect(Set(pauses).count == 20)
  }
}
