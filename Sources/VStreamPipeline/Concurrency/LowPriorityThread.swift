internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#endif

/// A thread that gets a third of the processor time of an ordinary thread when both compete for one processor.
///
/// Not a Dispatch thread: Dispatch reuses its threads, and an unprivileged thread cannot raise its priority again.
enum LowPriorityThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// On Linux, `setpriority` with 0 affects the calling thread only, and threads that it starts inherit its priority.
  private static let niceness: Int32 = 5

  /// Runs `body` on such a thread, or on an ordinary one if it cannot be created.
  static func start(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Body(body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, LowPriorityThread.niceness)
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      let body = argument.takeRetainedValue()
      return DispatchQueue(label: "vstream.detector").async { body.run() }
    }
    pthread_detach(thread)
  }
}
