internal import Dispatch

/// The threads of a run, of which each runs one closure that may block.
final class ThreadGroup: Sendable {
  private let group = DispatchGroup()

  /// Runs `body` on a serial Dispatch queue of its own, so that it runs beside all others.
  func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "vstream.\(name)").async(group: group, execute: body)
  }

  /// Runs `body` on a new thread of low priority, which the threads that `body` starts inherit.
  func startLowPriority(_ body: @escaping @Sendable () -> Void) {
    group.enter()
    LowPriorityThread.start { [group] in
      body()
      group.leave()
    }
  }

  /// Waits until all threads have ended, or until the deadline.
  ///
  /// - Returns: whether all have ended.
  func wait(until deadline: DispatchTime) -> Bool { group.wait(timeout: deadline) == .success }
}
