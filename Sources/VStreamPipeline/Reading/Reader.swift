internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

/// The first thread: packets out of the input, frames out of packets, all frames alike.
struct Reader {
  private var media: MediaReader
  private var decoder: VideoDecoder
  let configuration: PipelineConfiguration
  let flow: Flow
  let copied: Set<Int>
  let state: RunState
  let ordered: Channel<SourceItem>
  let queues: [DetectionQueue]
  let timer = StageTimer()
  private let normaliser: FrameNormaliser
  private let trim: Trim
  private var schedule: DetectionSchedule
  private var pace = RealtimePacer()
  private var arrivals = ArrivalTimes()
  private var frameCount = 0
  /// Streams that have not come to the end of what is wanted.
  private var streamsToEnd: Set<Int>
  /// The latest time of any packet.
  private var latest = -Double.infinity
  /// When the last packet was read.
  private var lastRead: Double
  private var damagedInARow = 0
  /// Packets of video that were passed over, as pictures cannot be decoded before a key frame; `nil` after one.
  private var packetsBeforeKey: Int?
  /// A demuxer that finds nothing but damage may never come to an end.
  private static let maximumConsecutiveDamaged = 1000
  /// So many packets without a key frame are of a stream that has none.
  private static let maximumBeforeKeyFrame = 300

  init(
    media: sending MediaReader, decoder: sending VideoDecoder, configuration: PipelineConfiguration, flow: Flow,
    copied: Set<Int>, state: RunState, ordered: Channel<SourceItem>, queues: [DetectionQueue]
  ) {
    self.media = media
    self.decoder = decoder
    self.configuration = configuration
    self.flow = flow
    self.copied = copied
    self.state = state
    self.ordered = ordered
    self.queues = queues
    trim = configuration.trim(of: media.container)
    streamsToEnd = copied.union([media.video.index])
    normaliser = Self.normaliser(for: media.video, configuration, state)
    schedule = DetectionSchedule(
      configuration.detectEvery, processors: configuration.threads, hold: flow.hold ?? .infinity)
    lastRead = state.clock.now
    packetsBeforeKey = flow.isLive && !flow.isPaced ? 0 : nil
  }

  /// Reads to the end of the input, or until the run is to stop or nobody receives any more.
  mutating func run() {
    do {
      if trim.start > -.infinity { try goToStart() }
      while let loss = try readToEnd() { try reconnect(after: loss) }
    } catch {
      // What was read before still comes out.
      _ = try? decode(nil)
      state.fail(error)
    }
    ordered.finish()
    for queue in queues { queue.finish() }
    state.add(timer)
  }

  /// - Returns: why the input was lost, if it was and is to be tried anew; `nil` at the end.
  private mutating func readToEnd() throws -> String? {
    while !state.isStopping, !isPastEnd {
      switch try read() {
      case .lost(let reason): return reason
      case .read(.end):
        _ = try decode(nil)
        checkLength()
        return nil
      case .read(.damaged):
        state.count { $0.corruptPackets += 1 }
        damagedInARow += 1
        guard damagedInARow <= Self.maximumConsecutiveDamaged else {
          _ = try decode(nil)
          return nil
        }
      case .read(.packet(let packet)):
        damagedInARow = 0
        lastRead = state.clock.now
        guard waitUntilDue(packet) else { break }
        guard try take(packet) else { return nil }
      }
    }
    _ = try decode(nil)
    return nil
  }

  private enum Reading {
    case read(MediaReader.Read)
    case lost(reason: String)
  }

  private func read() throws -> Reading {
    let isRetried =
      configuration.reconnectSeconds > 0 && media.container.isLive && media.container.kind != .pipe
    do {
      let read = try timer.measure(.demux) { try media.next() }
      if case .end = read, isRetried, !state.isStopping, missingSeconds != 0 { return .lost(reason: "it ended") }
      return .read(read)
    } catch let error as VStreamError where isRetried && error.code == .inputOutput {
      return .lost(reason: error.message)
    }
  }

