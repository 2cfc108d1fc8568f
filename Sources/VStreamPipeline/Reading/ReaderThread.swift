internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting

/// The body of the reader thread: demuxes, decodes, and copies the packets of other streams.
struct ReaderThread {
  private var source: InputSource
  private var decoder: FrameDecoder
  private var dispatcher: FrameDispatcher
  /// `nil` if every packet is decoded.
  private var keyFrameDecoding: KeyFrameDecoding?
  private let flow: Flow
  private let output: PipelineOutput?
  private let state: RunState
  private let timer: StageTimer
  private let trim: Trim
  /// `nil` for the whole input.
  private let part: InputPart?
  /// Whether the video's packets are sent as well, as the output is paced by them.
  private let sendsVideo: Bool
  /// Whether the key frame from which the part is decoded was read.
  private var hasKeyFrame: Bool
  private let observer: (any RunObserver)?
  /// Whether the run ends if the input returns with another codec or size.
  private let endsIfInputChanges: Bool
  private var pacer = RealtimePacer()
  /// Indices of the streams that are copied.
  private let copied: Set<Int>
  /// The parts of the other video streams that are copied, by index.
  private var videos: [Int: CopiedVideoTrim]
  /// Whether the side data of copied packets is omitted, as it is not redacted.
  private let omitsSideData: Bool
  /// Indices of the streams that have not reached the trimmed part's end.
  private var unfinished: Set<Int>

  init(
    media: sending MediaReader, decoder: sending VideoDecoder, configuration: PipelineConfiguration, flow: Flow,
    copied: Set<Int>, state: RunState, output: Channel<StreamItem>, queues: [DetectionQueue]
  ) {
    self.flow = flow
    self.output = configuration.output
    self.copied = copied
    self.state = state
    timer = StageTimer()
    let video = media.video
    observer = configuration.observer
    endsIfInputChanges = configuration.endsIfInputChanges
    trim = configuration.trim(of: media.container, copied: media.streams.filter { copied.contains($0.index) })
    part = configuration.run.part
    sendsVideo = configuration.run.joinedPackets != nil || configuration.output?.copiesUnchangedGroups == true
    hasKeyFrame = part?.keyTicks == nil
    unfinished = copied.union([video.index])
    let videos = media.streams.filter { $0.kind == .video && copied.contains($0.index) }
    self.videos = Dictionary(uniqueKeysWithValues: videos.map { ($0.index, CopiedVideoTrim()) })
    omitsSideData = configuration.redaction.map { $0.omitsImages || !$0.keepsText } == true
    keyFrameDecoding = configuration.decodesKeyFramesWhenIdle?(video) == true ? KeyFrameDecoding() : nil
    source = InputSource(media, configuration, state: state, timer: timer)
    let format = FrameFormat(configuration, codec: configuration.output?.codec(for: video))
    self.decoder = FrameDecoder(
      decoder, format.normaliser(for: video, state: state), threads: configuration.threads,
      isLowDelay: flow.hold != nil, effort: configuration.decodingEffort(video), masks: configuration.maskPainter,
      waitsForKeyFrame: flow.isPacedByInput,
      state: state, timer: timer)
    dispatcher = FrameDispatcher(
      configuration, flow, trim: trim, state: state, output: output, queues: queues,
      isStream: configuration.mode(for: media.container) == .stream)
    dispatcher.watchesScene = keyFrameDecoding != nil
  }

