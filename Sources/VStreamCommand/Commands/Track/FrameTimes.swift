internal import VStreamScene

/// The times of frames.
enum FrameTimes {
  /// Frames per second.
  case rate(Double)
  /// Each frame's time in seconds, read from a file.
  case times(path: String, [Double])

  /// The time of a frame in seconds; frames count from 1.
  func seconds(_ frame: Int) -> Double {
    switch self {
    case .rate(let rate): Double(frame - 1) / rate
    case .times(_, let times): times[frame - 1]
    }
  }

  /// Checks that the time of the last frame is known.
  func check(_ frame: Int) throws(VStreamError) {
    guard case .times(let path, let times) = self, frame > times.count else { return }
    throw VStreamError(
      .unreadableInput, "'\(path)' has the times of \(times.count) frames, and there are detections of frame \(frame)",
      remedy: "give the time of each frame, one on each line")
  }
}
