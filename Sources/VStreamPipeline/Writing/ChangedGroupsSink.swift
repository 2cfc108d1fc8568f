internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting

/// Copies the groups of pictures in which no frame was painted, and encodes the others in their place.
///
/// A group's packets wait until its frames have come. Frames do not: those before the first painted one are decoded again.
struct ChangedGroupsSink: FrameSink {
  private let context: SinkContext
  private let groups: ClosedGroups
  /// Whether user data in packets is omitted, as it is from encoded frames.
  private let omitsUserData: Bool
  private var media: MediaWriter?
  /// Incomplete groups, in their order.
  private var waiting: [Group] = []
  /// Packets of other streams, which are written with the video of their time.
  private var copies: [Packet] = []
  /// `nil` while groups are copied.
  private var encoder: GroupEncoder?
  /// Encodes everything, if the first packets have no times by which frames could be found in them.
  private var all: EncodingSink?
  private var counts = (copied: 0, encoded: 0, copiedFrames: 0, frames: 0)

  /// An incomplete group.
  private struct Group {
    /// In the order of decoding.
    var packets: [Packet] = []
    /// The decoding ticks of its packets, by their presentation ticks.
    var times: [Int64: Int64] = [:]
    /// The presentation ticks of its frames so far.
    var frames: Set<Int64> = []
    /// Whether one of them was painted.
    var isChanged = false
  }

  private var monitor: SinkMonitor { context.monitor }

  /// Why everything is encoded; `nil` if groups may be copied.
  static func obstacle(_ configuration: PipelineConfiguration, _ video: StreamInfo, isLive: Bool) -> Message? {
    guard let output = configuration.output else { return "there is no output" }
    let settings: [(Setting, Bool)] = [
      (.scale, output.encoder.size != nil), (.fps, output.encoder.frameRate != nil),
      (.pixelFormat, output.encoder.pixelFormat != nil),
    ]
    if let (setting, _) = settings.first(where: \.1) { return "\(setting) changes every frame" }
    if !configuration.masks.isEmpty { return "masks change every frame" }
    if configuration.drawing != nil { return "every frame is drawn on" }
    if isLive { return "the input is live" }
    if output.codec.name != "libx264" { return "\(output.codec.name) is not the encoder of the input's codec" }
    if configuration.packetFile != nil { return "parts are joined by their encoder" }
    return video.copyObstacle(for: output.destination)
  }

  init?(_ context: SinkContext, omitsUserData: Bool) {
    guard let groups = ClosedGroups(of: context.video) else { return nil }
    (self.context, self.groups, self.omitsUserData) = (context, groups, omitsUserData)
  }

  mutating func write(_ packet: Packet) throws {
    if all != nil { return try all?.write(packet) ?? () }
    guard packet.streamIndex == context.video.index else {
      copies.append(packet)
      return
    }
    if groups.begins(with: packet) || waiting.isEmpty { waiting.append(Group()) }
    let last = waiting.count - 1
    waiting[last].packets.append(packet)
    if let time = packet.presentationTime { waiting[last].times[time.ticks] = (packet.decodingTime ?? time).ticks }
    if omitsUserData, groups.hasUserData(packet) { waiting[last].isChanged = true }
  }

  mutating func write(_ job: FrameJob) throws {
    let (frame, ticks) = (job.frame, job.frame.time.ticks)
    if media == nil, all == nil {
      if waiting.contains(where: { $0.times.count < $0.packets.count }) {
        try encodeAll()
      } else {
        try open(first: frame)
      }
    }
    if all != nil { return try all?.write(job) ?? () }
    while let group = waiting.first, group.times[ticks] == nil, waiting.count > 1 {
      // Frames that were decoded before the first one that is wanted, and the end of a group.
      try finish(waiting.removeFirst())
    }
    guard !waiting.isEmpty, waiting[0].times[ticks] != nil else {
      throw VStreamError(
        .unreadableInput, "the frame at \(job.frame.time.seconds) s has no packet of its time (\(.encode, "changed"))",
        setting: .encode, remedy: "omit \(.encode)")
    }
    counts.frames += 1
    let wasEncoded = waiting[0].isChanged && !waiting[0].frames.isEmpty
    if job.isPainted || waiting[0].isChanged {
      if !wasEncoded { try encodeFrames(of: waiting[0], first: frame) }
      try encode(frame, in: waiting[0], isFirst: waiting[0].frames.isEmpty)
      waiting[0].isChanged = true
    }
    waiting[0].frames.insert(ticks)
    monitor.addLatency(since: job.arrival)
  }

