internal import VStreamMedia
internal import VStreamReporting
internal import VStreamScene

/// Encodes the frames and writes them, with the copied streams, to a file, pipe, network address or image sequence.
struct EncodingSink: FrameSink {
  private let context: SinkContext
  private var opened: (encoder: VideoEncoder, media: any MediaSink)?
  private var early = EarlyPackets(isLimited: true)
  private var lastTime: Double?
  private var arrivals = ArrivalTimes()

  private var monitor: SinkMonitor { context.monitor }

  init(_ context: SinkContext) { self.context = context }

  mutating func write(_ annotated: AnnotatedFrame) throws {
    let frame = annotated.frame
    let opened = try opened ?? open(first: frame)
    self.opened = opened
    if context.output.destination.rules.isConstantRate { try requireConstantRate(frame) }
    arrivals.note(annotated.arrival, at: frame.time.seconds)
    try write(try monitor.timer.measure(.encode) { try opened.encoder.encode(frame) }, to: opened.media)
  }

  mutating func write(_ packet: Packet) throws {
    guard let opened else { return early.append(packet) }
    try monitor.muxing { try opened.media.writeCopy(packet) }
  }

  private mutating func write(_ packets: [Packet], to media: any MediaSink) throws {
    for packet in packets {
      try monitor.muxing { try media.writeVideo(packet) }
      let arrival = packet.presentationTime.flatMap { arrivals.take(at: $0.seconds) }
      if let arrival { monitor.addLatency(since: arrival) }
    }
  }

  private mutating func open(first: VideoFrame) throws -> (encoder: VideoEncoder, media: any MediaSink) {
    let (output, state) = (context.output, monitor.state)
    var settings = output.encoder
    // A viewer should not wait for the encoder; a file that is recorded may.
    settings.isLowDelay = output.destination.isLive || (monitor.isLive && monitor.isWatched)
    let encoder = try VideoEncoder(
      output.codec, settings: settings, first: first, frameRate: context.video.frameRate,
      rules: output.destination.rules)
    if encoder.encodedSize != first.size {
      state.warn(
        "\(output.codec.name) supports even sizes only: \(first.size) is encoded as \(encoder.encodedSize), edges repeated"
      )
    }
    let media = try monitor.waiting {
      try output.destination.open(
        video: encoder, first: first, source: context.video, copying: context.copied, container: context.container,
        shift: context.shift(firstFrame: first.time), interrupt: monitor.interrupt)
    }
    context.warn(of: media.omitted)
    if early.dropped > 0 {
      state.warn("\(early.dropped) packets of other streams, long before the first frame, were dropped")
    }
    for packet in early.takeAll() { try media.writeCopy(packet) }
    return (encoder, media)
  }

  /// - Throws: `VStreamError.usage` for a frame that does not follow the previous one by one frame's duration.
  private mutating func requireConstantRate(_ frame: VideoFrame) throws(VStreamError) {
    defer { lastTime = frame.time.seconds }
    guard let lastTime, let rate = context.video.frameRate else { return }
    let deviation = frame.time.seconds - lastTime - 1 / rate.value
    // Both times may be rounded to the input's ticks.
    guard abs(deviation) > 2 * frame.time.base.value + 1e-6 else { return }
    let format = context.output.destination.format
    throw VStreamError(
      .usage,
      "\(format == "avi" ? "AVI" : format) supports a constant frame rate only, and the input's varies: the frame after "
        + "\(lastTime) s follows \(frame.time.seconds - lastTime) s later", remedy: "write an .mkv file")
  }

  mutating func finish(isComplete: Bool) throws {
    guard let opened else { return }
    let state = monitor.state
    defer {
      let count = opened.media.outOfOrder
      if count > 0 { state.warn("\(count) packets of copied streams were out of order: their times were corrected") }
    }
    try write(try monitor.timer.measure(.encode) { try opened.encoder.finish() }, to: opened.media)
    try monitor.timer.measure(.mux) {
      if let warning = try opened.media.finish(isComplete: isComplete) { state.warn(Message(warning)) }
    }
  }

  func discard() { opened?.media.discard() }
}
