internal import Dispatch
internal import VStreamScene

/// The place where a frame's detection will be: filled once by a detector, waited for by the annotator.
final class PendingDetection: Sendable {
  typealias Outcome = Result<[DetectedObject], VStreamError>

  private let outcome = Monitor<Outcome?>(nil)

  /// Fills the place; a second time changes nothing.
  func fulfil(_ result: Outcome) { outcome.update { if $0 == nil { $0 = result } } }

  /// Waits until the place is filled.
  func wait() -> Outcome {
    outcome.wait { $0 } ?? .failure(VStreamError(.library, "a detection without a deadline was given up"))
  }
}
