internal import CVStreamLibAV
internal import VStreamCore

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
/// Jitter hardly shows, and intervals do not drift away from arrival. Packets that were available when they were requested
/// continue the interval. A late packet follows a pause, which is kept; packets that the network held back with it follow at
/// twice the rate, until the timestamps agree with arrival.
///
/// Packets that never have to be waited for come from a file. They keep libav's guess of 25 frames a second.
struct ArrivalTimestamps {
  private enum Mode {
    /// Packets are held until their source is known.
    case measuring(held: [Packet], bytes: Int)
    case live(Filter)
    case file
    /// The user states the frame rate.
    case fixed(count: Int, interval: Double)
  }

  private var mode: Mode
  /// The moment of arrival whose timestamp is 0.
  private var start = 0.0

  /// A live input was waited for so many times, for most of so many seconds.
  private static let live = (packets: 3, seconds: 0.3, fraction: 0.6)
  /// So many packets, or bytes, without being live are a file's.
  private static let maximumHeld = (packets: 250, bytes: 64 << 20)

  /// - Parameter rate: packets per second; `nil` if it is to be measured.
  init(rate: Double? = nil) {
    mode = rate.map { .fixed(count: 0, interval: 1 / $0) } ?? .measuring(held: [], bytes: 0)
  }

  /// Whether the input is known to be a file.
  var isFile: Bool { if case .file = mode { true } else { false } }

  /// Adds the next packet, and returns the packets with determined timestamps.
  mutating func add(_ packet: Packet) -> [Packet] {
    switch mode {
    case .file: return [packet]
    case .fixed(let count, let interval):
      mode = .fixed(count: count + 1, interval: interval)
      return [stamp(packet, at: Double(count) * interval, interval: interval)]
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

extension ArrivalTimestamps {
  /// Follows the sender's interval and phase, packet by packet.
  ///
  /// The interval is the mean of the last packets: seconds between packets that were waited for, divided by their number, so
  /// that packets which arrive together count. Three spans in succession that are much longer, or much shorter, are another
  /// rate. The timestamps follow arrival by a fifth of the difference.
  fileprivate struct Filter {
    /// Seconds between two packets.
    var interval: Double { mean.seconds / mean.packets }
    /// The last timestamp, as a moment of arrival.
    private(set) var last: Double
    private var mean: (seconds: Double, packets: Double)
    /// The spans in succession that are too long, or too short.
    private var outliers: (seconds: Double, packets: Double, count: Int) = (0, 0, 0)
    private var areLong = false
    /// The arrival of the last packet that was waited for, and the number of those since.
    private var lastWaited: Double
    private var sinceWaited = 0.0

    /// The packets of the mean.
    private static let memory = 24.0
    /// The fraction of the difference from arrival that is corrected.
    private static let gain = 0.2
    /// A span is an outlier if it is this many times longer, or shorter: jitter of an interval makes it twice as long at most.
    private static let outlier = 2.2
    private static let confirming = 3
    /// In seconds.
    private static let shortestPause = 0.5

    init(interval: Double, last: Double) {
      self.last = last
      lastWaited = last
      mean = (interval * Self.memory, Self.memory)
    }

    mutating func advance(to arrival: Arrival?) {
      sinceWaited += 1
      guard let arrival else { return last += interval }
      let (error, used) = (arrival.received - last - interval, interval)
      guard arrival.wasWaitedFor else { return last += error < -used ? used / 2 : used }
      note(span: arrival.received - lastWaited, isAhead: -error > interval)
      (lastWaited, sinceWaited) = (arrival.received, 0)
      let isAfterPause = error > max(Self.shortestPause, Self.outlier * used)
      last = isAfterPause ? arrival.received : last + used + Self.gain * min(max(error, -used), used)
    }

    private mutating func note(span: Double, isAhead: Bool) {
      let isLong = span > Self.outlier * interval * sinceWaited
      let isShort = Self.outlier * span < interval * sinceWaited
      if !isLong, !isShort { return keep(span, sinceWaited) }
      if isLong != areLong {
        // A stall, and the packets that were sent meanwhile.
        let (seconds, packets) = (outliers.seconds + span, outliers.packets + sinceWaited)
        let isBoth = isShort && outliers.count > 0 && Self.outlier * seconds >= interval * packets
        if isBoth { return keep(seconds, packets) }
        outliers = (0, 0, 0)
      }
      guard isLong || isAhead else { return }
      areLong = isLong
      outliers = (outliers.seconds + span, outliers.packets + sinceWaited, outliers.count + 1)
      if outliers.count >= Self.confirming { (mean, outliers) = ((outliers.seconds, outliers.packets), (0, 0, 0)) }
    }

    private mutating func keep(_ seconds: Double, _ packets: Double) {
      let kept = max(0, 1 - packets / Self.memory)
      mean = (mean.seconds * kept + seconds, mean.packets * kept + packets)
      outliers = (0, 0, 0)
    }
  }
}
