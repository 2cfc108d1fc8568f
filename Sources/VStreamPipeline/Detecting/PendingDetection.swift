internal import VStreamScene

/// The future result of the detectors on one frame: settled once by a detector thread, awaited by the annotator.
final class PendingDetection: Sendable {
  enum Outcome: Sendable {
    case found(Observations)
    case failed(VStreamError)
    /// No detector was or will be run on the frame: a newer frame replaced it in the queue.
    case superseded
  }

  private let clock: any PipelineClock
  private let monitor: Monitor<(outcome: Outcome, moment: Double)?>

  init(clock: any PipelineClock = SystemClock()) {
    self.clock = clock
    monitor = Monitor(nil, clock: clock)
  }

  /// Settles the result; later calls have no effect.
  func settle(_ outcome: Outcome) {
    let moment = clock.now
    monitor.update { if $0 == nil { $0 = (outcome, moment) } }
  }

  /// The outcome, if it is settled; does not wait.
  var outcome: Outcome? { monitor.read { $0?.outcome } }

  /// The moment of the clock at which it was settled.
  var settledAt: Double? { monitor.read { $0?.moment } }

  var isSuperseded: Bool {
    if case .superseded? = outcome { true } else { false }
  }

  /// Waits for the outcome, at most until `moment` of the clock; without limit if it is `nil`.
  func wait(until moment: Double?) -> Outcome? { monitor.wait(until: moment) { $0?.outcome } }
}
