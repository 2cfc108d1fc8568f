/// Puts the packets of an input on one timeline that goes forward, where the input's own jumps: joined recordings, clocks
/// that were set anew, times that are damaged.
///
/// An input is a row of spans, each with one offset for all of its streams, so that these stay together. A stream whose
/// time jumps back enters the next span; the first to enter it decides the offset: the span begins where all before it
/// ended. A jump ahead is kept, as recordings have gaps, unless it leads back to an earlier span. Jumps are believed only
/// when the next packets of the stream agree; those that stand alone are put where they were expected.
///
/// All times are seconds of decoding.
struct Timeline<Payload> {
  /// A packet with what it says of its time.
  struct Entry {
    let payload: Payload
    let stream: Int
    let time: Double
    let duration: Double

    var end: Double { time + max(0, duration) }
  }

  /// A packet that has its place.
  struct Placed {
    let payload: Payload
    /// What is added to the packet's times.
    let offset: Double
  }

  private struct StreamState {
    var span: Int
    var last: Entry
    /// Packets that may have jumped: the next ones tell.
    var held: [Entry] = []
  }

  /// A jump ahead beyond this is none: libavformat takes some that lead back for clocks of 33 bits that wrapped.
  private let longestGap = 12.0 * 3600

  /// How long what jumped has to agree with itself.
  private let longestBunch = 0.5
  /// By how much streams of joined recordings may differ in length.
  private let longestOverlap = 1.0

  /// The stream by whose span those go that have too few packets to tell jumps from pauses.
  private let leader: Int
  private var offsets = [0.0]
  /// The span that a stream entered last.
  private var newest = 0
  private var streams: [Int: StreamState] = [:]
  /// Where all that was placed ends.
  private var end = -Double.infinity

  /// How far a packet may be before the last one, which is imprecision.
  private let backTolerance = 0.1
  /// How far it may be after it, which is a pause.
  private let longestPause = 10.0

  /// Where the first packet is put; `nil` where it says itself.
  private let start: Double?

  init(leader: Int, startingAt start: Double? = nil) {
    self.leader = leader
    self.start = start
  }

  /// What is added to the times of a stream that has no packets here.
  func offset(ofSparse stream: Int) -> Double { offsets[streams[leader]?.span ?? 0] }

  /// Takes the next packet of a stream, and gives those that have their places.
  mutating func place(_ entry: Entry) -> [Placed] {
    guard let state = streams[entry.stream] else {
      if let start, streams.isEmpty { offsets[0] = start - entry.time }
      streams[entry.stream] = StreamState(span: streams[leader]?.span ?? 0, last: entry)
      return [accept(entry)]
    }
    if !state.held.isEmpty {
      streams[entry.stream]?.held = []
      return settle(state, with: entry)
    }
    let step = entry.time - state.last.time
    if step < -backTolerance || entry.time - state.last.end > longestPause {
      streams[entry.stream]?.held = [entry]
      return []
    }
    return [accept(entry)]
  }

  /// Gives what was held back, at the end of the input.
  mutating func finish() -> [Placed] {
    streams.keys.sorted().flatMap { stream in
      let held = streams[stream]?.held ?? []
      streams[stream]?.held = []
      return believe(held)
    }
  }

  /// Decides on packets that may have jumped, or holds one more.
  private mutating func settle(_ state: StreamState, with entry: Entry) -> [Placed] {
    guard let first = state.held.first, let newest = state.held.last else { return [accept(entry)] }
    if abs(entry.time - state.last.end) < abs(entry.time - newest.end) {
      let offset = offsets[state.span] + state.last.end - first.time
      return state.held.map { Placed(payload: $0.payload, offset: offset) } + place(entry)
    }
    let hasJumpedAgain = entry.time < newest.time - backTolerance || entry.time - newest.end > longestPause
    if hasJumpedAgain { return believe(state.held) + place(entry) }
    // Packets of sound come in bunches that have one time to go by.
    guard entry.end - first.time >= longestBunch || state.held.count > 64 else {
      streams[entry.stream]?.held = state.held + [entry]
      return []
    }
    return believe(state.held + [entry])
  }

  private mutating func believe(_ held: [Entry]) -> [Placed] {
    guard let first = held.first else { return [] }
    return [jump(to: first)] + held.dropFirst().map { accept($0) }
  }

  private mutating func accept(_ entry: Entry) -> Placed {
    let offset = offsets[streams[entry.stream]?.span ?? 0]
    streams[entry.stream]?.last = entry
    end = max(end, entry.end + offset)
    return Placed(payload: entry.payload, offset: offset)
  }

  private mutating func jump(to entry: Entry) -> Placed {
    guard let state = streams[entry.stream] else { return accept(entry) }
    let isBeyondGaps = entry.time < state.last.time || entry.time - state.last.time > longestGap
    if let span = fittingSpan(for: entry, after: state) {
      streams[entry.stream]?.span = span
    } else if isBeyondGaps {
      offsets.append(end - entry.time)
      streams[entry.stream]?.span = offsets.count - 1
    }
    newest = streams[entry.stream]?.span ?? newest
    return accept(entry)
  }

  /// The other span that a jump leads to: the one that another stream has just entered, else an earlier one that goes on
  /// right here; `nil` for none.
  private func fittingSpan(for entry: Entry, after state: StreamState) -> Int? {
    func fits(_ span: Int, overlap: Double) -> Bool {
      let time = entry.time + offsets[span]
      return span != state.span && time > state.last.end + offsets[state.span] - overlap && time < end + longestPause
    }
    if fits(newest, overlap: longestOverlap) { return newest }
    return offsets.indices.last { fits($0, overlap: state.last.duration / 2) }
  }
}
