internal import VStreamScene

/// The place where a frame's detection will be: settled once by a detector, waited for by the annotator.
final class PendingDetection: Sendable {
  enum Outcome: Sendable {
    case found(Observations)
    case failed(VStreamError)
    /// No detector will look at the frame: a newer one took its place.
    case superseded
  }

  private let monitor: Monitor<Outcome?>

  init(clock: any PipelineClock = SystemClock()) { monitor = Monitor(nil, clock: clock) }

  /// Settles it; a second time changes nothing.
  func settle(_ outcome: Outcome) { monitor.update { if $0 == nil { $0 = outcome } } }

  /// What it is settled to by now.
  var outcome: Outcome? { monitor.read { $0 } }

  /// Whether no detector will look.
  var isSuperseded: Bool {
    if case .superseded? = outcome { true } else { false }
  }

  /// Waits until it is settled, at most until a moment of the clock; `nil` for as long as it takes.
  func wait(until moment: Double?) -> Outcome? { monitor.wait(until: moment) { $0 } }
}
