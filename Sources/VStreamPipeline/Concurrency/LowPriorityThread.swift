internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#endif

/// A thread that gets a third of what others get of a processor that they both want.
///
/// Not one of Dispatch's: those are used again for others, and a thread cannot get its priority back.
enum LowPriorityThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// On Linux, `setpriority` with 0 means the calling thread alone, and threads that it starts inherit its priority.
  private static let niceness: Int32 = 5

  /// Runs `body` on such a thread; on an ordinary one if there is none to be had.
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
