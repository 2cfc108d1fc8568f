internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

/// The first thread: packets out of the input, frames out of packets, all frames alike.
struct Reader {
  let media: MediaReader
  let decoder: VideoDecoder
  let configuration: PipelineConfiguration
  let copied: Set<Int>
  let state: RunState
  let ordered: Channel<SourceItem>
  let work: Channel<FrameJob>
  let timer = StageTimer()
  private let normaliser: FrameNormaliser
  private let trim: Trim
  private var frameCount = 0
  /// Streams that have not come to the end of what is wanted.
  private var streamsToEnd: Set<Int>
  /// The latest time of any packet.
  private var latest = -Double.infinity
  private var damagedInARow = 0
  /// A demuxer that finds nothing but damage may never come to an end.
  private static let mostDamagedInARow = 1000

  init(
    media: MediaReader, decoder: VideoDecoder, configuration: PipelineConfiguration, copied: Set<Int>, state: RunState,
    ordered: Channel<SourceItem>, work: Channel<FrameJob>
  ) {
    self.media = media
    self.decoder = decoder
    self.configuration = configuration
    self.copied = copied
    self.state = state
    self.ordered = ordered
    self.work = work
    trim = configuration.trim(of: media.container)
    streamsToEnd = copied.union([media.video.index])
    normaliser = Self.normaliser(for: media.video, configuration, state)
  }

  /// Reads to the end of the input, or until the run is to stop or nobody receives any more.
  mutating func run() {
    do {
      try readAll()
    } catch {
      // What was read before still comes out.
      _ = try? decode(nil)
      state.fail(error)
    }
    ordered.finish()
    work.finish()
    state.add(timer)
  }

  private mutating func readAll() throws {
    if trim.start > -.infinity { try goToStart() }
    while !state.isStopping, !isPastEnd {
      switch try timer.measure(.demux, { try media.next() }) {
      case .end:
        _ = try decode(nil)
        checkLength()
        return
      case .damaged:
        state.count { $0.corruptPackets += 1 }
        damagedInARow += 1
        if damagedInARow > Self.mostDamagedInARow { return _ = try decode(nil) }
      case .packet(let packet):
        damagedInARow = 0
        guard try take(packet) else { return }
      }
    }
    _ = try decode(nil)
  }

  /// - Returns: `false` if nobody receives any more.
  private mutating func take(_ packet: Packet) throws -> Bool {
    let seconds = (packet.presentationTime ?? packet.decodingTime)?.seconds
    if let seconds { latest = max(latest, seconds) }
    // What is decoded at the end or later is shown there or later, whatever the order of decoding.
    let isPast = (packet.decodingTime ?? packet.presentationTime).map { trim.isAfter($0.seconds) } ?? false
    if isPast { streamsToEnd.remove(packet.streamIndex) }
    if packet.streamIndex == media.video.index { return try isPast || decode(packet) }
    guard copied.contains(packet.streamIndex), seconds.map(trim.contains) ?? true else { return true }
    return ordered.send(.copy(packet), weight: Weight.packet)
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
    streamsToEnd.isEmpty || (!streamsToEnd.contains(media.video.index) && latest > trim.end + 2)
  }

  /// Warns of an input that ends before its container says.
  private func checkLength() {
    guard let length = media.container.lengthSeconds, latest > -.infinity else { return }
    // Containers that say how long they are count from 0, whenever their first packet is shown.
    let missing = length - latest
    guard missing > 1 else { return }
    state.count { $0.corruptPackets += 1 }
    state.warn("the input is cut short: its last \(Int(missing.rounded())) s are missing")
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
    guard packet == nil else { return true }
    for normal in try normaliser.finish() {
      guard emit(normal) else { return false }
    }
    for notice in normaliser.notices { state.warn(notice) }
    return true
  }

  private mutating func emit(_ frame: VideoFrame) -> Bool {
    guard trim.contains(frame.time.seconds) else { return true }
    let index = frameCount
    frameCount += 1
    state.count { $0.framesIn += 1 }
    let isDetected = configuration.detector != nil && index % max(1, configuration.detectEvery) == 0
    let job = FrameJob(
      frame: frame, index: index, rotation: normaliser.orientation.degrees,
      detection: isDetected ? PendingDetection() : nil)
    if isDetected, !work.send(job) { return false }
    return ordered.send(.frame(job), weight: Weight.frame)
  }

  /// A normaliser to the format that frames are coded in; without output, to their own.
  private static func normaliser(
    for stream: StreamInfo, _ configuration: PipelineConfiguration, _ state: RunState
  ) -> FrameNormaliser {
    FrameNormaliser(orientation: stream.orientation) { first throws(VStreamError) in
      let needsPixels = configuration.detector != nil
      guard let output = configuration.output else {
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
