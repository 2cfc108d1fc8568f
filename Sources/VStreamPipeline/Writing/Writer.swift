internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamReporting
internal import VStreamScene

/// The last thread: frames into packets, packets into the output.
struct Writer {
  let configuration: PipelineConfiguration
  let container: ContainerInfo
  let stream: StreamInfo
  let copied: [StreamInfo]
  let state: RunState
  let coded: Channel<SinkItem>
  let timer = StageTimer()
  private var output: (encoder: VideoEncoder, media: any MediaSink)?
  /// Where the video is copied, in the place of `output`.
  private var overlayOutput: OverlayOutput?
  /// Packets that came before the first frame, with which the output is opened.
  private var early: [Packet] = []
  private var lastTime: Double?
  private var arrivals = ArrivalTimes()
  private let isLive: Bool
  /// Whether somebody takes what is written as it comes.
  private let isWatched: Bool

  init(
    configuration: PipelineConfiguration, container: ContainerInfo, stream: StreamInfo, copied: [StreamInfo],
    state: RunState, isLive: Bool, coded: Channel<SinkItem>
  ) {
    self.configuration = configuration
    self.container = container
    self.stream = stream
    self.copied = copied
    self.state = state
    self.isLive = isLive
    self.coded = coded
    let destination = configuration.output?.destination
    isWatched = destination?.isLive == true || destination?.isPipe == true
  }

  /// Writes all that comes, and closes the output whatever happened before.
  mutating func run() {
    do {
      while let item = coded.receive() { try write(item) }
      try finish()
    } catch {
      state.fail(error)
      // What cannot be meant leaves nothing behind; what broke off plays up to there.
      if (error as? VStreamError)?.code == .usage {
        output?.media.discard()
        overlayOutput?.discard()
      }
    }
    coded.cancel()
    state.add(timer)
    state.contents.update { $0.writerHasEnded = true }
  }

  private mutating func write(_ item: SinkItem) throws {
    switch item {
    case .copy(let packet):
      if configuration.output?.hasOverlayTrack == true { try OverlayOutput.requireTime(of: packet, in: stream) }
      if let overlayOutput {
        return try timer.measure(.mux) { try waitingForSink { try overlayOutput.writeCopy(packet) } }
      }
      guard let output else { return keep(packet) }
      try timer.measure(.mux) { try waitingForSink { try output.media.writeCopy(packet) } }
    case .frame(let finished):
      if let settings = configuration.output, settings.hasOverlayTrack {
        try show(finished, settings)
        countLatency(since: finished.arrival)
      } else if let settings = configuration.output {
        try write(finished, settings)
      } else {
        countLatency(since: finished.arrival)
      }
      state.contents.update { contents in
        contents.counts.framesOut += 1
        switch finished.source {
        case .detected: contents.counts.framesDetected += 1
        case .predicted: contents.counts.framesPredicted += 1
        }
        if finished.isLate { contents.counts.framesLateForDetector += 1 }
        if contents.firstFrameAt == nil { contents.firstFrameAt = state.clock.now }
        if contents.counts.framesOut == configuration.warmUpFrames {
          contents.warmAt = (
            state.clock.now, Machine.processorSeconds(), configuration.allocationCount?() ?? 0, contents.framesCopied
          )
        }
      }
    }
  }

  /// Keeps a packet that came before the first frame; of more than a few minutes of sound, the latest.
  private mutating func keep(_ packet: Packet) {
    early.append(packet)
    // Of copied video none can be missed, and it is not long until the first of its frames.
    guard early.count > Self.maximumEarlyPackets, configuration.output?.hasOverlayTrack != true else { return }
    early.removeFirst(Self.maximumEarlyPackets / 2)
  }

  private static let maximumEarlyPackets = 20_000

  private mutating func write(_ finished: FinishedFrame, _ settings: PipelineOutput) throws {
    let frame = finished.frame
    let output = try output ?? open(settings, first: frame)
    self.output = output
    if settings.destination.rules.isConstantRate { try requireConstantRate(frame) }
    arrivals.note(finished.arrival, at: frame.time.seconds)
    try write(try timer.measure(.encode) { try output.encoder.encode(frame) }, to: output.media)
  }

  private mutating func write(_ packets: [Packet], to media: any MediaSink) throws {
    for packet in packets {
      try timer.measure(.mux) { try waitingForSink { try media.writeVideo(packet) } }
      let arrival = packet.presentationTime.flatMap { arrivals.take(at: $0.seconds) }
      if let arrival { countLatency(since: arrival) }
    }
  }

