internal import Dispatch
internal import VStreamCore

/// The clock of a run: seconds that never go back.
protocol PipelineClock: Sendable {
  var now: Double { get }

  /// Waits until the semaphore is signalled, at most until `moment` of this clock; without limit if it is `nil`.
  ///
  /// - Returns: whether it was signalled.
  func wait(for semaphore: DispatchSemaphore, until moment: Double?) -> Bool
}

/// The system's monotonic clock.
struct SystemClock: PipelineClock {
  var now: Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }

  func wait(for semaphore: DispatchSemaphore, until moment: Double?) -> Bool {
    guard let moment else {
      semaphore.wait()
      return true
    }
    let nanoseconds = UInt64(min(max(0, moment), 9e9) * 1e9)
    return semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: nanoseconds)) == .success
  }
}

/// The pauses between attempts to reach something that is not there: each is twice the one before, up to a limit, and by chance
/// somewhat longer or shorter, so that many that were lost together do not return at the same moment.
///
/// One that returns is reached within about 3 s: the longest pause, and an attempt.
struct RetryDelay: Sendable {
  private let first: Double
  private var next: Double

  /// Seconds of the longest pause, before chance.
  static let longest = 2.0
  /// Seconds of the pause after a server has refused the user and password. It will again; and many cameras lock those out who
  /// try too often.
  static let afterDenial = 60.0
  /// The largest random change of a pause, as a fraction.
  static let jitter = 0.2

  /// - Parameter first: seconds of the first pause.
  init(first: Double) {
    self.first = first
    next = first
  }

  /// The next pause in seconds.
  ///
  /// - Parameters:
  ///   - error: why the last attempt failed; `nil` before the first one.
  ///   - chance: the pause's factor. Not drawn by a generator that is passed on here: the system's has no bytes, and
  ///     the thread sanitizer takes the access to such a parameter for one to some other address.
  mutating func take(
    after error: VStreamError?, chance: Double = .random(in: 1 - Self.jitter...1 + Self.jitter)
  ) -> Double {
    if error?.code == .inputDenied { return Self.afterDenial * chance }
    defer { next = min(2 * next, Self.longest) }
    return next * chance
  }

  /// Starts again with the first pause.
  mutating func reset() { next = first }
}
