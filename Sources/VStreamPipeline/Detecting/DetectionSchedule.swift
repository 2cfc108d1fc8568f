internal import VStreamMedia

/// On which frames detectors are run.
package enum DetectionInterval: Hashable, Sendable {
  /// On one frame of this number of frames, starting with the first.
  case every(Int)
  /// As often as the processors have time for; live inputs only.
  case auto
}

/// Decides on which frames of a stream the detectors are run.
struct DetectionSchedule {
  private var interval: Int
  private var governor: Governor?
  private var framesSinceDetection = Int.max
  private var last: Totals?

  /// The run's counts up to a moment.
  struct Totals {
    var seconds: Double
    /// Processor time that all processes on the machine have used.
    var busySeconds: Double
    var frames: Int
    /// Detection passes that ended, and the sum of their durations.
    var passes: Int
    var passSeconds: Double
    /// The shortest pass since the previous totals.
    var shortestPass: Double
    var late: Int
    var dropped: Int
  }

  /// Seconds between two decisions of the governor.
  private static let window = 1.0

  init(_ interval: DetectionInterval, processors: Int, hold: Double) {
    switch interval {
    case .every(let frames): self.interval = max(1, frames)
    case .auto:
      let governor = Governor(processors: processors, hold: hold)
      self.interval = governor.interval
      self.governor = governor
    }
  }

  /// Whether the detectors are run on the next frame.
  mutating func next() -> Bool {
    // Not written as `framesSinceDetection + 1 >= interval`, which would overflow before the first frame.
    guard framesSinceDetection >= interval - 1 else {
      framesSinceDetection += 1
      return false
    }
    framesSinceDetection = 0
    return true
  }

  /// Has the detectors run on the next frame, from which the interval is counted.
  mutating func restart() { framesSinceDetection = .max }

  /// Whether it is time for `update`.
  func isDue(at seconds: Double) -> Bool { governor != nil && seconds - (last?.seconds ?? -.infinity) >= Self.window }

  /// Adapts the interval to the totals up to now.
  ///
  /// - Returns: the change and its reason, as a message; `nil` if there was none.
  mutating func update(_ now: Totals) -> String? {
    guard var governor else { return nil }
    defer { last = now }
    guard let last else { return nil }
    let window = Governor.Window(
      seconds: now.seconds - last.seconds, frames: now.frames - last.frames,
      busySeconds: now.busySeconds - last.busySeconds, passes: now.passes - last.passes,
      passSeconds: now.passSeconds - last.passSeconds, shortestPass: now.shortestPass, late: now.late - last.late,
      dropped: now.dropped - last.dropped)
    let reason = governor.update(window)
    self.governor = governor
    interval = governor.interval
    return reason.map { "detecting every \(interval == 1 ? "frame" : "\(interval) frames"): \($0)" }
  }
}
