public import VStreamScene

/// The record of one frame.
public struct FrameRecord: Hashable, Sendable {
  public var annotations: FrameAnnotations
  /// The detectors' own results for this frame; `nil` if they are not recorded, or were not ready in time.
  public var detections: Observations?
  /// Detections of earlier frames that became ready after those frames had left, since the last record.
  public var late: [TimedObservations] = []
  /// The track events of this frame.
  public var events: [TrackEvent] = []
  /// The region counts up to this frame; `nil` if nothing is counted.
  public var counts: RegionCounts?
  /// The name of the frame's image file, without its folder; `nil` if neither the input nor the output is images.
  public var imageName: String?

  public init(_ annotations: FrameAnnotations) { self.annotations = annotations }
}
