internal import VStreamMedia

/// Which of a stream's frames detectors are to look at.
struct DetectionSchedule {
  private var interval: Int
  private var governor: Governor?
  private var sinceSearch = Int.max
  private var last: Figures?

  /// What the run has counted up to a moment.
  struct Figures {
    var seconds: Double
    var busySeconds: Double
    var frames: Int
    var looks: Int
    var lookSeconds: Double
    /// The shortest look since the figures before.
    var shortestPass: Double
    var late: Int
    var dropped: Int
  }

  /// Seconds that a governor's window lasts.
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

  /// Whether the next frame is to be looked at.
  mutating func next() -> Bool {
    // Both are small, but for the first frame.
    guard sinceSearch >= interval - 1 else {
      sinceSearch += 1
      return false
    }
    sinceSearch = 0
    return true
  }

  /// Whether it is time for `update`.
  func isDue(at seconds: Double) -> Bool { governor != nil && seconds - (last?.seconds ?? -.infinity) >= Self.window }

  /// Takes the figures up to now.
  ///
  /// - Returns: what was changed and why, for people; `nil` if nothing was.
  mutating func update(_ now: Figures) -> String? {
    guard var governor else { return nil }
    defer { last = now }
    guard let last else { return nil }
    let window = Governor.Window(
      seconds: now.seconds - last.seconds, frames: now.frames - last.frames,
      busySeconds: now.busySeconds - last.busySeconds, looks: now.looks - last.looks,
      lookSeconds: now.lookSeconds - last.lookSeconds, shortestPass: now.shortestPass, late: now.late - last.late,
      dropped: now.dropped - last.dropped)
    let reason = governor.take(window)
    self.governor = governor
    interval = governor.interval
    return reason.map { "detecting every \(interval == 1 ? "frame" : "\(interval) frames"): \($0)" }
  }
}
