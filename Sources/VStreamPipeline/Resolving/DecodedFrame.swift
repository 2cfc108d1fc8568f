internal import VStreamMedia
internal import VStreamScene

/// A decoded frame with the pending results of the detectors.
struct DecodedFrame: Sendable {
  let frame: VideoFrame
  /// Index of the decoded frame in this run, from 0.
  let index: Int
  /// Clockwise degrees by which it was rotated to be upright.
  let rotation: Int
  /// The moment of the run's clock when its packet was read.
  let arrival: Double
  /// The moment of the run's clock when detectors got it; it may be held from then on.
  let offered: Double
  /// Empty for a frame on which no detector is run.
  let detections: [PendingDetection]
  /// Whether it was not decoded, as nothing has moved since the frame before.
  var isUnchanged = false
  /// The size of the frame that detectors are given, whose pixels are square; `nil` for its own.
  var detectedSize: PixelSize?

  var undelivered: UndeliveredFrame {
    UndeliveredFrame(time: frame.time, offered: offered, detections: detections)
  }
}

/// The pending results of a frame that was released or dropped before they came.
struct UndeliveredFrame: Sendable {
  let time: Time
  /// The moment of the run's clock when detectors got it.
  let offered: Double
  let detections: [PendingDetection]
}

/// What travels from the reader to the annotator, in the input's order.
enum SourceItem: Sendable {
  case frame(DecodedFrame)
  /// A frame that was dropped while a detector had it.
  case dropped(UndeliveredFrame)
  case copy(Packet)

  /// Frames may be dropped; of a frame that a detector has, the pending results stay.
  var evictionPolicy: EvictionPolicy<SourceItem> {
    guard case .frame(let decoded) = self else { return .keep }
    let isInDetection = !decoded.detections.isEmpty && !decoded.detections.contains(where: \.isSuperseded)
    return isInDetection ? .replace(with: .dropped(decoded.undelivered)) : .remove
  }
}

/// Weights in channels: frames take memory, packets of other streams hardly any.
enum Weight {
  static let frame = 64
  static let packet = 1
}
