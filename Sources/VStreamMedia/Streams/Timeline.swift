internal import CVStreamLibAV
internal import VStreamCore

/// Offsets that put the packets of an input on one timeline that goes forward where the input's own times jump: in joined
/// recordings, after a clock was set, or where times are damaged.
///
/// An input is a sequence of spans, each with one offset for all of its streams, so that these stay synchronous. A stream
/// whose time jumps back enters the next span. The first stream to enter a span determines its offset: the span begins
/// where everything before it ended. A jump ahead is preserved, as recordings have gaps, unless it leads back to an
/// earlier span. A jump is accepted only when the next packets of its stream confirm it; a single packet that jumps is
/// given the time that was expected.
///
/// Where the packets of a live input arrive at the pace of their times, a jump ahead that their arrival does not share is no
/// gap: the sender's clock was set.
///
/// All times are decoding times in seconds.
struct Timeline<Payload> {
  /// A packet with the times that the input gives it.
  struct Entry {
    let payload: Payload
    let stream: Int
    let time: Double
    let duration: Double
    /// `nil` if the input is not live.
    var arrival: Arrival?

    var end: Double { time + max(0, duration) }
  }

  /// A packet whose time on the timeline is determined.
  struct Output {
    let payload: Payload
    /// The offset to be added to the packet's times.
    let offset: Double
  }

  private struct StreamState {
    var span: Int
    var last: Entry
    /// Packets that may have jumped, until the next ones confirm it.
    var pending: [Entry] = []
  }

  /// Seconds; a longer jump ahead is not a gap. libavformat interprets some backward jumps as a wraparound of a 33-bit
  /// clock.
  private let maximumGap: Double
  /// For clocks that wrap around.
  static var longestGapOfWrappingClock: Double { 12 * 3600 }
  /// Seconds of packets that confirm a jump.
  private let confirmation = 0.5
  /// Packets that confirm a jump whatever their duration.
  private let maximumPending = 64
  /// The largest difference in length of joined streams, in seconds.
  private let maximumOverlap = 1.0

  /// The stream whose span applies to streams that have too few packets to distinguish jumps from pauses.
  private let leader: Int
  private var offsets = [0.0]
  /// The span that a stream entered last.
  private var latestSpan = 0
  private var streams: [Int: StreamState] = [:]
  private var sparse: [Payload] = []
  /// The end of all packets so far, on the timeline.
  private var end = -Double.infinity
  /// The time that the first packet is given; `nil` for its own.
  private let start: Double?
  /// `nil` if the input is not live.
  private var pace: Pace?
  /// The seconds from the first packet's time to the end of all; `nil` as long as the input's times do not jump.
  var joinedSeconds: Double? { offsets.count > 1 ? begin.map { end - $0 } : nil }
  /// The time of the first packet on the timeline.
  private var begin: Double?

  /// How often the sender's clock was set; reset by its reader.
  var clockSteps = 0

  /// - Parameter maximumGap: `longestGapOfWrappingClock`, or infinite for containers whose times do not wrap around.
  init(leader: Int, startingAt start: Double? = nil, maximumGap: Double = longestGapOfWrappingClock) {
    self.leader = leader
    self.start = start
    self.maximumGap = maximumGap
  }

  /// Adds the next packet of a stream, and returns the packets whose offsets are determined by it.
  mutating func add(_ entry: Entry) -> [Output] { place(entry) + releaseSparse() }

  /// Adds a packet of a stream that has too few of them, or one without a time: it has the offset of the leader.
  mutating func add(sparse payload: Payload) -> [Output] {
    sparse.append(payload)
    return releaseSparse()
  }

  /// Returns the packets that wait for the leader's offset, unless the leader may have jumped.
  private mutating func releaseSparse() -> [Output] {
    let isKnown = streams[leader]?.pending.isEmpty != false
    guard !sparse.isEmpty, isKnown || sparse.count > maximumPending else { return [] }
    defer { sparse = [] }
    return sparse.map { Output(payload: $0, offset: leaderOffset) }
  }

  private var leaderOffset: Double { offsets[streams[leader]?.span ?? 0] }

  private mutating func place(_ entry: Entry) -> [Output] {
    guard let state = streams[entry.stream] else {
      if let start, streams.isEmpty { offsets[0] = start - entry.time }
      if pace == nil { pace = entry.arrival.map { Pace(time: entry.time + offsets[0], arrival: $0) } }
      streams[entry.stream] = StreamState(span: streams[leader]?.span ?? 0, last: entry)
      return [accept(entry)]
    }
    if !state.pending.isEmpty {
      streams[entry.stream]?.pending = []
      return resolve(state, with: entry)
    }
    if hasJumped(entry, after: state.last) || isEarly(entry, after: state) {
      streams[entry.stream]?.pending = [entry]
      return []
    }
    return [accept(entry)]
  }

