/// Which frames a detector that may be slower than the stream looks at: one is in flight, and one waiting place holds the
/// newest; nothing else is queued.
///
/// A frame that comes while the place is taken pushes out the one in it, which is late from then on. Without threads; see
/// `DetectionQueue`.
struct LateFrameGate<Frame: Sendable>: Sendable {
  private var waiting: Frame?
  /// Whether the detector has a frame.
  private(set) var isInFlight = false
  private var isFinished = false

  enum Turn: Sendable {
    case frame(Frame)
    /// Nothing yet; ask again after a change.
    case nothing
    case end
  }

  /// Puts a frame into the waiting place.
  ///
  /// - Returns: the frame that had to leave it.
  mutating func offer(_ frame: Frame) -> Frame? {
    defer { waiting = frame }
    return waiting
  }

  /// The detector, done with what it had, asks for its next frame.
  mutating func next() -> Turn {
    isInFlight = false
    if let frame = waiting {
      waiting = nil
      isInFlight = true
      return .frame(frame)
    }
    return isFinished ? .end : .nothing
  }

  /// Takes the waiting frame back if it is the one that is meant.
  mutating func withdraw(where isRequested: (Frame) -> Bool) -> Frame? {
    guard let frame = waiting, isRequested(frame) else { return nil }
    waiting = nil
    return frame
  }

  /// No more frames will come; the one that waits can still be taken.
  mutating func finish() { isFinished = true }
}
