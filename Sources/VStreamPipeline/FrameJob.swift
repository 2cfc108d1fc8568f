internal import VStreamMedia

/// A frame on its way, with the places where what detectors find in it will be.
struct FrameJob: Sendable {
  let frame: VideoFrame
  /// Number of the decoded frame in this run, from 0.
  let index: Int
  /// By how many degrees it was turned clockwise to stand upright.
  let rotation: Int
  /// The moment of the run's clock when its packet was read.
  let arrival: Double
  /// Empty for a frame that no detector is to look at.
  let detections: [PendingDetection]
}

/// What travels from the reader to the annotator, in the input's order.
enum SourceItem: Sendable {
  case frame(FrameJob)
  /// A frame that was thrown away on the way; detectors may still have it.
  case dropped(FrameJob)
  case copy(Packet)

  /// What stays of a frame that has to give way.
  var remnant: SourceItem? {
    guard case .frame(let job) = self else { return nil }
    return .dropped(job)
  }
}

/// A frame that is drawn.
struct FinishedFrame: Sendable {
  let frame: VideoFrame
  let arrival: Double
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
