internal import Dispatch
internal import Synchronization
package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A value that one caller at a time may use, for calls that are too long for Swift's cooperative threads: an asynchronous
/// call runs on a serial Dispatch queue of its own, which may block.
///
/// Calls are served in their order.
package final class DedicatedThread<State>: Sendable {
  private let state: Mutex<State>
  private let queue: DispatchQueue

  package init(_ name: String, _ state: sending State) {
    self.state = Mutex(state)
    queue = DispatchQueue(label: "vstream.\(name)")
  }

  /// Runs `body` on the calling thread, after all earlier calls. Blocks the calling thread.
  package func runHere<R: Sendable>(
    _ body: @Sendable (inout State) throws(VStreamError) -> R
  ) throws(VStreamError) -> R {
    try queue.sync { result(of: body) }.get()
  }

  /// Runs `body` on the queue, after all earlier calls.
  package func run<R: Sendable>(
    _ body: @escaping @Sendable (inout State) throws(VStreamError) -> R
  ) async throws(VStreamError) -> R {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.result(of: body)) }
    }
    return try result.get()
  }

  /// Runs `body` as `run` does, unless the task is cancelled before its turn.
  ///
  /// - Throws: `CancellationError` if it is; else the `VStreamError` of `body`.
  package func runUnlessCancelled<R: Sendable>(
    _ body: @escaping @Sendable (inout State) throws(VStreamError) -> R
  ) async throws -> R {
    try Task.checkCancellation()
    let isCancelled = Monitor(false)
    let result = try await withTaskCancellationHandler {
      try await run { (state) throws(VStreamError) -> R? in
        if isCancelled.read({ $0 }) { return nil }
        return try body(&state)
      }
    } onCancel: {
      isCancelled.update { $0 = true }
    }
    guard let result else { throw CancellationError() }
    return result
  }

  private func result<R: Sendable>(
    of body: @Sendable (inout State) throws(VStreamError) -> R
  ) -> Result<R, VStreamError> {
    state.withLock { state in
      do throws(VStreamError) {
        return .success(try body(&state))
      } catch {
        return .failure(error)
      }
    }
  }
}

/// Several values for calls like those of `DedicatedThread`, which run side by side.
package final class DedicatedThreads<State>: Sendable {
  private let threads: [DedicatedThread<State>]
  /// The calls that each serves or has waiting.
  private let calls: Mutex<[Int]>

  /// - Parameter make: makes one of the values.
  package init(_ name: String, count: Int, _ make: () throws(VStreamError) -> sending State) throws(VStreamError) {
    var threads: [DedicatedThread<State>] = []
    for _ in 0..<max(1, count) { threads.append(DedicatedThread(name, try make())) }
    self.threads = threads
    calls = Mutex([Int](repeating: 0, count: threads.count))
  }

  /// Runs `body` on the calling thread, with the value that has the fewest calls, after those.
  package func runHere<R: Sendable>(
    _ body: @Sendable (inout State) throws(VStreamError) -> R
  ) throws(VStreamError) -> R {
    let index = begin()
    defer { end(index) }
    return try threads[index].runHere(body)
  }

  /// Runs `body` on a queue, with the value that has the fewest calls, unless the task is cancelled before its turn.
  ///
  /// - Throws: `CancellationError` if it is; else the `VStreamError` of `body`.
  package func runUnlessCancelled<R: Sendable>(
    _ body: @escaping @Sendable (inout State) throws(VStreamError) -> R
  ) async throws -> R {
    let index = begin()
    defer { end(index) }
    return try await threads[index].runUnlessCancelled(body)
  }

  private func begin() -> Int {
    calls.withLock { calls in
      let index = calls.indices.min { calls[$0] < calls[$1] } ?? 0
      calls[index] += 1
      return index
    }
  }

  private func end(_ index: Int) { calls.withLock { $0[index] -= 1 } }
}

/// A thread that may block.
///
/// Not a Dispatch thread: of those a process has 255 at most, fewer than many cameras need, and a closure that finds none waits
/// silently. Dispatch also reuses its threads, and an unprivileged thread cannot raise its priority again.
package enum SystemThread {
  package enum Priority: Sendable {
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
  package static func start(_ priority: Priority = .ordinary, _ body: @escaping @Sendable () -> Void) {
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

/// The threads of a run, each for one closure that may block.
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

/// Transfers a value that is not `Sendable` to another thread, once.
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
