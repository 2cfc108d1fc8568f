internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

/// Encodes the frames and writes them, with the copied streams, to a file, pipe, network address or image sequence.
struct EncodingSink: FrameSink {
  private let context: SinkContext
  private var opened: (encoder: VideoEncoder, media: any MediaSink)?
  private var early = EarlyPackets(isLimited: true)
  private var lastTime: Double?
  /// The delay of the last frame from a constant rate, in seconds.
  private var delay = 0.0
  /// The tick of the last frame in a container that limits the frames in a second, and how many frames that omitted.
  private var lastTick: Int64?
  private var framesTooClose = 0
  private var arrivals = ArrivalTimes()
  private var rateConverter: FrameRateConverter?

  private var monitor: SinkMonitor { context.monitor }

  /// Set if a part is rendered.
  private let packets: (path: String, origin: PacketFile.Origin)?

  /// - Parameter packets: the file for the packets of a part, instead of the output.
  init(_ context: SinkContext, packets: (path: String, origin: PacketFile.Origin)? = nil) {
    self.context = context
    self.packets = packets
    rateConverter = context.output.encoder.frameRate.map { FrameRateConverter(rate: $0) }
  }

  mutating func write(_ job: FrameJob) throws {
    guard rateConverter != nil else { return try encode(job.frame, arrival: job.arrival) }
    rateConverter?.add(job.frame)
    while let frame = try rateConverter?.next() { try encode(frame, arrival: job.arrival) }
  }

  private mutating func encode(_ frame: VideoFrame, arrival: Double?) throws {
    let opened = try opened ?? start(first: frame)
    if context.output.destination.rules.isConstantRate { try requireConstantRate(frame) }
    guard isApart(frame) else { return }
    if let arrival { arrivals.note(arrival, at: frame.time.seconds) }
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

  /// Opens the output and writes the packets that came before the first frame.
  private mutating func start(first: VideoFrame) throws -> (encoder: VideoEncoder, media: any MediaSink) {
    let started = try open(first: first)
    opened = started
    if early.dropped > 0 {
      monitor.state.warn("\(early.dropped) packets of other streams, long before the first frame, were dropped")
    }
    for packet in early.takeAll() { try started.media.writeCopy(packet) }
    return started
  }

  private func open(first: VideoFrame) throws -> (encoder: VideoEncoder, media: any MediaSink) {
    let encoder = try context.encoder(first: first)
    if let packets {
      let media = try PacketFileWriter(
        packets.path, of: packets.origin, video: encoder, overwrite: context.output.destination.overwrites)
      context.begin(media)
      return (encoder, media)
    }
    return (encoder, try context.open(encoder, first: first))
  }

  /// Whether a frame is far enough from the one before it.
  private mutating func isApart(_ frame: VideoFrame) -> Bool {
    guard let distance = context.output.destination.rules.minimumFrameDistance else { return true }
    let tick = frame.time.rescaled(to: distance.base).ticks
    if let lastTick, tick - lastTick < distance.ticks {
      framesTooClose += 1
      return false
    }
    lastTick = tick
    return true
  }

  /// - Throws: `VStreamError.usage` for a frame that does not follow the previous one by one frame's duration.
  private mutating func requireConstantRate(_ frame: VideoFrame) throws(VStreamError) {
    defer { lastTime = frame.time.seconds }
    guard let lastTime, rateConverter == nil, let rate = context.video.frameRate else { return }
    let deviation = frame.time.seconds - lastTime - 1 / rate.value
    // Both times may be rounded to the input's ticks.
    guard abs(deviation) > min(2 * frame.time.base.value + 1e-6, 0.5 / rate.value) else { return }
    // Where a tick is a frame, as in AVI, frames that are decoded in another order are late by one.
    let isCounted = frame.time.base.value > 0.4 / rate.value
    delay += deviation
    if isCounted, abs(delay) < 1.5 / rate.value { return }
    let format = context.output.destination.format
    let usual = rate.denominator == 1 ? "\(rate.numerator)" : "\(rate)"
    throw VStreamError(
      .usage,
      "\(format == "avi" ? "AVI" : format) supports a constant frame rate only, and the input's varies: the frame after "
        + "\(lastTime.formatted(.decimals(3))) s follows \((frame.time.seconds - lastTime).formatted(.decimals(3))) s later",
      remedy: "write an .mkv file, or set a constant rate (\(.fps, usual))")
  }

  mutating func finish(isComplete: Bool) throws {
    rateConverter?.finish()
    while let frame = try rateConverter?.next() { try encode(frame, arrival: nil) }
    guard let opened else { return }
    let state = monitor.state
    defer {
      let destination = context.output.destination
      if framesTooClose > 0, let distance = destination.rules.minimumFrameDistance {
        let most = Int((1 / distance.seconds).rounded())
        state.warn(
          "\(framesTooClose) frames are omitted: players show at most \(most) in a second of \(destination.format)")
      }
      context.noteProblems(of: opened.media)
    }
    try write(try monitor.timer.measure(.encode) { try opened.encoder.finish() }, to: opened.media)
    try monitor.timer.measure(.mux) {
      if let warning = try opened.media.finish(isComplete: isComplete) { state.warn(Message(warning)) }
    }
  }

  func abandon() { opened?.media.abandon() }

  func discard() { opened?.media.discard() }
}
