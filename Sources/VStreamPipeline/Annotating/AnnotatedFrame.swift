internal import VStreamMedia
internal import VStreamScene
internal import VStreamTracking

/// A frame with its annotations, on its way to the output.
struct AnnotatedFrame: Sendable {
  var frame: VideoFrame
  let annotations: FrameAnnotations
  /// The moment of the run's clock when its packet was read.
  let arrival: Double
  /// The counts of zones and lines up to this frame; `nil` if there are none.
  let counts: RegionCounts?
  /// Whether detectors were to be run on it and their results came too late, or not at all.
  let isLate: Bool
  /// The regions to redact; `nil` before the redaction buffer has decided them.
  var covered: [CoveredRegion]?
}

/// What travels from the annotator to the writer, in the input's order.
enum AnnotatedItem: Sendable {
  case frame(AnnotatedFrame)
  case copy(Packet)
}
