/// Chooses every how many frames the detector looks, so that it uses what the rest leaves over of the processor and the
/// picture never waits for it.
///
/// A window of about a second tells what a look costs and what all else costs; the interval is the shortest for which both
/// fit. It rises at once and falls slowly, by a quarter. Without a clock of its own: it is told the figures.
struct Governor {
  /// What happened in a window of time.
  struct Window: Hashable, Sendable {
    var seconds: Double
    /// Frames that came.
    var frames: Int
    /// Seconds of processor time that were used, by all that runs on the machine.
    var busySeconds: Double
    /// Looks that ended, and how long they took together.
    var looks: Int
    var lookSeconds: Double
    /// The shortest of them, which nothing else disturbed.
    var shortestPass: Double
    /// Frames whose result came too late, and frames that were dropped.
    var late: Int
    var dropped: Int
  }

  /// Every so many frames the detector looks.
  private(set) var interval = 4
  /// Processors that there are to use.
  private let processors: Double
  /// Seconds that a frame is held for its result.
  private let hold: Double
  /// Windows in a row after which the interval could have been shorter.
  private var calmWindows = 0
  /// Seconds that a look takes when it has the processors for itself.
  private var cost: Double?

  /// Share of the processors that is used, so that the picture finds one free when it comes.
  private static let usableFraction = 0.8
  /// Windows that the load must stay low before the detector looks more often.
  private static let calm = 2

  init(processors: Int, hold: Double) {
    self.processors = Double(max(1, processors))
    self.hold = hold
  }

  /// Takes a window's figures.
  ///
  /// - Returns: why the interval was changed, for people; `nil` if it was not.
  mutating func take(_ window: Window) -> String? {
    guard window.seconds > 0, window.frames > 0, window.looks > 0 else { return nil }
    let rate = Double(window.frames) / window.seconds
    let look = window.lookSeconds / Double(window.looks)
    // What a look lasts longer when it is disturbed, others had of the processors. Slowly forgotten, as clocks change.
    let cost = min(window.shortestPass, self.cost.map { 1.05 * $0 } ?? .infinity)
    self.cost = cost
    let rest = max(0, window.busySeconds - Double(window.looks) * cost * processors) / Double(window.frames)
    let spare = Self.usableFraction * processors / rate - rest
    let longest = max(1, rate.rounded(.up))
    var wanted = spare > 0 ? (cost * processors / spare).rounded(.up) : longest
    // One look is to have ended when the next frame comes that is to be looked at.
    wanted = max(wanted, (look * rate).rounded(.up))
    // What takes longer than a frame is held is late however seldom it is done.
    let hasWaited = (window.late > 0 && look < hold) || window.dropped > 0
    if hasWaited { wanted = max(wanted, Double(interval + 1)) }
    let target = Int(min(max(1, wanted), longest))
    calmWindows = target < interval ? calmWindows + 1 : 0
    guard target > interval || calmWindows >= Self.calm else { return nil }
    calmWindows = 0
    interval = max(target, interval - max(1, interval / 4))
    return reason(look: look, rest: rest, rate: rate, window)
  }

  private func reason(look: Double, rest: Double, rate: Double, _ window: Window) -> String {
    var text =
      "a look takes \(Self.milliseconds(look)), all else \(Self.milliseconds(rest)) of processor time a frame, "
    text += "frames come every \(Self.milliseconds(1 / rate))"
    if window.late > 0 { text += "; \(Self.counted(window.late, "result")) late" }
    if window.dropped > 0 { text += "; \(Self.counted(window.dropped, "frame")) dropped" }
    return text
  }

  /// `1 frame was`, `3 frames were`.
  private static func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun) was" : "\(count) \(noun)s were"
  }

  private static func milliseconds(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }
}
