internal import Dispatch

/// The clock of a run: seconds that never go back.
protocol PipelineClock: Sendable {
  var now: Double { get }

  /// Waits until the semaphore is signalled, at most until `moment` of this clock; without limit if it is `nil`.
  ///
  /// - Returns: whether it was signalled.
  func wait(for semaphore: DispatchSemaphore, until moment: Double?) -> Bool
}

/// The system's monotonic clock.
struct SystemClock: PipelineClock {
  var now: Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }

  func wait(for semaphore: DispatchSemaphore, until moment: Double?) -> Bool {
    guard let moment else {
      semaphore.wait()
      return true
    }
    let nanoseconds = UInt64(min(max(0, moment), 9e9) * 1e9)
    return semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: nanoseconds)) == .success
  }
}
