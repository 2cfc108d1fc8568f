internal import CVStreamLibAV
internal import Synchronization

/// Ends libav calls that block: at once when asked to, or when one has taken longer than its limit.
///
/// Given to libav as its interrupt callback; may be triggered from any thread. One reader or writer has one of its own:
/// there is one limit at a time.
public final class Interrupt: Sendable {
  /// Monotonic nanoseconds at which the running call is given up; 0 for no limit.
  private let deadline = Atomic<UInt64>(0)
  private let isTriggered = Atomic<Bool>(false)

  /// Whose trigger ends the calls as well.
  private let other: Interrupt?

  public init() { other = nil }

  /// - Parameter other: one whose trigger is minded as this one's own, but not its limit.
  init(minding other: Interrupt?) { self.other = other }

  /// Ends the running blocking call and every later one.
  public func trigger() { isTriggered.store(true, ordering: .relaxed) }

  public var wasTriggered: Bool { isTriggered.load(ordering: .relaxed) || other?.wasTriggered == true }

  /// Runs `body` with a limit in seconds for the libav calls in it.
  func limited<R, Failure: Error>(to seconds: Double?, _ body: () throws(Failure) -> R) throws(Failure) -> R {
    if let seconds { deadline.store(Self.now() + UInt64(min(max(0, seconds), 1e9) * 1e9), ordering: .relaxed) }
    defer { deadline.store(0, ordering: .relaxed) }
    return try body()
  }

  /// Runs a libav call with a limit in seconds.
  ///
  /// - Returns: its code; that of an interrupted call for one that failed when it was to be given up, which some protocols
  ///   give other names.
  func code(limitedTo seconds: Double?, _ call: () -> Int32) -> Int32 {
    limited(to: seconds) {
      let code = call()
      return code < 0 && shouldEnd ? CVStreamLibAV_EXIT : code
    }
  }

  /// Whether the running call is to be given up.
  var shouldEnd: Bool {
    let limit = deadline.load(ordering: .relaxed)
    return wasTriggered || (limit > 0 && Self.now() > limit)
  }

  private static func now() -> UInt64 { UInt64(av_gettime_relative()) * 1000 }

  /// The callback for libav; valid as long as this object lives, which the owner of the context sees to.
  var callback: AVIOInterruptCB {
    AVIOInterruptCB(
      callback: { opaque in
        guard let opaque else { return 0 }
        return Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue().shouldEnd ? 1 : 0
      },
      opaque: Unmanaged.passUnretained(self).toOpaque())
  }
}
