internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting

/// The demuxer of a run's input, which is reopened if a live input is lost.
struct InputSource {
  private(set) var media: MediaReader
  private let input: MediaInput
  /// Seconds for which a lost input is reconnected; 0: it is not.
  private let reconnectSeconds: Double
  private let state: RunState
  private let timer: StageTimer
  /// The latest stream time of any packet.
  private(set) var latest = -Double.infinity
  /// When the last packet arrived.
  private var lastArrival: Double
  private var backlog: Backlog

  enum Event {
    case packet(Packet)
    /// Data that could not be demuxed.
    case damaged
    /// The input failed, and is to be reconnected.
    case lost(reason: String)
    case end
  }

  /// A demuxer that finds nothing but damage may never reach the end of the input.
  static let maximumConsecutiveDamaged = 1000

  /// Seconds until the first attempt to reconnect.
  private static let firstPause = 0.1

  init(_ media: sending MediaReader, _ configuration: PipelineConfiguration, state: RunState, timer: StageTimer) {
    self.media = media
    input = configuration.input
    reconnectSeconds = configuration.reconnectSeconds
    self.state = state
    self.timer = timer
    lastArrival = state.clock.now
    backlog = Backlog(openedAt: lastArrival)
  }

  /// Waits for the next event.
  ///
  /// - Throws: `VStreamError` for a failure that cannot be reconnected.
  mutating func next() throws -> Event {
    let canReconnect =
      reconnectSeconds > 0 && !media.container.hasKnownEnd && ![.pipe, .frames].contains(media.container.kind)
    let start = state.clock.now
    do {
      switch try timer.measure(.demux, { try media.next() }) {
      case .end:
        return canReconnect && !state.isStopping && missingSeconds != 0 ? .lost(reason: "it ended") : .end
      case .damaged: return .damaged
      case .packet(let packet):
        let end = state.clock.now
        if !media.isExhausted { lastArrival = end }
        backlog.noteRead(from: start, to: end)
        if media.hasReadPackets { backlog = Backlog(openedAt: end) }
        if let time = packet.presentationTime ?? packet.decodingTime { latest = max(latest, time.seconds) }
        return .packet(packet)
      }
    } catch let error as VStreamError where canReconnect && error.code == .inputOutput {
      return .lost(reason: error.message)
    }
  }

  /// Whether the last packet was already there when it was asked for, since the input was opened or held packets back.
  var isReadingBacklog: Bool { backlog.isBeingRead }

  /// How much of the input's end was not read, 0 for less than a second; `nil` if its duration is unknown.
  var missingSeconds: Double? { media.missingSeconds }

  /// Opens the input again, at its beginning.
  mutating func rewind() throws(VStreamError) {
    media.close()
    media = try MediaReader(input, interrupt: state.interrupt)
  }

  /// Reopens the input, until that succeeds, the time for it is over, or the run is stopped.
  ///
  /// The stream times continue where they were, later by the time that the input was lost.
  ///
  /// - Parameter onProblem: called with why an attempt failed, where the one before did not fail for the same reason.
  /// - Throws: `VStreamError.inputOutput` when the time is over.
  mutating func reconnect(
    after reason: String, _ decoder: inout FrameDecoder, onProblem: (VStreamError) -> Void
  ) throws {
    let lostAt = state.clock.now
    let limit: Message = reconnectSeconds.isFinite ? " for \(reconnectSeconds) s" : ""
    state.notify("the input was lost (\(reason)): reconnecting\(limit)")
    // A device or port may allow one connection at a time.
    media.close()
    var delay = RetryDelay(first: Self.firstPause)
    var pause = delay.take(after: nil)
    var problem: VStreamError?
    while state.wait(until: state.clock.now + pause) {
      let remaining = lostAt + reconnectSeconds - state.clock.now
      do throws(VStreamError) {
        try reopen(timeout: max(1, remaining))
        try decoder.restart(with: media)
        state.notify("the input was reconnected after \(Int((state.clock.now - lostAt).rounded(.up))) s")
        return
      } catch {
        if state.isStopping { return }
        guard state.clock.now - lostAt < reconnectSeconds else { throw reconnectFailure(error) }
        if error != problem {
          state.notify("reconnecting failed: \(error.problem)")
          onProblem(error)
        }
        problem = error
        pause = min(delay.take(after: error), max(Self.firstPause, remaining))
      }
    }
  }

  private mutating func reopen(timeout: Double) throws(VStreamError) {
    var input = input
    input.openingTimeout = timeout
    let (last, arrival, clock) = (max(latest, 0), lastArrival, state.clock)
    let header = media.video.header
    media = try MediaReader(
      input,
      continuing: .init(streams: media.streams, video: media.video, startSeconds: { last + clock.now - arrival }),
      interrupt: state.interrupt)
    if media.video.header != header { state.contents.update { $0.hasOtherParameters = true } }
    backlog = Backlog(openedAt: clock.now)
  }

  private func reconnectFailure(_ error: VStreamError) -> VStreamError {
    VStreamError(
      .inputOutput,
      "\(input.displayName) was lost and could not be reconnected (\(.reconnect, reconnectSeconds)): \(error.problem)",
      setting: .reconnect, subject: input.location, remedy: "the output is playable up to there")
  }
}

/// Whether the packets read are a backlog: they arrived while the input was opened and probed, or its server
/// sends them at once when a client connects.
///
/// A backlog ends with the first packet that has to be waited for. Its frames are not late, so none of them is dropped: the
/// later stages process them as fast as they can.
struct Backlog {
  private(set) var isBeingRead = true
  private let openedAt: Double

  /// Seconds. Waiting packets are read in microseconds; a stream's come at longer intervals.
  private static let shortestWait = 0.005
  /// Seconds after opening. Later stages that are too slow for the stream would never let the backlog end.
  private static let longestDuration = 5.0

  /// - Parameter openedAt: the moment from which packets are read.
  init(openedAt: Double) { self.openedAt = openedAt }

  /// Notes the moments before and after a packet was read.
  mutating func noteRead(from start: Double, to end: Double) {
    if end - start >= Self.shortestWait || end - openedAt >= Self.longestDuration { isBeingRead = false }
  }
}

/// Maps stream times of a file to moments of the clock, so that the file arrives at the rate at which it is shown.
struct RealtimePacer {
  private var origin: (moment: Double, stream: Double)?

  /// Seconds beyond which a packet that is too early, or one that is too late, resets the mapping.
  private static let maximumWait = 600.0
  private static let maximumDelay = 10.0

  /// The moment of the clock at which a packet of a stream time is due.
  ///
  /// The mapping is reset where the stream's times jump, or where the reader has fallen far behind.
  mutating func moment(of seconds: Double, now: Double) -> Double {
    guard let origin, case let wait = origin.moment + seconds - origin.stream - now, wait > -Self.maximumDelay,
      wait < Self.maximumWait
    else {
      origin = (now, seconds)
      return now
    }
    return origin.moment + seconds - origin.stream
  }
}