  private mutating func encodeAll() throws {
    monitor.state.warn("everything is encoded (\(.encode, "changed")): the input's packets have no presentation times")
    all = EncodingSink(context)
    for packet in copies { try all?.write(packet) }
    (copies, waiting) = ([], [])
  }

  private mutating func open(first: VideoFrame) throws {
    let media = try monitor.waiting {
      try MediaWriter(
        context.output.destination, copyingVideo: context.video(firstFrame: first.time), and: context.copied,
        audio: context.output.audio, subtitles: nil, container: context.container(firstFrame: first.time),
        shift: context.shift(firstFrame: first.time), isWatched: false, interrupt: monitor.interrupt)
    }
    context.begin(media)
    self.media = media
  }

  /// Writes a complete group: its packets, or its frames if some are missing.
  private mutating func finish(_ group: Group) throws {
    if group.isChanged {
      if !group.frames.isEmpty { counts.encoded += 1 }
      return
    }
    if group.frames.isEmpty { return }
    guard group.frames.count == group.packets.count, group.times.count == group.packets.count,
      !group.packets.contains(where: \.isHidden)
    else {
      counts.encoded += 1
      return try encodeFrames(of: group, first: nil)
    }
    try endEncoding()
    for packet in group.packets { try writeVideo(packet) }
    counts.copied += 1
    counts.copiedFrames += group.packets.count
  }

  /// Encodes the frames of a group that have come, which are decoded again.
  private mutating func encodeFrames(of group: Group, first: VideoFrame?) throws {
    guard !group.frames.isEmpty else { return }
    let decoder = try VideoDecoder(context.video, threads: 1)
    var rest = group.frames
    func take(_ frames: [VideoFrame], _ sink: inout ChangedGroupsSink) throws {
      for frame in frames where rest.remove(frame.time.ticks) != nil {
        try sink.encode(frame, in: group, isFirst: rest.count == group.frames.count - 1)
      }
    }
    for packet in group.packets where !rest.isEmpty {
      try take(try monitor.timer.measure(.decode) { try decoder.decode(packet).frames }, &self)
    }
    if !rest.isEmpty { try take(try decoder.decode(nil, isCut: true).frames, &self) }
  }

  private mutating func encode(_ frame: VideoFrame, in group: Group, isFirst: Bool) throws {
    if encoder == nil {
      let quantiser = try group.packets.first.flatMap { (key) throws(VStreamError) in
        try context.video.quantiser(of: key)
      }
      encoder = try GroupEncoder(
        context.video, groups, settings: context.output.encoder, first: frame, quantiser: quantiser)
    }
    let decodingTicks = group.times[frame.time.ticks] ?? frame.time.ticks
    let packets = try monitor.timer.measure(.encode) {
      try encoder?.encode(frame, isFirst: isFirst, decodingTicks: decodingTicks)
    }
    for packet in packets ?? [] { try writeVideo(packet) }
  }

  private mutating func endEncoding() throws {
    guard let packets = try monitor.timer.measure(.encode, { try encoder?.finish() }) else { return }
    encoder = nil
    for packet in packets { try writeVideo(packet) }
  }

  private mutating func writeVideo(_ packet: Packet) throws {
    let seconds = (packet.decodingTime ?? packet.presentationTime)?.seconds ?? 0
    try writeCopies { ($0.decodingTime ?? $0.presentationTime)?.seconds ?? 0 <= seconds }
    try monitor.muxing { try media?.writeCopy(packet) }
  }

  private mutating func writeCopies(while isDue: (Packet) -> Bool) throws {
    let count = copies.firstIndex { !isDue($0) } ?? copies.count
    for packet in copies.prefix(count) { try monitor.muxing { try media?.writeCopy(packet) } }
    copies.removeFirst(count)
  }

  mutating func finish(isComplete: Bool) throws {
    try all?.finish(isComplete: isComplete)
    guard let media else { return }
    while !waiting.isEmpty { try finish(waiting.removeFirst()) }
    try endEncoding()
    try writeCopies { _ in true }
    let state = monitor.state
    let share = counts.frames > 0 ? 100 * counts.copiedFrames / counts.frames : 0
    state.notify(
      "\(counts.copied) groups of pictures are copied, \(counts.encoded) encoded: \(share) % of the frames are the input's own"
    )
    defer { context.noteProblems(of: media) }
    try monitor.timer.measure(.mux) {
      if let warning = try media.finish(isComplete: isComplete) { state.warn(Message(warning)) }
    }
  }

  func abandon() {
    media?.abandon()
    all?.abandon()
  }

  func discard() {
    media?.discard()
    all?.discard()
  }
}
