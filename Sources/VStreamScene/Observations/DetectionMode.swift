/// How the frames that a detector is given are related.
public enum DetectionMode: String, Hashable, Sendable, CaseIterable {
  /// Consecutive frames of one stream: detections are tracked from frame to frame and have IDs.
  case stream
  /// Independent images: detections are reported as they are, without IDs.
  case singleImage = "single-image"
}