  /// Notes the arrival of a packet of the leader that has no decoding time.
  mutating func noteArrival(_ arrival: Arrival, ofTime time: Double) {
    let shifted = time + leaderOffset
    if pace == nil { pace = Pace(time: shifted, arrival: arrival) }
    pace?.note(time: shifted, arrival: arrival)
  }

  /// Returns the pending packets at the end of the input.
  mutating func finish() -> [Output] {
    let confirmed = streams.keys.sorted().flatMap { stream in
      let pending = streams[stream]?.pending ?? []
      streams[stream]?.pending = []
      return confirm(pending)
    }
    return confirmed + releaseSparse()
  }

  private func hasJumped(_ entry: Entry, after last: Entry) -> Bool {
    TimeJump.isJump(to: entry.time, after: last.time, duration: last.duration)
  }

  /// Accepts pending packets as a jump or as single wrong times, or adds one more to them.
  private mutating func resolve(_ state: StreamState, with entry: Entry) -> [Output] {
    guard let first = state.pending.first, let last = state.pending.last else { return [accept(entry)] }
    if abs(entry.time - state.last.end) < abs(entry.time - last.end) {
      let offset = offsets[state.span] + state.last.end - first.time
      return state.pending.map { Output(payload: $0.payload, offset: offset) } + place(entry)
    }
    if hasJumped(entry, after: last) { return confirm(state.pending) + place(entry) }
    // A burst of audio packets may have one time, which confirms nothing.
    guard entry.end - first.time >= confirmation || state.pending.count > maximumPending else {
      streams[entry.stream]?.pending = state.pending + [entry]
      return []
    }
    return confirm(state.pending + [entry])
  }

  private mutating func confirm(_ pending: [Entry]) -> [Output] {
    guard let first = pending.first else { return [] }
    return [jump(to: first)] + pending.dropFirst().map { accept($0) }
  }

  private mutating func accept(_ entry: Entry) -> Output {
    let offset = offsets[streams[entry.stream]?.span ?? 0]
    streams[entry.stream]?.last = entry
    begin = begin ?? entry.time + offset
    end = max(end, entry.end + offset)
    pace?.note(time: entry.time + offset, arrival: entry.arrival)
    return Output(payload: entry.payload, offset: offset)
  }

  private mutating func jump(to entry: Entry) -> Output {
    guard let state = streams[entry.stream] else { return accept(entry) }
    let isStep = isEarly(entry, after: state)
    let isGap = entry.time >= state.last.time && entry.time - state.last.time <= maximumGap && !isStep
    if let span = fittingSpan(for: entry, after: state) {
      streams[entry.stream]?.span = span
    } else if !isGap {
      let continued = continuation(of: entry, after: state)
      if continued != nil { clockSteps += 1 }
      offsets.append((continued ?? end) - entry.time)
      streams[entry.stream]?.span = offsets.count - 1
    }
    latestSpan = streams[entry.stream]?.span ?? latestSpan
    return accept(entry)
  }

  /// Whether an entry leads its stream ahead to a time that cannot have come yet.
  private func isEarly(_ entry: Entry, after state: StreamState) -> Bool {
    guard let pace, let arrival = entry.arrival else { return false }
    return entry.time - state.last.end > Pace.tolerance
      && pace.isEarly(time: entry.time + offsets[state.span], arrival: arrival)
  }

  /// The time on the timeline for an entry after the clock of a live input was set: after the last one of its stream, and
  /// after the pause that its arrival shows. `nil` for other inputs.
  private func continuation(of entry: Entry, after state: StreamState) -> Double? {
    guard let pace, pace.isReal, let arrival = entry.arrival else { return nil }
    let (last, expected) = (state.last.end + offsets[state.span], pace.time(at: arrival.received))
    return expected - last > Pace.tolerance ? expected : last
  }

