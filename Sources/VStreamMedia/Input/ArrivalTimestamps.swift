internal import CVStreamLibAV
internal import VStreamScene

/// The arrival of a packet, in monotonic seconds.
struct Arrival: Sendable {
  /// When the read began, and when it returned the packet.
  let requested: Double
  let received: Double

  /// Whether the reader waited for it. Otherwise it was available before, since an unknown time.
  var wasWaitedFor: Bool { received - requested >= Self.shortestWait }

  /// Available packets are read in microseconds.
  private static let shortestWait = 0.003
}

/// Timestamps for a live video whose format has none, as raw H.264 and the JPEG images of a network camera: the smoothed
/// times of arrival.
///
/// An alpha-beta filter follows the sender's interval: jitter hardly shows, and intervals do not drift away from arrival.
/// Packets that were available when they were requested, as after a stall, continue the interval. A packet that is later than
/// predicted by more than a second follows a pause, which is kept.
///
/// Packets that never have to be waited for come from a file. They keep libav's guess of 25 frames a second.
struct ArrivalTimestamps {
  private enum Mode {
    /// Packets are held until their source is known.
    case measuring(held: [Packet], bytes: Int)
    case live(Filter)
    case file
  }

  fileprivate struct Filter {
    /// Seconds between two packets.
    var interval: Double
    /// The last timestamp, as a moment of arrival.
    var last: Double
  }

  private var mode = Mode.measuring(held: [], bytes: 0)
  /// The moment of arrival whose timestamp is 0.
  private var start = 0.0

  /// A live input was waited for so many times, for most of so many seconds.
  private static let live = (packets: 3, seconds: 0.3, fraction: 0.6)
  /// So many packets, or bytes, without being live are a file's.
  private static let maximumHeld = (packets: 250, bytes: 64 << 20)
  /// The filter's gains for timestamp and interval.
  fileprivate static let gains = (time: 0.2, interval: 0.02)
  /// In seconds.
  fileprivate static let shortestPause = 1.0

  /// Whether the input is known to be a file.
  var isFile: Bool { if case .file = mode { true } else { false } }

  /// Adds the next packet, and returns those whose timestamps are determined.
  mutating func add(_ packet: Packet) -> [Packet] {
    switch mode {
    case .file: return [packet]
    case .live(var filter):
      filter.advance(to: packet.arrival)
      mode = .live(filter)
      return [stamp(packet, at: filter.last, interval: filter.interval)]
    case .measuring(var held, var bytes):
      held.append(packet)
      bytes += packet.byteCount
      mode = .measuring(held: held, bytes: bytes)
      if let filter = Self.filter(of: held) { return begin(held, filter) }
      return held.count < Self.maximumHeld.packets && bytes < Self.maximumHeld.bytes ? [] : finish()
    }
  }

  /// Returns the packets that are held, at the end of the input.
  mutating func finish() -> [Packet] {
    guard case .measuring(let held, _) = mode else { return [] }
    // The time of a single image does not matter.
    mode = held.count > 1 ? .file : .measuring(held: [], bytes: 0)
    return held
  }

  /// The filter as of the last of some packets; `nil` unless most of the time was spent waiting for them.
  private static func filter(of packets: [Packet]) -> Filter? {
    let arrivals = packets.map(\.arrival)
    let waited = arrivals.indices.filter { arrivals[$0]?.wasWaitedFor == true }
    guard waited.count >= live.packets, let first = waited.first, let last = waited.last, last == arrivals.indices.last,
      let start = arrivals[first], let end = arrivals[last]
    else { return nil }
    let elapsed = end.received - start.received
    let waiting = waited.dropFirst().reduce(0) { $0 + (arrivals[$1].map { $0.received - $0.requested } ?? 0) }
    guard elapsed >= live.seconds, waiting >= live.fraction * elapsed else { return nil }
    return Filter(interval: (end.received - start.received) / Double(last - first), last: end.received)
  }

  private mutating func begin(_ held: [Packet], _ filter: Filter) -> [Packet] {
    mode = .live(filter)
    start = filter.last - Double(held.count - 1) * filter.interval
    return held.enumerated().map { index, packet in
      stamp(packet, at: start + Double(index) * filter.interval, interval: filter.interval)
    }
  }

  /// Sets the decoding time, and the presentation time as many intervals later as libav's guesses are.
  private func stamp(_ packet: Packet, at seconds: Double, interval: Double) -> Packet {
    let times = packet.av
    let duration = packet.timeBase.ticks(seconds: interval)
    let delay = packet.delaySeconds.map { $0 / max(packet.durationSeconds, packet.timeBase.value) } ?? 0
    times.pointee.dts = packet.timeBase.ticks(seconds: seconds - start)
    if times.pointee.pts != CVStreamLibAV_NOPTS {
      times.pointee.pts = times.pointee.dts + Int64(delay.rounded()) * duration
    }
    times.pointee.duration = duration
    return packet
  }
}

extension ArrivalTimestamps.Filter {
  fileprivate mutating func advance(to arrival: Arrival?) {
    let predicted = last + interval
    guard let arrival, arrival.wasWaitedFor else { return last = predicted }
    let error = arrival.received - predicted
    if error > max(ArrivalTimestamps.shortestPause, 3 * interval) { return last = arrival.received }
    last = max(last + interval / 2, predicted + ArrivalTimestamps.gains.time * error)
    interval = max(0.001, interval + ArrivalTimestamps.gains.interval * error)
  }
}
