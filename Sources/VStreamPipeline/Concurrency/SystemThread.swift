internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#endif

/// A thread that may block.
///
/// Not a Dispatch thread: of those a process has 255 at most, fewer than many cameras need, and a closure that finds none waits
/// silently. Dispatch also reuses its threads, and an unprivileged thread cannot raise its priority again.
enum SystemThread {
  enum Priority: Sendable {
    case ordinary
    /// A third of the processor time of an ordinary thread when both compete for one processor.
    case low
  }

  /// On Linux, `setpriority` with 0 affects the calling thread only, and threads that it starts inherit its priority.
  private static let niceness: Int32 = 5

  private final class Body: Sendable {
    let priority: Priority
    let run: @Sendable () -> Void

    init(_ priority: Priority, _ run: @escaping @Sendable () -> Void) {
      self.priority = priority
      self.run = run
    }
  }

  /// Runs `body` on a new thread, or on one of Dispatch's if it cannot be created.
  static func start(_ priority: Priority = .ordinary, _ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Body(priority, body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        if body.priority == .low { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, SystemThread.niceness) }
        body.run()
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      let body = argument.takeRetainedValue()
      return DispatchQueue(label: "vstream").async { body.run() }
    }
    pthread_detach(thread)
  }
}
