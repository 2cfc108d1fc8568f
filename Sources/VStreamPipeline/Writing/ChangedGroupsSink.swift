internal import VStreamCore
internal import VStreamMedia
internal import VStreamReporting
internal import VStreamSystem

/// Copies the groups of pictures in which no frame was painted, and encodes the others in their place.
///
/// A group's packets wait until its frames have come. Frames do not: those before the first painted one are decoded again.
struct ChangedGroupsSink: FrameSink {
  private let context: SinkContext
  private var groups: PictureGroups
  private let restorer: FrameRestorer
  /// Whether user data in packets is omitted, as it is from encoded frames.
  private let omitsUserData: Bool
  private var media: MediaWriter?
  /// Incomplete groups, in their order.
  private var waiting: [Group] = []
  /// The group before the first one that waits.
  private var previous: Group?
  /// Packets of other streams, which are written with the video of their time.
  private var copies: [Packet] = []
  /// `nil` while groups are copied.
  private var encoder: GroupEncoder?
  /// Encodes everything, if the first packets cannot be copied.
  private var all: EncodingSink?
  private var written = WrittenGroups()
  /// Packets by which the quality of encoded groups is chosen.
  private static let sampleCount = 12
  /// Packets of a group that may be copied: two minutes.
  private static let maximumCount = 3000
  /// Bytes of these.
  private static let maximumBytes = 256 << 20
  /// Whether the output is verified.
  private let isVerified: Bool

  /// A group, of which packets and frames may be missing yet.
  private struct Group {
    let beginning: PictureGroups.Beginning
    /// In the order of decoding.
    var packets: [Packet] = []
    var byteCount = 0
    /// Whether a packet has no presentation time.
    var hasUntimed = false
    /// The presentation ticks of its packets.
    var times: Set<Int64> = []
    /// The presentation ticks of its frames so far.
    var frames: Set<Int64> = []
    /// Those of the encoded ones, and the number of these.
    var encoded: Set<Int64> = []
    var encodedCount = 0
    /// The number of packets before that of its first frame, by the times of presentation.
    var skipped: Int?
    /// Whether a frame was painted that does not depend on the group before.
    var isChanged = false
    /// Whether its packets were written.
    var isCopied = false

    /// Whether a frame is one of its own, or of a later group.
    func begins(by ticks: Int64) -> Bool {
      times.contains(ticks) || (packets.first?.presentationTime).map { $0.ticks <= ticks } == true
    }

    /// Whether a frame is presented before the key frame, and may refer to the group before.
    func isDependent(_ ticks: Int64) -> Bool {
      beginning == .open && packets.first?.presentationTime.map { ticks < $0.ticks } == true
    }

    /// The decoding ticks for the next frame that is encoded: those of the packets in their order, without those of frames that were
    /// not requested. The first packets of Matroska have none, and get some before the next ones.
    mutating func nextDecodingTicks() -> Int64? {
      let skipped = skipped ?? frames.min().map { first in times.count { $0 < first } } ?? 0
      self.skipped = skipped
      let rest = packets.dropFirst(skipped + encodedCount)
      guard let known = rest.firstIndex(where: { $0.decodingTime != nil }) else { return nil }
      return packets[known].decodingTime.map { $0.ticks - Int64(known - rest.startIndex) }
    }
  }

  private var monitor: SinkMonitor { context.monitor }

  /// Why everything is encoded.
  struct Obstacle: Error {
    let reason: Message
  }

  init(_ context: SinkContext, _ configuration: PipelineConfiguration) throws(Obstacle) {
    guard let groups = PictureGroups(of: context.video) else {
      throw Obstacle(reason: "of \(context.video.codecName), groups are not copied")
    }
    if let reason = Self.obstacle(context, groups, configuration) { throw Obstacle(reason: reason) }
    (self.context, self.groups) = (context, groups)
    restorer = FrameRestorer(context.video)
    isVerified = configuration.redaction?.recordsCoveredEllipses == true
    omitsUserData = configuration.redaction.map { !$0.keepsText || $0.omitsImages } == true
  }

