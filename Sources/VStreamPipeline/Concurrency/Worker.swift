internal import Dispatch
internal import Synchronization

/// Threads of the pipeline's own, which may block as they please.
final class ThreadGroup: Sendable {
  private let group = DispatchGroup()

  /// Runs `body` on a thread of its own.
  func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "vstream.\(name)").async(group: group, execute: body)
  }

  /// Runs `body` on a thread of its own that gives way to all others, as do the threads that are started on it.
  func startLowPriority(_ body: @escaping @Sendable () -> Void) {
    group.enter()
    LowPriorityThread.start { [group] in
      body()
      group.leave()
    }
  }

  /// Waits until all threads have ended, or until the deadline.
  ///
  /// - Returns: whether they have.
  func wait(until deadline: DispatchTime) -> Bool { group.wait(timeout: deadline) == .success }
}

/// Gives a value that is not `Sendable` to another thread, once.
final class Transfer<Value>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: sending Value) { self.value = Mutex(value) }

  /// - Returns: `nil` if the value was taken before.
  func take() -> sending Value? {
    value.withLock { value in
      let taken = value
      value = nil
      return taken
    }
  }
}
