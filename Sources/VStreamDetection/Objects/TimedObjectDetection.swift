public import VStreamMedia
public import VStreamScene
public import VStreamTracking

/// Detects objects in regions of a live stream's frames, within a budget of passes in a second of the stream, however many
/// frames it has and however many of them are skipped.
///
/// One owner at a time, one for each stream; the model is shared.
public struct TimedObjectDetection: FrameDetecting {
  private let passesPerSecond: Double
  private var detection: PlannedObjectDetection
  private var last: Double?

  /// Seconds of the stream for which a frame is assumed to stand: of the first one, and at most.
  private static let usualInterval = 0.04
  private static let longestInterval = 0.5
  /// Passes of a frame below which its budget is not a number of use.
  private static let fewestPasses = 0.001

  /// - Parameter tracking: options of the tracker whose tracks plans are made from.
  /// - Throws: `VStreamError.library` if OpenVINO fails.
  public init(
    _ model: ObjectModel, options: ObjectDetectionOptions, passesPerSecond: Double, tracking: TrackerOptions
  ) throws(VStreamError) {
    self.passesPerSecond = passesPerSecond
    detection = try PlannedObjectDetection(
      model, options: options, passes: passesPerSecond * Self.usualInterval, tracking: tracking, framesInFlight: 1)
    detection.restsInGaps = true
  }

  public mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    let seconds = frame.time.seconds
    let interval = last.map { min(max(0, seconds - $0), Self.longestInterval) } ?? Self.usualInterval
    last = seconds
    detection.passes = max(Self.fewestPasses, passesPerSecond * interval)
    return try detection.detect(in: frame, timer: timer)
  }
}
