internal import Synchronization

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
  /// The object by which thread sanitizer identifies one lock.
  private final class SanitizerAnnotation: Sendable {
    func acquired() { __tsan_acquire(Unmanaged.passUnretained(self).toOpaque()) }
    func released() { __tsan_release(Unmanaged.passUnretained(self).toOpaque()) }
  }

  @_silgen_name("__tsan_acquire") private func __tsan_acquire(_ address: UnsafeMutableRawPointer)
  @_silgen_name("__tsan_release") private func __tsan_release(_ address: UnsafeMutableRawPointer)
#endif
