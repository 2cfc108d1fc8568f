/// Decides for how long a live frame is held for its detections.
///
/// While the detectors take longer than frames may be held, or are still being loaded, a frame is held for a short time only:
/// waiting would not help.
struct HoldPolicy {
  /// The most seconds for which a frame may be held after detectors got it.
  let hold: Double
  /// Seconds from the offer of a frame to its result: of the last one, or of slower ones just before; `nil` before the first.
  private var turnaround: Double?

  /// The fraction of `hold` for which frames are held while the detectors are too slow.
  private static let shortFraction = 0.2
  /// The fraction of an earlier turnaround that counts after another result.
  private static let memory = 0.8

  init(hold: Double) { self.hold = hold }

  /// Adds the turnaround of a frame, in seconds.
  mutating func add(_ seconds: Double) { turnaround = max(seconds, Self.memory * (turnaround ?? 0)) }

  /// Seconds for which the next frame may be held.
  ///
  /// - Parameter pending: seconds that the oldest frame without a result has taken already; 0 if there is none.
  func seconds(pending: Double) -> Double {
    max(turnaround ?? .infinity, pending) > hold ? Self.shortFraction * hold : hold
  }
}
