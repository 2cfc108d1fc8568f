/// The times between detections of a stream: where they are long, it is not known where a subject was meanwhile.
///
/// A value, without a clock or a thread.
struct DetectionGaps: Hashable, Sendable {
  /// Ascending times of frames with detections, in seconds of stream time.
  private var detected: [Double] = []
  /// Time of the last frame.
  private var latest = -Double.infinity

  /// Times that differ by less are equal, since they are rounded.
  private static let timeTolerance = 1e-6

  /// Adds the next frame.
  ///
  /// - Parameter late: times of earlier frames whose detections came with it.
  mutating func add(_ time: Double, isDetected: Bool, late: [Double]) {
    latest = max(latest, time)
    detected += late + (isDetected ? [time] : [])
    if !late.isEmpty { detected.sort() }
  }

  /// The time from the last detection before a frame to the first one after it, or to the last frame that is known; 0 for a
  /// frame with detections, infinite before the first.
  mutating func length(at time: Double) -> Double {
    // Frames are asked for in their order: earlier detections are not needed again.
    let later = detected.firstIndex { $0 > time + Self.timeTolerance } ?? detected.endIndex
    guard later > 0 else { return .infinity }
    detected.removeFirst(later - 1)
    guard let last = detected.first, last < time - Self.timeTolerance else { return 0 }
    return (detected.count > 1 ? detected[1] : latest) - last
  }
}
