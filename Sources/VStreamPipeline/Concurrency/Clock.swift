internal import Dispatch

/// Where a pipeline has the time from: seconds that only go forward.
protocol PipelineClock: Sendable {
  var now: Double { get }

  /// Waits until the semaphore is signalled, at most until a moment of this clock; `nil` for as long as it takes.
  ///
  /// - Returns: whether it was signalled.
  func wait(for semaphore: DispatchSemaphore, until moment: Double?) -> Bool
}

/// The machine's own clock.
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
