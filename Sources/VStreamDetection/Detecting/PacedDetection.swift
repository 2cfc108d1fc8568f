public import VStreamMedia
public import VStreamScene

/// Detects in so many frames of each second of a stream, on average and at most; the others are not searched.
///
/// One owner at a time.
public struct PacedDetection: FrameDetecting {
  private let interval: Double
  private var detector: any FrameDetecting
  /// The time of the stream from which on the next frame is searched.
  private var due = -Double.infinity
  private var last = -Double.infinity

  /// Times that differ by rounding count as equal.
  private static let tolerance = 1e-6

  /// - Parameter framesPerSecond: above 0.
  public init(_ detector: any FrameDetecting, framesPerSecond: Double) {
    interval = 1 / framesPerSecond
    self.detector = detector
  }

  /// - Returns: no list of any kind for a frame that is not searched.
  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    let now = frame.time.seconds
    let hasJumpedBack = now < last
    last = now
    guard hasJumpedBack || now > due - Self.tolerance else { return Observations() }
    // After a pause the missed searches are not caught up on.
    due = (!hasJumpedBack && due > now - interval ? due : now) + interval
    return try detector.detect(in: frame, timer: timer)
  }
}
