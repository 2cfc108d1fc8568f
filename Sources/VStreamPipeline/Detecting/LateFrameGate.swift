/// Decides which frames a detector that may be slower than the stream is run on: one frame is in flight, and a one-slot
/// queue holds the newest.
///
/// A frame that arrives while the slot is occupied replaces the frame in it, which is superseded. Without threads; see
/// `DetectionQueue`.
struct LateFrameGate<Frame: Sendable>: Sendable {
  private var waiting: Frame?
  /// Whether the detector has a frame.
  private(set) var isInFlight = false
  private var isFinished = false

  enum Turn: Sendable {
    case frame(Frame)
    /// No frame yet; retry after a change.
    case nothing
    case end
  }

  /// Puts a frame into the slot.
  ///
  /// - Returns: the frame that it replaces.
  mutating func offer(_ frame: Frame) -> Frame? {
    defer { waiting = frame }
    return waiting
  }

  /// Ends the frame in flight, and takes the next one.
  mutating func next() -> Turn {
    isInFlight = false
    if let frame = waiting {
      waiting = nil
      isInFlight = true
      return .frame(frame)
    }
    return isFinished ? .end : .nothing
  }

  /// Removes the frame in the slot if it satisfies the condition.
  mutating func withdraw(where isRequested: (Frame) -> Bool) -> Frame? {
    guard let frame = waiting, isRequested(frame) else { return nil }
    waiting = nil
    return frame
  }

  /// Ends the stream; the frame in the slot can still be taken.
  mutating func finish() { isFinished = true }
}
