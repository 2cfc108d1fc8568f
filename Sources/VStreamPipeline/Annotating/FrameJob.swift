internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamScene
internal import VStreamTracking

/// A frame on its way, with the places where what detectors find in it will be.
struct FrameJob: Sendable {
  let frame: VideoFrame
  /// Number of the decoded frame in this run, from 0.
  let index: Int
  /// By how many degrees it was turned clockwise to stand upright.
  let rotation: Int
  /// The moment of the run's clock when its packet was read.
  let arrival: Double
  /// The moment of the clock when detectors got it, from which on it may be held for them.
  let offered: Double
  /// Empty for a frame that no detector is to look at.
  let detections: [PendingDetection]

  var lookedAt: UndeliveredFrame { UndeliveredFrame(time: frame.time, detections: detections) }
}

/// A frame that has left, as far as what is found in it is still to come.
struct UndeliveredFrame: Sendable {
  let time: Time
  let detections: [PendingDetection]
}

/// What travels from the reader to the annotator, in the input's order.
enum SourceItem: Sendable {
  case frame(FrameJob)
  /// A frame that was thrown away on the way while detectors had it.
  case dropped(UndeliveredFrame)
  case copy(Packet)

  /// Frames are dropped; of a frame that a detector has, its pending result is kept.
  var evictionPolicy: EvictionPolicy<SourceItem> {
    guard case .frame(let job) = self else { return .keep }
    let isSearched = !job.detections.isEmpty && !job.detections.contains(where: \.isSuperseded)
    return isSearched ? .replace(with: .dropped(job.lookedAt)) : .remove
  }
}

/// A frame of which is known what was found in it.
struct AnnotatedFrame: Sendable {
  var frame: VideoFrame
  let annotations: FrameAnnotations
  let arrival: Double
  /// What is counted by now; `nil` if nothing is.
  var counts: RegionCounts?
  /// Whether a detector was to look at it and answered too late, or not at all.
  var isLate = false
  /// What is to be redacted of it, once that is known.
  var covered: [CoveredRegion] = []
}

extension AnnotatedFrame {
  /// The frame of a job, which is no longer held by it.
  init(of job: consuming FrameJob, annotations: FrameAnnotations, counts: RegionCounts?, isLate: Bool) {
    self.init(frame: job.frame, annotations: annotations, arrival: job.arrival, counts: counts, isLate: isLate)
  }
}

/// What is still to be redacted or drawn, in the input's order.
enum AnnotatedItem: Sendable {
  case frame(AnnotatedFrame)
  case copy(Packet)
}

/// A frame that is drawn.
struct FinishedFrame: Sendable {
  let frame: VideoFrame
  let arrival: Double
  let source: AnnotationSource
  /// Whether a detector was to look at it and answered too late, or not at all.
  let isLate: Bool
  /// What is shown of it where nothing is drawn on it.
  var lines: [OverlayScript.Line] = []
}

/// What travels from the annotator to the writer.
enum SinkItem: Sendable {
  case frame(FinishedFrame)
  case copy(Packet)
}

/// Weights in channels: frames take memory, packets of other streams hardly any.
enum Weight {
  static let frame = 64
  static let packet = 1
}
