internal import VStreamSystem

/// Chooses the interval between frames that detectors are run on, so that detection uses only the processor time that
/// decoding, drawing and encoding leave, and no frame waits for it.
///
/// From a window of about a second it estimates the processor time of a detection pass and of everything else; the interval
/// is the shortest for which both fit. It rises at once, and falls by a quarter after the load has been low for a while. It
/// has no clock: its owner passes the measurements in.
struct Governor {
  /// The measurements of a window of time.
  struct Window: Hashable, Sendable {
    var seconds: Double
    /// Frames that arrived.
    var frames: Int
    /// Seconds of processor time that all processes on the machine used.
    var busySeconds: Double
    /// Detection passes that ended, and the sum of their durations.
    var passes: Int
    var passSeconds: Double
    /// The duration of the shortest pass, the one that was preempted least.
    var shortestPass: Double
    /// Results that came too late, and frames that were dropped.
    var late: Int
    var dropped: Int
  }

  /// Detectors are run on one frame of this number of frames.
  private(set) var interval = 4
  private let processors: Double
  /// Seconds that a frame is held for its result.
  private let hold: Double
  /// Consecutive windows with time for a shorter interval.
  private var lowLoadWindows = 0
  /// Estimated seconds that an undisturbed pass takes.
  private var passEstimate: Double?

  /// The fraction of the processors' time that is planned for, so that a frame finds one of them idle when it arrives.
  private static let usableFraction = 0.8
  /// Consecutive windows of low load after which the interval is shortened.
  private static let lowLoadWindowsRequired = 2
  /// Growth of the estimate per window, so that it follows falling clock rates.
  private static let estimateGrowth = 1.05

  init(processors: Int, hold: Double) {
    self.processors = Double(max(1, processors))
    self.hold = hold
  }

  /// Adapts the interval to a window's measurements.
  ///
  /// - Returns: why the interval was changed, as a message; `nil` if it was not.
  mutating func update(_ window: Window) -> String? {
    guard window.seconds > 0, window.frames > 0, window.passes > 0 else { return nil }
    let frameRate = Double(window.frames) / window.seconds
    let meanPass = window.passSeconds / Double(window.passes)
    // A pass occupies all processors for as long as the shortest one took; the rest of a longer pass is time that its
    // threads spent descheduled, while others ran.
    let passCost = min(window.shortestPass, passEstimate.map { Self.estimateGrowth * $0 } ?? .infinity)
    passEstimate = passCost
    let otherWork =
      max(0, window.busySeconds - Double(window.passes) * passCost * processors) / Double(window.frames)
    let target = interval(passCost: passCost, meanPass: meanPass, otherWork: otherWork, frameRate, window)
    lowLoadWindows = target < interval ? lowLoadWindows + 1 : 0
    guard target > interval || lowLoadWindows >= Self.lowLoadWindowsRequired else { return nil }
    lowLoadWindows = 0
    interval = max(target, interval - max(1, interval / 4))
    return Self.reason(meanPass: meanPass, otherWork: otherWork, frameRate: frameRate, window)
  }

  /// The shortest interval for which detection and all other work fit; at most a second.
  ///
  /// - Parameters:
  ///   - passCost: seconds of all processors that a pass takes.
  ///   - meanPass: seconds from its start to its end.
  ///   - otherWork: seconds of processor time for each frame.
  private func interval(
    passCost: Double, meanPass: Double, otherWork: Double, _ frameRate: Double, _ window: Window
  ) -> Int {
    let spare = Self.usableFraction * processors / frameRate - otherWork
    let longest = max(1, frameRate.rounded(.up))
    var wanted = spare > 0 ? (passCost * processors / spare).rounded(.up) : longest
    // A pass has to end before the next frame that is detected arrives.
    wanted = max(wanted, (meanPass * frameRate).rounded(.up))
    // A pass that takes longer than frames are held is always late: a longer interval would not help.
    let wasOverloaded = (window.late > 0 && meanPass < hold) || window.dropped > 0
    if wasOverloaded { wanted = max(wanted, Double(interval + 1)) }
    return Int(min(max(1, wanted), longest))
  }

  private static func reason(meanPass: Double, otherWork: Double, frameRate: Double, _ window: Window) -> String {
    var text =
      "a detection pass takes \(milliseconds(meanPass)), everything else \(milliseconds(otherWork)) of processor time "
      + "per frame, and a frame arrives every \(milliseconds(1 / frameRate))"
    if window.late > 0 { text += "; \(counted(window.late, "result")) late" }
    if window.dropped > 0 { text += "; \(counted(window.dropped, "frame")) dropped" }
    return text
  }

  /// `1 frame was`, `3 frames were`.
  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count.counted(noun)) \(count == 1 ? "was" : "were")"
  }

  private static func milliseconds(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded())) ms" }
}
