internal import VStreamCore
internal import VStreamMedia

/// The output of a run. One owner at a time.
protocol FrameSink {
  /// Writes a frame and its annotations. The first frame opens the output.
  mutating func write(_ job: FrameJob) throws

  /// Writes a packet of the input without re-encoding it.
  mutating func write(_ packet: Packet) throws

  /// Flushes the output, and gives files their final names.
  ///
  /// - Parameter isComplete: whether the input was processed to its end; otherwise a file keeps the name `PATH.part`.
  /// - Throws: `VStreamError.inputOutput`; the output so far is playable.
  mutating func finish(isComplete: Bool) throws

  /// Closes an output that failed part way, so that it plays; a file without a frame is removed.
  func abandon()

  /// Removes the output so far.
  func discard()
}

/// The sink of a run without an output: it measures the frames' latency, and gives the painted frames to the run's observer.
struct NullSink: FrameSink {
  let monitor: SinkMonitor
  var observer: (any RunObserver)?

  func write(_ job: FrameJob) {
    if let observer, job.frame.hasPixels {
      let isKnown = job.covered == nil || !job.isLate
      observer.framePainted(ObservedFrame(job, now: monitor.state.clock.now), isKnown: isKnown)
    }
    monitor.addLatency(since: job.arrival)
  }

  func write(_ packet: Packet) {}
  func finish(isComplete: Bool) {}
  func abandon() {}
  func discard() {}
}

/// The packets that arrive before the first frame, with which the output is opened.
struct EarlyPackets {
  private var packets: [Packet] = []
  private let isLimited: Bool
  /// The number of packets that were dropped for the limit.
  private(set) var dropped = 0

  private static let maximumCount = 20_000

  /// - Parameter isLimited: whether only the latest packets are kept, up to a few minutes of audio.
  init(isLimited: Bool) { self.isLimited = isLimited }

  mutating func append(_ packet: Packet) {
    packets.append(packet)
    guard isLimited, packets.count > Self.maximumCount else { return }
    packets.removeFirst(Self.maximumCount / 2)
    dropped += Self.maximumCount / 2
  }

  mutating func takeAll() -> [Packet] {
    defer { packets = [] }
    return packets
  }
}

/// Decides the pixel format that frames are normalised to: the encoder's, or their own where they are not encoded.
///
/// Decided at the first decoded frame, as containers do not state the format reliably.
struct FrameFormat: Sendable {
  private let output: PipelineOutput?
  private let codec: VideoCodec?
  /// Whether detectors or the overlay access the pixels.
  private let needsPixels: Bool
  /// Whether something is redacted.
  private let isRedacted: Bool

  /// - Parameter codec: of the encoder; `nil` without one.
  init(_ configuration: PipelineConfiguration, codec: VideoCodec?) {
    output = configuration.output.flatMap { $0.hasOverlayTrack ? nil : $0 }
    self.codec = codec
    isRedacted = configuration.redaction != nil
    needsPixels = !configuration.kinds.isEmpty || !configuration.masks.isEmpty
  }

  /// - Returns: the format, and a warning if it loses detail that the frames' own format has, and the user did not choose it.
  /// - Throws: `VStreamError.usage` for a format that the encoder does not support.
  func target(for first: VideoFrame) throws(VStreamError) -> (target: FrameTarget, warning: Message?) {
    guard let output, let codec else {
      return (FrameTarget(format: needsPixels ? first.format.addressable : first.format), nil)
    }
    let wanted = output.encoder.pixelFormat
    var target = try codec.target(for: first, wanted: wanted, needsPixels: needsPixels)
    let isFull = first.color.isFullRange(format: first.format)
    if isFull, target.range == .unchanged, !output.destination.storesFullRange(of: codec) {
      target.range = .limited
    }
    guard wanted == nil, first.format.losesDetail(in: target.format) else { return (target, nil) }
    return (
      target,
      "\(codec.name) does not support \(first.format): encoded as \(target.format) (\(.pixelFormat) chooses another)"
    )
  }

  /// A normaliser of a stream's frames to this format.
  func normaliser(for stream: StreamInfo, state: RunState) -> FrameNormaliser {
    FrameNormaliser(orientation: stream.orientation, removesHidden: isRedacted) { first throws(VStreamError) in
      let (target, warning) = try target(for: first)
      if let warning { state.warn(warning) }
      return target
    }
  }
}