  private static func obstacle(
    _ context: SinkContext, _ groups: PictureGroups, _ configuration: PipelineConfiguration
  ) -> Message? {
    let output = context.output
    let settings: [(Setting, Bool)] = [
      (.scale, output.encoder.size != nil), (.fps, output.encoder.frameRate != nil),
      (.pixelFormat, output.encoder.pixelFormat != nil),
    ]
    if let (setting, _) = settings.first(where: \.1) { return "\(setting) changes every frame" }
    if !configuration.masks.isEmpty { return "masks change every frame" }
    if configuration.drawing != nil { return "every frame is drawn on" }
    if configuration.packetFile != nil { return "parts are joined by their encoder" }
    let codec = output.codec(for: context.video)
    if codec.name != groups.encoderName { return "\(codec.name) is not the encoder of the input's codec" }
    return context.video.copyObstacle(for: output.destination)
  }

  mutating func write(_ packet: Packet) throws {
    if all != nil { return try all?.write(packet) ?? () }
    guard packet.streamIndex == context.video.index else {
      copies.append(packet)
      return
    }
    let beginning = groups.beginning(with: packet)
    if beginning != nil || waiting.isEmpty { waiting.append(Group(beginning: beginning ?? .closed)) }
    let last = waiting.count - 1
    // Long groups would take much memory: of their later packets the times alone are kept.
    waiting[last].byteCount += packet.byteCount
    let isLong = waiting[last].packets.count > Self.maximumCount || waiting[last].byteCount > Self.maximumBytes
    let kept = omitsUserData ? try packet.withoutSideData() : packet
    waiting[last].packets.append(isLong ? try packet.withBytes([]) : kept)
    // Frames without a time of their own, and damaged ones, would not be found when the group is decoded again.
    let hasTime = packet.presentationTime.map { waiting[last].times.insert($0.ticks).inserted } == true
    if packet.presentationTime == nil { waiting[last].hasUntimed = true }
    let isOther = monitor.state.contents.read(\.hasOtherParameters)
    if !hasTime || packet.isCorrupt || isLong || isOther || (omitsUserData && groups.hasUserData(packet)) {
      waiting[last].isChanged = true
    }
  }

  mutating func write(_ job: FrameJob) throws {
    let ticks = job.frame.time.ticks
    if media == nil, all == nil {
      if waiting.contains(where: \.hasUntimed) {
        try encodeAll(because: "the input's packets have no presentation times")
      } else if waiting.first?.packets.first.map(groups.hasOrientation) == true {
        try encodeAll(because: "the pictures are rotated, each by itself")
      } else if try !open(first: job.frame, key: waiting.first?.packets.first) {
        try encodeAll(because: "\(groups.encoderName) can write no header beside or like the input's")
      }
    }
    if all != nil { return try all?.write(job) ?? () }
    while let group = waiting.first, !group.times.contains(ticks),
      waiting.dropFirst().contains(where: { $0.begins(by: ticks) })
    {
      // Frames that were decoded before the first one that is wanted, and the end of a group.
      try finish(waiting.removeFirst())
    }
    var group = waiting.removeFirst()
    let isDependent = group.isDependent(ticks)
    let isEncoded = isDependent ? previous?.isCopied != true || !group.encoded.isEmpty : group.isChanged
    if job.isPainted || job.frame.isAltered || isEncoded {
      try encodeFrames(of: &group)
      group.frames.insert(ticks)
      try encode(try restorer.restored(job.frame), in: &group)
      // The times of altered frames may be those of other packets.
      if !isDependent || job.frame.isAltered { group.isChanged = true }
    } else {
      group.frames.insert(ticks)
    }
    waiting.insert(group, at: 0)
    monitor.addLatency(since: job.arrival)
  }

  private mutating func encodeAll(because reason: Message) throws {
    monitor.state.warn("everything is encoded (\(.encode, "changed")): \(reason)")
    all = EncodingSink(context)
    for packet in copies { try all?.write(packet) }
    (copies, waiting) = ([], [])
  }

