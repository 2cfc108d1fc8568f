internal import CVStreamLibAV
internal import Synchronization

/// Ends libav calls that block: at once when triggered, or when a call exceeds its time limit.
///
/// Passed to libav as its interrupt callback; may be triggered from any thread. Each reader or writer has its own, as it
/// has one time limit at a time.
package final class Interrupt: Sendable {
  /// Monotonic nanoseconds at which the running call is ended; 0 for no limit.
  private let deadline = Atomic<UInt64>(0)
  private let isTriggered = Atomic<Bool>(false)

  /// An interrupt whose trigger ends this one's calls as well.
  private let parent: Interrupt?

  package init() { parent = nil }

  /// - Parameter parent: An interrupt whose trigger, but not whose time limit, applies here as well.
  init(parent: Interrupt?) { self.parent = parent }

  /// Ends the running blocking call and every later one.
  package func trigger() { isTriggered.store(true, ordering: .relaxed) }

  package var wasTriggered: Bool { isTriggered.load(ordering: .relaxed) || parent?.wasTriggered == true }

  /// Runs `body` with a limit in seconds for the libav calls in it.
  func limited<R, Failure: Error>(to seconds: Double?, _ body: () throws(Failure) -> R) throws(Failure) -> R {
    if let seconds { deadline.store(Self.now() + UInt64(min(max(0, seconds), 1e9) * 1e9), ordering: .relaxed) }
    defer { deadline.store(0, ordering: .relaxed) }
    return try body()
  }

  /// Runs a libav call with a limit in seconds.
  ///
  /// - Returns: Its code; `interrupted` for a call that failed after it was to end, for which some protocols return other
  ///   codes.
  func code(limitedTo seconds: Double?, _ call: () -> Int32) -> LibAVCode {
    limited(to: seconds) {
      let code = LibAVCode(call())
      return code.isFailure && shouldEnd ? .interrupted : code
    }
  }

  /// Whether the running call is to end.
  var shouldEnd: Bool {
    let limit = deadline.load(ordering: .relaxed)
    return wasTriggered || (limit > 0 && Self.now() > limit)
  }

  /// The clock of the limits, in monotonic seconds.
  static var seconds: Double { Double(now()) * 1e-9 }

  private static func now() -> UInt64 { UInt64(av_gettime_relative()) * 1000 }

  /// The callback for libav. It does not retain this object: the owner of the libav context keeps both.
  var callback: AVIOInterruptCB {
    AVIOInterruptCB(
      callback: { opaque in
        guard let opaque else { return 0 }
        return Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue().shouldEnd ? 1 : 0
      },
      opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}
