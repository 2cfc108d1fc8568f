internal import Synchronization

/// A value that one thread at a time looks at or changes.
///
/// It is the standard library's `Mutex`. Thread sanitizer cannot see into that one, as the library is not built for it,
/// and would call everything behind a contended lock a race; in a build for it (`scripts/test --sanitize thread`) it is
/// told what is locked and when, so that it finds the races that there are.
struct Lock<Value: Sendable>: ~Copyable {
  private let mutex: Mutex<Value>
  #if SANITIZE_THREAD
    private let told = ToldToSanitizer()
  #endif

  init(_ value: Value) { mutex = Mutex(value) }

  borrowing func withLock<R: Sendable>(_ body: (inout Value) -> R) -> R {
    mutex.withLock { value in
      #if SANITIZE_THREAD
        told.acquired()
        defer { told.released() }
      #endif
      return body(&value)
    }
  }
}

#if SANITIZE_THREAD
  /// Stands for one lock in what thread sanitizer is told.
  private final class ToldToSanitizer: Sendable {
    func acquired() { __tsan_acquire(Unmanaged.passUnretained(self).toOpaque()) }
    func released() { __tsan_release(Unmanaged.passUnretained(self).toOpaque()) }
  }

  @_silgen_name("__tsan_acquire") private func __tsan_acquire(_ address: UnsafeMutableRawPointer)
  @_silgen_name("__tsan_release") private func __tsan_release(_ address: UnsafeMutableRawPointer)
#endif