  /// - Returns: `false` if the encoder's pictures cannot stand beside the input's, by their headers.
  private mutating func open(first: VideoFrame, key: Packet?) throws -> Bool {
    var video = context.video(firstFrame: first.time)
    if let key {
      let stored = try groups.storeSets(
        in: video, context.output.encoder, like: try restorer.restored(first), key: key, omitsUserData: omitsUserData)
      guard let stored else { return false }
      video = stored
    }
    let media = try monitor.waiting {
      try MediaWriter(
        context.output.destination, copyingVideo: video, and: context.copied,
        audio: context.output.audio, subtitles: nil, container: context.container(firstFrame: first.time),
        shift: context.shift(firstFrame: first.time), isWatched: false, interrupt: monitor.interrupt)
    }
    context.begin(media)
    self.media = media
    return true
  }

  /// Writes a complete group: its packets, or its frames if some are missing.
  private mutating func finish(_ group: Group) throws {
    var group = group
    defer { previous = group }
    guard !group.frames.isEmpty else { return }
    let isWhole =
      group.frames == group.times && group.times.count == group.packets.count
      && !group.packets.contains(where: \.isHidden)
    guard isWhole, !group.isChanged else {
      written.add(frames: group.frames.count, groups: 1, areCopied: false)
      return try encodeFrames(of: &group)
    }
    // Frames that depend on a group that is not copied were encoded, at the decoding times of the group's first packets.
    let isBehindSeam = encoder != nil
    let key = group.nextDecodingTicks()
    try endEncoding()
    for (number, packet) in group.packets.enumerated() {
      if let time = packet.presentationTime, group.encoded.contains(time.ticks) { continue }
      let copy =
        number == 0 && isBehindSeam
        ? try groups.behindSeam(packet, isOpen: group.beginning == .open, decodingTicks: key) : packet
      try writeVideo(copy)
      if isVerified { written.fingerprints.append(groups.fingerprint(of: copy)) }
    }
    group.isCopied = true
    if !group.encoded.isEmpty { written.add(frames: group.encoded.count, groups: 0, areCopied: false) }
    written.add(frames: group.packets.count - group.encoded.count, groups: 1, areCopied: true)
  }

  /// Encodes the frames of a group that have come and were not, which are decoded again.
  private mutating func encodeFrames(of group: inout Group) throws {
    var rest = group.frames.subtracting(group.encoded)
    guard !rest.isEmpty else { return }
    let decoder = try VideoDecoder(context.video, threads: 1)
    let before = rest.contains(where: group.isDependent) ? previous?.packets ?? [] : []
    func take(_ frames: [VideoFrame], _ sink: inout ChangedGroupsSink) throws {
      for frame in frames where !frame.isAltered && rest.remove(frame.time.ticks) != nil {
        try sink.encode(frame, in: &group)
      }
    }
    for packet in before + group.packets where !rest.isEmpty {
      try take(try monitor.timer.measure(.decode) { try decoder.decode(packet).frames }, &self)
    }
    if !rest.isEmpty { try take(try decoder.decode(nil, isCut: true).frames, &self) }
    guard let first = rest.min() else { return }
    let seconds = Time(ticks: first, base: context.video.timeBase).seconds.formatted(.decimals(2))
    monitor.state.warn("\(rest.count) frames from \(seconds) s on are missing: they could not be decoded again")
  }

  /// Encodes a frame as the stream stores it.
  private mutating func encode(_ frame: VideoFrame, in group: inout Group) throws {
    let ticks = frame.time.ticks
    let isFirst = group.encoded.allSatisfy(group.isDependent) && !group.isDependent(ticks)
    if encoder == nil {
      // Of a group that is complete, so that the result does not depend on the threads' pace.
      let sample = previous?.packets.prefix(Self.sampleCount) ?? group.packets.prefix(1)
      encoder = try GroupEncoder(
        context.video, groups, settings: context.output.encoder, first: frame, sample: Array(sample))
    }
    let decodingTicks = group.nextDecodingTicks() ?? ticks
    group.encoded.insert(ticks)
    group.encodedCount += 1
    let packets = try monitor.timer.measure(.encode) {
      try encoder?.encode(frame, isFirst: isFirst, decodingTicks: decodingTicks)
    }
    for packet in packets ?? [] { try writeVideo(packet) }
  }

  private mutating func endEncoding() throws {
    let packets = try monitor.timer.measure(.encode) { try encoder?.finish() }
    encoder = nil
    for packet in packets ?? [] { try writeVideo(packet) }
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
    state.notify(written.summary)
    state.contents.update { $0.groups = written }
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