  /// The other span that a jump leads to: the one that another stream has just entered, else, unless arrival decides, an
  /// earlier one that continues at this time; `nil` for none.
  private func fittingSpan(for entry: Entry, after state: StreamState) -> Int? {
    func fits(_ span: Int, overlap: Double) -> Bool {
      let time = entry.time + offsets[span]
      return span != state.span && time > state.last.end + offsets[state.span] - overlap
        && time < end + TimeJump.maximumPause
    }
    if fits(latestSpan, overlap: maximumOverlap) { return latestSpan }
    if pace?.isReal == true { return nil }
    return offsets.indices.last { fits($0, overlap: state.last.duration / 2) }
  }
}

/// How the times of a live input's packets relate to their arrival.
struct Pace {
  /// Seconds that a packet may be early, as delays vary.
  static let tolerance = 1.0
  /// Packets that were sent before the input was opened may come at once; in seconds of their times.
  private static let burst = 2.0
  /// The fastest pace of a live input, in seconds of times per second.
  private static let fastest = 1.5
  /// By how many seconds per second clocks may drift apart.
  private static let drift = 0.001
  /// The least wait for a live input, in seconds and as a fraction of the time: other reads return available packets.
  private static let waiting = (seconds: 0.5, fraction: 0.3)

  private let first: (time: Double, arrival: Double)
  private var last: (time: Double, arrival: Double)
  /// Seconds for which packets were waited for.
  private var waited = 0.0
  /// Arrival minus time of the packet with the least delay.
  private var leastDelay: Double

  init(time: Double, arrival: Arrival) {
    first = (time, arrival.received)
    last = first
    leastDelay = arrival.received - time
  }

  mutating func note(time: Double, arrival: Arrival?) {
    guard let arrival else { return }
    if arrival.wasWaitedFor, arrival.received > last.arrival { waited += arrival.received - arrival.requested }
    leastDelay = min(leastDelay + Self.drift * max(0, arrival.received - last.arrival), arrival.received - time)
    last = (max(last.time, time), max(last.arrival, arrival.received))
  }

  /// Whether packets arrive at the pace of their times, and not as fast as they are read.
  var isReal: Bool {
    let elapsed = last.arrival - first.arrival
    return waited >= max(Self.waiting.seconds, Self.waiting.fraction * elapsed)
      && last.time - first.time <= Self.fastest * elapsed + Self.burst
  }

  /// The time of a packet that arrives at a moment with the least delay.
  func time(at arrival: Double) -> Double { arrival - leastDelay }

  /// Whether a packet cannot have been sent yet at its arrival.
  func isEarly(time: Double, arrival: Arrival) -> Bool {
    isReal && time > self.time(at: arrival.received) + Self.tolerance
  }
}

/// Which differences of time between two packets of a stream are neither pauses nor disorder. In seconds.
enum TimeJump {
  /// By how much a packet may be earlier than the last one.
  private static let backTolerance = 0.1
  /// By how much it may be later than the last one's end.
  static let maximumPause = 10.0

  /// - Parameter duration: of the packet before.
  static func isJump(to time: Double, after last: Double, duration: Double) -> Bool {
    time - last < -backTolerance || time - last - max(0, duration) > maximumPause
  }
}

/// Gives times to the first packets of a video that have none, as those of RTSP until the sender's first report: they are
/// delayed until a packet has a time, and placed before it at the stream's frame rate.
struct UntimedStart {
  private let stream: Int
  private let ticksPerFrame: Int64
  private var delayed: [Packet] = []
  private var isOver: Bool
  /// After this many packets without a timestamp, the stream is assumed to have none.
  private static let maximumDelayed = 64

  /// - Parameter isExpected: Whether the input may begin so; otherwise nothing is delayed.
  init(of video: StreamInfo, isExpected: Bool) {
    stream = video.index
    let rate = video.frameRate?.value ?? 25
    ticksPerFrame = max(1, video.timeBase.ticks(seconds: 1 / rate))
    isOver = !isExpected
  }

  /// Takes the next packet, and returns the ready ones, in their order.
  mutating func take(_ packet: Packet) -> [Packet] {
    guard !isOver, packet.streamIndex == stream else { return [packet] }
    guard let time = packet.decodingTime ?? packet.presentationTime else {
      delayed.append(packet)
      return delayed.count < Self.maximumDelayed ? [] : finish()
    }
    for (index, early) in delayed.enumerated() {
      let ticks = time.ticks.limitedDifference(ticksPerFrame * Int64(delayed.count - index))
      early.av.pointee.pts = ticks
      early.av.pointee.dts = ticks
    }
    return finish() + [packet]
  }

  /// Returns the delayed packets as they are, at the end of the input.
  mutating func finish() -> [Packet] {
    isOver = true
    defer { delayed = [] }
    return delayed
  }
}
