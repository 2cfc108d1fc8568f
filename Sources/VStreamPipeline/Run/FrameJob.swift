internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamTracking

/// A frame on its way from the decoder to the encoder. Each stage adds its result.
struct FrameJob: Sendable {
  /// Decoded and normalised; painted at the end.
  var frame: VideoFrame
  /// Its clockwise rotation to be upright, in degrees.
  let rotation: Int
  /// The moment of the run's clock when its packet was read.
  let arrival: Double
  let detection: PendingFrame
  /// Whether it was not decoded, as nothing has moved since the frame before.
  var isUnchanged = false
  /// The size of the copy with square pixels that detectors are given; `nil` for its own.
  var detectedSize: PixelSize?
  /// Whether its pixels or its captions were changed.
  var isPainted = false
  /// Its index in the run, from 0, and its annotations, once it is annotated.
  var record: FrameRecord
  /// Whether detections were requested, and came too late or not at all.
  var isLate = false
  /// The regions to redact; `nil` before the redaction buffer has decided them.
  var covered: [CoveredRegion]?

  init(_ frame: VideoFrame, index: Int, rotation: Int, arrival: Double, detection: PendingFrame) {
    self.frame = frame
    self.rotation = rotation
    self.arrival = arrival
    self.detection = detection
    record = FrameRecord(FrameAnnotations(frame: index, time: frame.time, source: .predicted))
  }

  mutating func add(_ annotation: Annotation, shot: Int) {
    (record.annotations.source, record.annotations.found) = (annotation.source, annotation.found)
    record.annotations.shot = shot
    (record.counts, record.events) = (annotation.counts, annotation.events)
  }
}

/// The pending results of a frame. They outlive a frame that is released or dropped before they come.
struct PendingFrame: Sendable {
  let time: Time
  /// The moment of the run's clock when detectors got the frame; it may be held from then on.
  let offered: Double
  /// Empty for a frame on which no detector is run.
  var results: [PendingDetection] = []
}

/// An element of the channels between the threads, in the input's order.
enum StreamItem: Sendable {
  case frame(FrameJob)
  /// A packet that is copied.
  case copy(Packet)
  /// A frame that was dropped while a detector had it.
  case dropped(PendingFrame)

  /// Frames may be dropped; of a frame that a detector has, the pending results stay.
  var evictionPolicy: EvictionPolicy<StreamItem> {
    guard case .frame(let job) = self else { return .keep }
    let results = job.detection.results
    return results.isEmpty || results.contains(where: \.isSuperseded)
      ? .remove : .replace(with: .dropped(job.detection))
  }
}

/// Weights in channels: frames take memory, packets of other streams hardly any.
enum Weight {
  static let frame = 64
  static let packet = 1
}
