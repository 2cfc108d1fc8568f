internal import Dispatch
internal import Synchronization

/// A value that threads share and whose changes they can wait for.
///
/// The value is accessed under the lock only; waiting happens outside it.
package final class Monitor<Value: Sendable>: Sendable {
  private struct Contents {
    var value: Value
    /// Of the threads that wait for a change.
    var waiters: [DispatchSemaphore] = []
    /// Semaphores that no thread waits on, reused so that a wait does not allocate one.
    var idle: [DispatchSemaphore] = []
  }

  private let contents: Lock<Contents>
  private let clock: any PipelineClock

  package convenience init(_ value: Value) { self.init(value, clock: SystemClock()) }

  /// - Parameter clock: the clock of the deadlines.
  init(_ value: Value, clock: any PipelineClock) {
    contents = Lock(Contents(value: value))
    self.clock = clock
  }

  /// Reads the value.
  package func read<R: Sendable>(_ body: (Value) -> R) -> R { contents.withLock { body($0.value) } }

  /// Changes the value and wakes all waiting threads.
  package func update<R: Sendable>(_ body: (inout Value) -> R) -> R {
    let (result, waiters) = contents.withLock { contents in
      let result = body(&contents.value)
      defer { contents.waiters.removeAll(keepingCapacity: true) }
      return (result, contents.waiters)
    }
    for waiter in waiters { waiter.signal() }
    return result
  }

  /// Calls `attempt` now and after every change until it returns a result. A result counts as a change.
  ///
  /// - Parameter deadline: the moment of the clock at which to give up; `nil` for never.
  /// - Returns: `nil` if the deadline passed first.
  package func wait<R: Sendable>(until deadline: Double? = nil, _ attempt: (inout Value) -> R?) -> R? {
    while true {
      let (result, semaphore, toWake) = contents.withLock { contents -> (R?, DispatchSemaphore?, [DispatchSemaphore]) in
        if let result = attempt(&contents.value) {
          defer { contents.waiters.removeAll(keepingCapacity: true) }
          return (result, nil, contents.waiters)
        }
        let semaphore = contents.idle.popLast() ?? DispatchSemaphore(value: 0)
        contents.waiters.append(semaphore)
        return (nil, semaphore, [])
      }
      for waiter in toWake { waiter.signal() }
      guard let semaphore else { return result }
      let isSignalled = clock.wait(for: semaphore, until: deadline)
      contents.withLock { contents in
        if isSignalled {
          contents.idle.append(semaphore)
        } else {
          contents.waiters.removeAll { $0 === semaphore }
        }
      }
      if !isSignalled { return finalAttempt(attempt) }
    }
  }

  /// Calls `attempt` once more after the deadline; a result counts as a change here as well.
  private func finalAttempt<R: Sendable>(_ attempt: (inout Value) -> R?) -> R? {
    let (result, toWake) = contents.withLock { contents -> (R?, [DispatchSemaphore]) in
      guard let result = attempt(&contents.value) else { return (nil, []) }
      defer { contents.waiters.removeAll(keepingCapacity: true) }
      return (result, contents.waiters)
    }
    for waiter in toWake { waiter.signal() }
    return result
  }
}

/// A value that one thread at a time may read or change.
///
/// A thin wrapper of the standard library's `Mutex`. The standard library is not built for thread sanitizer, which would
/// report a race for everything behind a contended `Mutex`; in a sanitizer build (`scripts/test --sanitize thread`) each
/// acquisition and release is reported to it, so that it finds the real races.
struct Lock<Value: Sendable>: ~Copyable {
  private let mutex: Mutex<Value>
  #if SANITIZE_THREAD
    private let annotation = SanitizerAnnotation()
  #endif

  init(_ value: Value) { mutex = Mutex(value) }

  borrowing func withLock<R: Sendable>(_ body: (inout Value) -> R) -> R {
    mutex.withLock { value in
      #if SANITIZE_THREAD
        annotation.acquired()
        defer { annotation.released() }
      #endif
      return body(&value)
    }
  }
}

#if SANITIZE_THREAD
  /// The thread sanitizer's identity of one lock.
  private final class SanitizerAnnotation: Sendable {
    func acquired() { __tsan_acquire(Unmanaged.passUnretained(self).toOpaque()) }
    func released() { __tsan_release(Unmanaged.passUnretained(self).toOpaque()) }
  }

  @_silgen_name("__tsan_acquire") private func __tsan_acquire(_ address: UnsafeMutableRawPointer)
  @_silgen_name("__tsan_release") private func __tsan_release(_ address: UnsafeMutableRawPointer)
#endif