  /// Reads to the end of the input, or until the run is stopped or the annotator has ended.
  mutating func run() -> ReaderReport {
    do {
      if trim.start > -.infinity { try seekToStart() }
      if let part, part.seeks, let ticks = part.keyTicks, !source.media.seek(toTicks: ticks) { try source.rewind() }
      observer?.inputOpened(source.media.video, sound: source.media.sound)
      while let reason = try readToEnd() {
        observer?.inputLost(reason: reason)
        guard try decode(nil) else { continue }
        let before = source.media.video
        if keyFrameDecoding != nil { keyFrameDecoding = KeyFrameDecoding() }
        try source.reconnect(after: reason, &decoder) { [observer] in observer?.inputLost(reason: $0.message) }
        if endsIfInputChanges { try source.media.video.requireFormat(of: before) }
        observer?.inputOpened(source.media.video, sound: source.media.sound)
      }
    } catch {
      // The frames that were read before the failure are still processed.
      _ = try? decode(nil)
      state.fail(error)
    }
    dispatcher.finish()
    state.add(timer)
    return dispatcher.report
  }

  /// - Returns: why the input was lost, if it is to be reconnected; `nil` at the end.
  private mutating func readToEnd() throws -> String? {
    var consecutiveDamaged = 0
    while !state.isStopping, !isPastEnd {
      if dispatcher.isPastPart { return nil }
      switch try source.next() {
      case .lost(let reason): return reason
      case .end:
        _ = try decode(nil)
        warnIfTruncated()
        return nil
      case .damaged:
        dispatcher.countDamage()
        consecutiveDamaged += 1
        guard consecutiveDamaged <= InputSource.maximumConsecutiveDamaged else {
          _ = try decode(nil)
          return nil
        }
      case .packet(let packet):
        consecutiveDamaged = 0
        guard waitUntilDue(packet) else { break }
        noteClockSteps()
        observer?.packetRead(packet)
        guard try process(packet) else { return nil }
      }
    }
    _ = try decode(nil)
    return nil
  }

  /// Counts how often the sender's clock was set, and warns of it once.
  private func noteClockSteps() {
    let steps = source.media.takeClockSteps()
    guard steps > 0 else { return }
    let isFirst = state.contents.update { contents in
      defer { contents.counts.clockSteps += steps }
      return contents.counts.clockSteps == 0
    }
    if isFirst { state.warn("the sender's clock was set: the output's times continue without the jump") }
  }

  /// - Parameter packet: `nil` at the end.
  /// - Returns: `false` if the annotator has ended.
  private mutating func decode(_ packet: Packet?) throws -> Bool {
    let isCut = !unfinished.contains(source.media.video.index)
    guard try decoder.decode(packet, isCut: isCut, to: &dispatcher) else { return false }
    if packet == nil, output != nil { for notice in source.media.notices { state.warn(notice) } }
    return true
  }

  /// Waits until a packet of a paced file is due.
  ///
  /// - Returns: `false` if the run is stopped.
  private mutating func waitUntilDue(_ packet: Packet) -> Bool {
    guard flow.readsAtFrameRate, let time = packet.decodingTime ?? packet.presentationTime, !trim.isBefore(time.seconds)
    else {
      return true
    }
    return state.wait(until: pacer.moment(of: time.seconds, now: state.clock.now))
  }

  /// - Returns: `false` if the annotator has ended.
  private mutating func process(_ packet: Packet) throws -> Bool {
    let seconds = (packet.presentationTime ?? packet.decodingTime)?.seconds
    // A packet that is decoded at the end or later is also shown at the end or later, whatever the decoding order.
    let isPast = (packet.decodingTime ?? packet.presentationTime).map { trim.isAfter($0.seconds) } ?? false
    if isPast { unfinished.remove(packet.streamIndex) }
    guard packet.streamIndex == source.media.video.index else {
      guard copied.contains(packet.streamIndex) else { return true }
      if packet.isCorrupt { state.count { $0.corruptPackets += 1 } }
      let trim = trim
      let isIncluded =
        videos[packet.streamIndex]?.includes(packet, in: trim) ?? seconds.map(trim.contains) ?? true
      guard isIncluded else { return true }
      return dispatcher.send(omitsSideData ? try packet.withoutSideData() : packet)
    }
    dispatcher.noteArrival(at: seconds ?? 0)
    dispatcher.waitsForAnnotator = flow.isPacedByInput && source.isReadingBacklog
    if isPast { dispatcher.noteSkipped(isAfterEnd: true) }
    if !hasKeyFrame {
      guard packet.isKey, packet.presentationTime?.ticks == part?.keyTicks else { return true }
      hasKeyFrame = true
    }
    guard !isPast, decoder.canDecode(packet) else { return true }
    if output?.hasOverlayTrack == true || sendsVideo {
      guard dispatcher.send(packet) else { return false }
    }
    if dispatcher.hasAllFrames { return true }
    switch nextStep(for: packet) {
    case .decode: return try decode(packet)
    case .decodeAlone: return try decodeAlone(packet)
    case .skip(let isUnchanged): return try decoder.skip(packet, isUnchanged: isUnchanged, to: &dispatcher)
    case .resume:
      try decoder.resume(dispatcher)
      return try decode(packet)
    }
  }

