/// Aligns the times of two streams of one camera by when their packets arrive. A value: its owner passes in the times.
///
/// A packet is never early, but may be late: of each stream the one counts that took least since its time.
struct StreamAlignment: Sendable {
  /// Of one stream, the smallest difference between arrival and time, in the present interval and in the one before it.
  private struct Delay: Sendable {
    var before = Double.infinity
    var present = Double.infinity
    var startedAt: Double?

    var smallest: Double? {
      let value = min(before, present)
      return value.isFinite ? value : nil
    }

    mutating func add(_ time: Double, at now: Double) {
      if startedAt.map({ now - $0 >= StreamAlignment.interval }) ?? true {
        (before, present, startedAt) = (present, .infinity, now)
      }
      present = min(present, now - time)
    }
  }

  private var delays: [CameraStream: Delay] = [:]

  /// Seconds of packets by which clocks are compared, which may run at slightly different rates.
  static let interval = 5.0

  /// Notes the arrival of a packet.
  ///
  /// - Parameters:
  ///   - time: its presentation time, in seconds of its stream.
  ///   - now: seconds of the clock.
  mutating func add(_ time: Double, of stream: CameraStream, at now: Double) {
    delays[stream, default: Delay()].add(time, at: now)
  }

  /// Forgets a stream, whose times begin again.
  mutating func reset(_ stream: CameraStream) { delays[stream] = nil }

  /// Seconds to add to times of the decoded stream for those of the shown one; `nil` until both have packets.
  var shift: Double? {
    guard let decoded = delays[.decoded]?.smallest, let shown = delays[.shown]?.smallest else { return nil }
    return decoded - shown
  }
}
