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
  private var normaliser: FrameNormaliser?
  private var frameCount = 0

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
  }

  /// Reads to the end of the input, or until the run is to stop or nobody receives any more.
  mutating func run() {
    do {
      try readAll()
    } catch {
      state.fail(error)
    }
    ordered.finish()
    work.finish()
    state.add(timer)
  }

  private mutating func readAll() throws {
    while !state.isStopping {
      switch try timer.measure(.demux, { try media.next() }) {
      case .end:
        _ = try decode(nil)
        return
      case .damaged:
        state.count { $0.corruptPackets += 1 }
      case .packet(let packet) where packet.streamIndex == media.video.index:
        guard try decode(packet) else { return }
      case .packet(let packet):
        guard !copied.contains(packet.streamIndex) || ordered.send(.copy(packet), weight: Weight.packet) else { return }
      }
    }
    _ = try decode(nil)
  }

  /// - Returns: `false` if nobody receives any more.
  private mutating func decode(_ packet: Packet?) throws -> Bool {
    let output = try timer.measure(.decode) { try decoder.decode(packet) }
    if output.isDamaged || packet?.isCorrupt == true { state.count { $0.corruptPackets += 1 } }
    for frame in output.frames {
      guard try emit(frame) else { return false }
    }
    return true
  }

  private mutating func emit(_ frame: VideoFrame) throws -> Bool {
    let normaliser = try normaliser ?? makeNormaliser(for: frame)
    self.normaliser = normaliser
    let frame = try normaliser.normalise(frame)
    let index = frameCount
    frameCount += 1
    state.count { $0.framesIn += 1 }
    let isDetected = configuration.detector != nil && index % max(1, configuration.detectEvery) == 0
    let job = FrameJob(frame: frame, index: index, detection: isDetected ? PendingDetection() : nil)
    if isDetected, !work.send(job) { return false }
    return ordered.send(.frame(job), weight: Weight.frame)
  }

  private func makeNormaliser(for first: VideoFrame) throws -> FrameNormaliser {
    guard let output = configuration.output else {
      return FrameNormaliser(size: first.size, format: first.format)
    }
    let format = try output.codec.format(for: first.format, wanted: output.encoder.pixelFormat)
    if format != first.format, output.encoder.pixelFormat == nil {
      state.warn(
        "\(output.codec.name) cannot code \(first.format): coded as \(format) (--pixel-format chooses another)")
    }
    return FrameNormaliser(size: first.size, format: format)
  }
}
