internal import Dispatch

/// The threads of a run, of which each runs one closure that may block.
final class ThreadGroup: Sendable {
  private let group = DispatchGroup()

  /// Runs `body` on a new thread, whose priority the threads inherit that `body` starts.
  func start(_ priority: SystemThread.Priority = .ordinary, _ body: @escaping @Sendable () -> Void) {
    group.enter()
    SystemThread.start(priority) { [group] in
      body()
      group.leave()
    }
  }

  /// Waits until all threads have ended, or until the deadline.
  ///
  /// - Returns: whether all have ended.
  func wait(until deadline: DispatchTime) -> Bool { group.wait(timeout: deadline) == .success }
}