  private mutating func decodeAlone(_ packet: Packet) throws -> Bool {
    let count = dispatcher.frameCount
    guard try decoder.decodeAlone(packet, to: &dispatcher) else { return false }
    if dispatcher.frameCount == count {
      keyFrameDecoding?.noteMissingFrame()
      try decoder.resume(dispatcher)
    }
    return true
  }

  private mutating func nextStep(for packet: Packet) -> KeyFrameDecoding.Step {
    guard let wasActive = keyFrameDecoding?.isActive else { return .decode }
    let scene = dispatcher.takeScene()
    guard decoder.canSkip else {
      (keyFrameDecoding, dispatcher.watchesScene) = (nil, false)
      return wasActive ? .resume : .decode
    }
    let facts = KeyFrameDecoding.PacketFacts(
      isKey: packet.isKey, byteCount: packet.byteCount, seconds: packet.presentationTime?.seconds)
    return keyFrameDecoding?.next(facts, scene) ?? .decode
  }

  /// Whether every stream has reached the trimmed part's end, or the video is so late that the others will not.
  private var isPastEnd: Bool {
    unfinished.isEmpty
      || (!unfinished.contains(source.media.video.index) && source.latest > trim.end + (flow.isLive ? 0.2 : 2))
  }

  /// Warns of an input that ends before its container's duration; one without frames is an error, which says more.
  private func warnIfTruncated() {
    guard !state.isStopping, dispatcher.frameCount > 0 else { return }
    let missing = source.missingSeconds ?? 0
    guard missing > 0 || source.media.endsWithinPacket else { return }
    state.count { $0.corruptPackets += 1 }
    state.warn(
      missing > 0
        ? "the input is truncated: its last \(Int(clamping: missing.rounded())) s are missing"
        : "the input is truncated: it ends within a packet")
  }

  /// Seeks to a position from which the trimmed part's first frame can be decoded.
  ///
  /// In containers without an index a seek may end after the last key frame before the start; then it is retried from farther
  /// back. An input that cannot seek is read from its beginning.
  private mutating func seekToStart() throws {
    let first = source.media.container.startSeconds
    guard trim.start > first, source.media.isSeekable else { return }
    for back in [0, 5, 30] as [Double] {
      let target = max(first, trim.start - back)
      guard seek(to: target) else { break }
      if let time = try firstFrameTime(), !trim.isAfterStart(time), seek(to: target) { return }
    }
    if !flow.isPacedByInput { try source.rewind() }
    decoder.reset(waitsForKeyFrame: false)
  }

  private mutating func seek(to seconds: Double) -> Bool {
    decoder.reset(waitsForKeyFrame: true)
    return source.media.seek(toSeconds: seconds)
  }

  /// The time of the first frame that can be decoded from the current position.
  private mutating func firstFrameTime() throws -> Double? {
    while !state.isStopping {
      switch try source.media.next() {
      case .end: return try decoder.firstFrameTime(nil)
      case .packet(let packet) where packet.streamIndex == source.media.video.index:
        if let seconds = try decoder.firstFrameTime(packet) { return seconds }
      case .packet, .damaged: continue
      }
    }
    return nil
  }
}
