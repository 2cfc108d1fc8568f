internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting

/// Writes the packets of rendered parts, and those of the input's other streams, to one output, which is opened as if all frames
/// were encoded in this run.
struct JoinedVideoSink: FrameSink {
  private let context: SinkContext
  private let input: InputIdentity
  private let paths: [String]
  private let isRedacted: Bool
  private var media: (any MediaSink)?
  private var early = EarlyPackets(isLimited: false)
  /// The decoding times of all packets.
  private var times: DecodingTimes?
  private var written = 0
  private var waiting: Packet?
  private var reader: PacketFileReader?
  private var next = 0

  /// - Parameter isRedacted: whether the run redacts.
  init(_ context: SinkContext, packets: JoinedPackets, isRedacted: Bool) {
    self.context = context
    (input, paths) = (packets.input, packets.paths)
    self.isRedacted = isRedacted
  }

  mutating func write(_ job: FrameJob) throws {
    let first = job.frame
    let encoder = try context.encoder(first: first)
    let count = try scan(encoder)
    let media = try context.open(encoder, first: first)
    self.media = media
    context.monitor.state.count {
      $0.framesIn += count - 1
      $0.framesOut += count - 1
      $0.framesDetected += count - 1
    }
    for packet in early.takeAll() { try write(packet) }
  }

  /// Reads the times of all packets, and checks that the parts fit to each other and to the output.
  ///
  /// - Returns: the number of packets.
  private mutating func scan(_ encoder: VideoEncoder) throws(VStreamError) -> Int {
    var presentation: [Int64] = []
    var first: [Int64] = []
    for (number, path) in paths.enumerated() {
      var reader = try PacketFileReader(path)
      try check(reader.header.origin, part: number, path)
      guard (reader.header.timeBase, reader.header.extradata) == (encoder.timeBase, encoder.extradata) else {
        throw VStreamError(
          .unreadableInput, "'\(path)' was encoded with other options than this run has", subject: path,
          remedy: "give the options with which the parts were rendered")
      }
      while let packet = try reader.next() {
        guard let time = packet.presentationTime else { continue }
        presentation.append(time.ticks)
        if number == 0 { first.append(packet.decodingTime?.ticks ?? time.ticks) }
      }
    }
    guard !presentation.isEmpty else {
      throw VStreamError(.unreadableInput, "the rendered parts have no frames", remedy: "render them again")
    }
    times = DecodingTimes(presentation: presentation, first: first)
    return presentation.count
  }

  /// - Throws: `VStreamError`: `unreadableInput` for packets of another part or input; `usage` if only the run or only they are
  ///   redacted.
  private func check(_ origin: PacketFile.Origin, part: Int, _ path: String) throws(VStreamError) {
    guard origin.part == part, origin.input.isSame(as: input) else {
      throw VStreamError(
        .unreadableInput, "'\(path)' does not hold the packets of part \(part) of this input", subject: path,
        remedy: "render that part, and put its packets under its own name")
    }
    try VStreamError.requireSameRedaction(
      of: path, isRedacted: origin.isRedacted, inRun: isRedacted, redacted: "was rendered with redaction",
      unredacted: "was rendered without")
  }

  mutating func write(_ packet: Packet) throws {
    guard let media else { return early.append(packet) }
    guard packet.streamIndex == context.video.index else {
      return try context.monitor.muxing { try media.writeCopy(packet) }
    }
    guard let time = packet.decodingTime ?? packet.presentationTime else { return }
    try writeVideo(upTo: time.seconds, to: media)
  }

  private mutating func writeVideo(upTo seconds: Double, to media: any MediaSink) throws {
    while let packet = try nextVideo(), (packet.decodingTime?.seconds ?? 0) <= seconds {
      waiting = nil
      try context.monitor.muxing { try media.writeVideo(packet) }
    }
  }

  /// The next packet of the parts, which stays the next one until `waiting` is unset.
  private mutating func nextVideo() throws(VStreamError) -> Packet? {
    if let waiting { return waiting }
    while true {
      if reader == nil {
        guard next < paths.count else { return nil }
        reader = try PacketFileReader(paths[next])
        next += 1
      }
      guard let packet = try reader?.next() else {
        reader = nil
        continue
      }
      guard packet.presentationTime != nil, let times, written < times.count else { continue }
      waiting = try packet.decoded(at: times[written])
      written += 1
      return waiting
    }
  }

  mutating func finish(isComplete: Bool) throws {
    guard let media else { return }
    if isComplete { try writeVideo(upTo: .infinity, to: media) }
    let state = context.monitor.state
    defer { context.noteProblems(of: media) }
    try context.monitor.timer.measure(.mux) {
      if let warning = try media.finish(isComplete: isComplete) { state.warn(Message(warning)) }
    }
  }

  func abandon() { media?.abandon() }

  func discard() { media?.discard() }
}

/// The decoding times of packets of several encoders, one after the other: ascending, and none later than its packet's
/// presentation time. Pure.
struct DecodingTimes {
  /// In the order of decoding.
  private let times: [Int64]

  /// - Parameters:
  ///   - presentation: the presentation times in the order of decoding, each once.
  ///   - first: the decoding times that the first encoder gave to its packets.
  init(presentation: [Int64], first: [Int64]) {
    let sorted = presentation.sorted()
    let ranks = Dictionary(zip(sorted, 0...), uniquingKeysWith: { one, _ in one })
    // By how many packets decoding precedes presentation at most.
    let delay = presentation.enumerated().map { $0.offset - (ranks[$0.element] ?? 0) }.max() ?? 0
    var times: [Int64] = []
    times.reserveCapacity(presentation.count)
    for index in presentation.indices {
      guard index < delay else {
        times.append(sorted[index - delay])
        continue
      }
      // Before the first presentation time: as the encoder has it, if that leaves a tick for later ones.
      let latest = sorted[0] - Int64(delay - index)
      times.append(first.indices.contains(index) ? min(first[index], latest) : latest)
    }
    for index in times.indices.dropFirst().reversed() where times[index - 1] >= times[index] {
      times[index - 1] = times[index] - 1
    }
    self.times = times
  }

  subscript(index: Int) -> Int64 { times[index] }
  var count: Int { times.count }
}