  /// Tries to open the input anew, until it is there or has been away for too long.
  ///
  /// Its times go on where they were, later by as long as it was away.
  private mutating func reconnect(after reason: String) throws {
    guard try decode(nil) else { return }
    let (limit, lostAt) = (configuration.reconnectSeconds, state.clock.now)
    state.tell("the input was lost (\(reason)): trying again for \(limit) s")
    // The place may be one's alone: a port, a camera.
    media.close()
    var pause = 0.1
    while state.wait(until: state.clock.now + pause) {
      pause = min(2 * pause, 5, max(0.1, lostAt + limit - state.clock.now))
      do throws(VStreamError) {
        var input = configuration.input
        input.openingTimeout = max(1, lostAt + limit - state.clock.now)
        let (last, read, clock) = (max(latest, 0), lastRead, state.clock)
        media = try MediaReader(
          input,
          continuing: .init(streams: media.streams, video: media.video, startSeconds: { last + clock.now - read }),
          interrupt: state.interrupt)
        decoder = try VideoDecoder(
          media.video, threads: configuration.threads, isLowDelay: flow.hold != nil, startingAt: media.continuesAt)
        packetsBeforeKey = 0
        state.tell("the input is back after \(Int((state.clock.now - lostAt).rounded(.up))) s")
        return
      } catch {
        if state.isStopping { return }
        guard state.clock.now - lostAt < limit else {
          throw VStreamError(
            .inputOutput,
            "'\(configuration.input.location)' was lost and has not come back within \(limit) s (--reconnect): "
              + "\(error.problem)",
            remedy: "what was written is playable")
        }
      }
    }
  }

  /// With a file that comes at its own pace, waits for a packet's moment.
  ///
  /// - Returns: `false` if the run is to stop.
  private mutating func waitUntilDue(_ packet: Packet) -> Bool {
    guard flow.isPaced, let time = packet.decodingTime ?? packet.presentationTime, !trim.isBefore(time.seconds) else {
      return true
    }
    return state.wait(until: pace.moment(of: time.seconds, now: state.clock.now))
  }

  /// - Returns: `false` if nobody receives any more.
  private mutating func take(_ packet: Packet) throws -> Bool {
    let seconds = (packet.presentationTime ?? packet.decodingTime)?.seconds
    if let seconds { latest = max(latest, seconds) }
    // What is decoded at the end or later is shown there or later, whatever the order of decoding.
    let isPast = (packet.decodingTime ?? packet.presentationTime).map { trim.isAfter($0.seconds) } ?? false
    if isPast { streamsToEnd.remove(packet.streamIndex) }
    if packet.streamIndex == media.video.index {
      arrivals.note(state.clock.now, at: seconds ?? 0)
      guard !isPast, canBeDecoded(packet) else { return true }
      if configuration.output?.hasOverlayTrack == true {
        guard send(.copy(packet), weight: Weight.packet) else { return false }
      }
      return try decode(packet)
    }
    guard copied.contains(packet.streamIndex), seconds.map(trim.contains) ?? true else { return true }
    return send(.copy(packet), weight: Weight.packet)
  }

  /// Whether a stream that was come upon in its midst has had a key frame.
  private mutating func canBeDecoded(_ packet: Packet) -> Bool {
    guard let passed = packetsBeforeKey, !packet.isKey, passed < Self.maximumBeforeKeyFrame else {
      packetsBeforeKey = nil
      return true
    }
    packetsBeforeKey = passed + 1
    return false
  }

  /// Goes to a place from which the wanted part's first frame can be decoded.
  ///
  /// Containers without an index may lead to a place that has no key frame before the start; then farther back is tried.
  private func goToStart() throws {
    for back in [0, 5, 30, .infinity] {
      media.seek(toSeconds: trim.start - back)
      decoder.reset()
      if back == .infinity { return }
      let first = try firstFrameTime()
      media.seek(toSeconds: trim.start - back)
      decoder.reset()
      if let first, !trim.isAfterStart(first) { return }
    }
  }

  /// The time of the first frame that can be decoded from here on.
  private func firstFrameTime() throws -> Double? {
    while !state.isStopping {
      switch try media.next() {
      case .end: return try decoder.decode(nil).frames.first?.time.seconds
      case .packet(let packet) where packet.streamIndex == media.video.index:
        if let frame = try decoder.decode(packet).frames.first { return frame.time.seconds }
      case .packet, .damaged: continue
      }
    }
    return nil
  }

  /// Whether every stream has come to the end of what is wanted, or is so late that it cannot.
  private var isPastEnd: Bool {
    streamsToEnd.isEmpty || (!streamsToEnd.contains(media.video.index) && latest > trim.end + (flow.isLive ? 0.2 : 2))
  }

