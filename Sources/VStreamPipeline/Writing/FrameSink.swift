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
