import Testing
import VStreamCore

@testable import VStreamPipeline

struct RetryDelayTests {
  @Test func `pauses double up to the longest, and begin again after a success`() {
    var delay = RetryDelay(first: 0.25)
    for expected in [0.25, 0.5, 1, 2, 2, 2, 2] {
      let pause = delay.take(after: nil)
      #expect(abs(pause / expected - 1) <= 0.2, "\(pause) for \(expected)")
    }
    delay.reset()
    #expect(delay.take(after: nil) <= 0.3)
  }

  @Test func `a server that refused the password is not asked again soon`() {
    var delay = RetryDelay(first: 0.25)
    let denied = VStreamError(.inputDenied, "scripted")
    for _ in 0..<10 { #expect(delay.take(after: denied) >= 48) }
    // A camera that is merely away is.
    #expect(delay.take(after: VStreamError(.inputNotFound, "scripted")) <= 0.3)
  }

  @Test func `those that were lost together do not return at the same moment`() {
    let pauses = (0..<20).map { _ in
      var delay = RetryDelay(first: 1)
      return delay.take(after: nil)
    }
    #expect(Set(pauses).count == 20)
  }
}