  /// Warns of an input that ends before its container says, unless it was interrupted.
  private func checkLength() {
    guard !state.isStopping, let missing = missingSeconds, missing > 0 else { return }
    state.count { $0.corruptPackets += 1 }
    state.warn("the input is cut short: its last \(Int(clamping: missing.rounded())) s are missing")
  }

  /// How much of the input's end has not been read, 0 for less than a second; `nil` if its length is not known.
  private var missingSeconds: Double? {
    guard media.continuesAt == nil, let length = media.container.exactDurationSeconds, latest > -.infinity else {
      return nil
    }
    // Containers that say how long they are count from 0, whenever their first packet is shown.
    let missing = length - latest
    return missing > 1 ? missing : 0
  }

  /// - Parameter packet: `nil` at the end.
  /// - Returns: `false` if nobody receives any more.
  private mutating func decode(_ packet: Packet?) throws -> Bool {
    let output = try timer.measure(.decode) { try decoder.decode(packet) }
    if output.isDamaged || packet?.isCorrupt == true { state.count { $0.corruptPackets += 1 } }
    for frame in output.frames {
      for normal in try normaliser.normalise(frame) {
        guard emit(normal) else { return false }
      }
    }
    if !output.frames.isEmpty { for notice in normaliser.takeNotices() { state.warn(Message(notice)) } }
    guard packet == nil else { return true }
    for normal in try normaliser.finish() {
      guard emit(normal) else { return false }
    }
    for notice in configuration.output == nil ? [] : media.notices { state.warn(Message(notice)) }
    return true
  }

  private mutating func emit(_ frame: VideoFrame) -> Bool {
    guard trim.contains(frame.time.seconds) else { return true }
    governDetectors()
    let isDetected = !queues.isEmpty && schedule.next()
    let job = FrameJob(
      frame: frame, index: frameCount, rotation: normaliser.orientation.degrees,
      arrival: arrivals.take(at: frame.time.seconds) ?? arrivals.latest ?? state.clock.now, offered: state.clock.now,
      detections: isDetected ? queues.map { _ in PendingDetection(clock: state.clock) } : [])
    frameCount += 1
    state.count { $0.framesIn += 1 }
    for (queue, detection) in zip(queues, job.detections) {
      guard queue.offer(DetectionTask(frame: frame, result: detection)) else { return false }
    }
    return send(.frame(job), weight: Weight.frame)
  }

  /// Sends an item on its way; where frames are dropped and the way is full, the oldest gives way.
  ///
  /// - Returns: `false` if nobody receives any more.
  private func send(_ item: SourceItem, weight: Int) -> Bool {
    guard flow.dropsAtEntrance else { return ordered.send(item, weight: weight) }
    guard let dropped = ordered.push(item, weight: weight, evicting: \.evictionPolicy) else { return false }
    for case .frame(let job) in dropped {
      state.count { $0.framesDropped += 1 }
      for (queue, detection) in zip(queues, job.detections) { queue.withdraw(detection) }
    }
    return true
  }

  /// Once in a while, has the detectors look more or less often.
  private mutating func governDetectors() {
    guard schedule.isDue(at: state.clock.now) else { return }
    let (counts, detecting, shortest) = state.contents.update { contents in
      (contents.counts, contents.detectionTimes, contents.detectionTimes.takeShortest())
    }
    let news = schedule.update(
      DetectionSchedule.Totals(
        seconds: state.clock.now, busySeconds: Machine.busySeconds(processors: configuration.threads),
        frames: counts.framesIn, passes: detecting.count, passSeconds: detecting.seconds, shortestPass: shortest,
        late: counts.framesLateForDetector, dropped: counts.framesDropped))
    if let news { state.tell(Message(news)) }
  }

  /// A normaliser to the format that frames are coded in; without output, to their own.
  private static func normaliser(
    for stream: StreamInfo, _ configuration: PipelineConfiguration, _ state: RunState
  ) -> FrameNormaliser {
    FrameNormaliser(orientation: stream.orientation) { first throws(VStreamError) in
      let needsPixels = !configuration.kinds.isEmpty
      guard let output = configuration.output, !output.hasOverlayTrack else {
        return FrameTarget(format: needsPixels ? first.format.addressable : first.format)
      }
      let target = try output.codec.target(
        for: first, wanted: output.encoder.pixelFormat, needsPixels: needsPixels)
      if target.format != first.format, output.encoder.pixelFormat == nil {
        state.warn(
          "\(output.codec.name) cannot code \(first.format): coded as \(target.format) "
            + "(--pixel-format chooses another)")
      }
      return target
    }
  }
}