  /// Runs a call that ends when the sink has taken something; a file is not waited for.
  private func waitingForSink<R>(_ call: () throws -> R) rethrows -> R {
    guard isWatched else { return try call() }
    let now = state.clock.now
    state.contents.update { $0.sinkBusySince = now }
    defer { state.contents.update { $0.sinkBusySince = nil } }
    return try call()
  }

  /// Counts how long a frame took from its arrival until now.
  private func countLatency(since arrival: Double) {
    guard isLive else { return }
    let seconds = state.clock.now - arrival
    state.contents.update { contents in
      contents.latency.add(seconds)
      contents.recentLatency.add(seconds)
    }
  }

  private mutating func open(
    _ settings: PipelineOutput, first: VideoFrame
  ) throws -> (encoder: VideoEncoder, media: any MediaSink) {
    var coding = settings.encoder
    // Who looks on is not to wait for the encoder; a file that is recorded may.
    coding.isLowDelay = settings.destination.isLive || (isLive && isWatched)
    let encoder = try VideoEncoder(
      settings.codec, settings: coding, first: first, frameRate: stream.frameRate,
      rules: settings.destination.rules)
    if encoder.encodedSize != first.size {
      state.warn(
        "\(settings.codec.name) takes even sizes: \(first.size) is coded as \(encoder.encodedSize), edges repeated")
    }
    let shift = configuration.trim(of: container).shift
    // Containers do not show what comes before zero.
    let begin = min(0, first.time.seconds - shift)
    let media = try waitingForSink {
      try settings.destination.open(
        video: encoder, first: first, source: stream, copying: copied, container: container,
        shift: shift + begin, interrupt: isWatched ? state.sinkInterrupt : nil)
    }
    for left in media.omitted { state.warn("stream \(left.stream.label) is left out: \(left.reason)") }
    for packet in early { try media.writeCopy(packet) }
    early = []
    return (encoder, media)
  }

  /// - Throws: `VStreamError.usage` for a frame that does not come one frame's time after the one before.
  private mutating func requireConstantRate(_ frame: VideoFrame) throws(VStreamError) {
    defer { lastTime = frame.time.seconds }
    guard let lastTime, let rate = stream.frameRate else { return }
    let off = frame.time.seconds - lastTime - 1 / rate.value
    // Times may be rounded to ticks of the input, on both sides.
    guard abs(off) > 2 * frame.time.base.value + 1e-6 else { return }
    let name = configuration.output?.destination.format ?? ""
    let container = name == "avi" ? "AVI" : name
    throw VStreamError(
      .usage,
      "\(container) holds frames at a constant rate only, and the input's are not: at \(lastTime) s the next comes "
        + "\(frame.time.seconds - lastTime) s later", remedy: "write an .mkv")
  }

  /// Shows what was found in a frame by subtitles.
  private mutating func show(_ finished: FinishedFrame, _ settings: PipelineOutput) throws {
    if overlayOutput == nil { overlayOutput = try openOverlay(settings, first: finished.frame) }
    let frame = finished.frame
    let usual = Int(clamping: 1 / ((stream.frameRate?.value ?? 25) * frame.time.base.value))
    let duration = frame.durationTicks > 0 ? frame.durationTicks : Int64(usual)
    try timer.measure(.mux) {
      try waitingForSink { try overlayOutput?.show(finished.lines, at: frame.time, duration: duration) }
    }
  }

  private mutating func openOverlay(_ settings: PipelineOutput, first: VideoFrame) throws -> OverlayOutput {
    let shift = configuration.trim(of: container).shift
    let output = try waitingForSink {
      try OverlayOutput(
        settings.destination, header: OverlayScript(configuration.overlay, size: first.size).header, video: stream,
        copying: copied, container: container, shift: shift + min(0, first.time.seconds - shift),
        isWatched: isLive && isWatched, interrupt: isWatched ? state.sinkInterrupt : nil)
    }
    for left in output.omitted { state.warn("stream \(left.stream.label) is left out: \(left.reason)") }
    for packet in early { try output.writeCopy(packet) }
    early = []
    return output
  }

  private mutating func finishOverlay() throws {
    guard let mended = overlayOutput?.outOfOrder else { return }
    if mended > 0 { state.warn("\(mended) packets were out of order: mended or left out") }
    try timer.measure(.mux) {
      if let warning = try overlayOutput?.finish() { state.warn(Message(warning)) }
    }
  }

  private mutating func finish() throws {
    try finishOverlay()
    guard let output else { return }
    defer {
      let mended = output.media.outOfOrder
      if mended > 0 { state.warn("\(mended) packets of copied streams were out of order: mended or left out") }
    }
    try write(try timer.measure(.encode) { try output.encoder.finish() }, to: output.media)
    try timer.measure(.mux) {
      if let warning = try output.media.finish() { state.warn(Message(warning)) }
    }
  }
}
