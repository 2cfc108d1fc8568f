internal import CVStreamLibAV
package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Writes packets to a file or stream: one video stream, re-encoded or copied, and copies of other streams.
///
/// However the program ends, the file plays up to the last second before it (`OutputDestination.Style`).
package final class MediaWriter: MediaSink {
  let owner: OutputContext
  var context: UnsafeMutablePointer<AVFormatContext> { owner.av }
  let destination: OutputDestination
  let chapters: [Chapter]
  private let shift: Double
  /// The end of each stream's last frame or sample, on the output's timeline.
  private(set) var ends: [Int: Time] = [:]
  /// The bytes of the packets of each stream.
  private(set) var byteCounts: [Int: Int] = [:]
  /// The time of the video's last frame in presentation order, on the output's timeline.
  private(set) var lastShown: Time?
  /// The order of each stream's packets.
  private var orders: [Int: PacketOrder] = [:]
  package var problems: [Message] {
    let count = orders.values.reduce(0) { $0 + $1.corrected }
    let order: Message =
      count == 1
      ? "1 packet of a copied stream was out of order: its time was corrected"
      : "\(count) packets of copied streams were out of order: their times were corrected"
    return (count > 0 ? [order] : [])
      + converters.keys.sorted().compactMap { (converters[$0] as? AACContinuation)?.problem }
  }
  package private(set) var refused = RefusedPackets()
  private(set) var videoPackets = 0
  /// Whether the end of the file is written, or failed to be.
  var isEnded = false
  /// Timed text of a fragmented file, which is added when the file is finished: libavformat ends each text with a sample of
  /// its own, and where that ends a fragment it gives the next packet of another stream a wrong time.
  private(set) var heldTexts: [Packet] = []
  /// Cover images that are added when the file is finished.
  let coverImages: [StreamInfo]
  /// The converters of streams that are not copied as they are, by the input's stream index.
  private let converters: [Int: any StreamConverter]
  /// The output's stream index of each copied input stream.
  private let copies: [Int: Int]
  /// The delays of streams of the output in seconds, to compensate for the muxer (`leads(of:copies:format:)`).
  private let leads: [Int: Double]
  /// The bitstream filters of the output's streams.
  private let filters: [Int: BitstreamFilter]
  package let omitted: [OmittedStream]
  package let notices: [Message]
  private var textDurations: TimedTextDurations
  /// Where fragments are cut; `nil` if libavformat does that, or there are none.
  private var cuts: FragmentCuts?
  /// The track of generated subtitles; `nil` for none.
  private var subtitles: SubtitleTrack?

  /// Opens the output and writes its header.
  ///
  /// - Parameters:
  ///   - video: the opened encoder whose packets will be written.
  ///   - first: the first frame that will be encoded, for its side data.
  ///   - source: the input's video stream, for its metadata.
  ///   - streams: the input's streams to copy.
  ///   - audio: the policy for audio that the container cannot hold as it is.
  ///   - shift: seconds that are subtracted from all times.
  ///   - interrupt: ends a call that waits for the receiver; that call and all later ones fail.
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `avformat_write_header`.
  package convenience init(
    _ destination: OutputDestination, video: VideoEncoder, first: VideoFrame, source: StreamInfo,
    copying streams: [StreamInfo], audio: AudioPolicy = .auto, container: ContainerInfo, shift: Double = 0,
    interrupt: Interrupt? = nil
  ) throws(VStreamError) {
    try self.init(
      destination, video: source, isEncoded: true, copying: streams, audio: audio, container: container, shift: shift,
      interrupt: interrupt
    ) { (context) throws(VStreamError) in try Self.addVideo(video, source: source, first: first, to: context) }
    if video.isLowDelay {
      // Video does not wait for audio or subtitles that are late or missing.
      context.pointee.max_interleave_delta = 200_000
    } else if destination.format == "flv" {
      // FLV's streams must be in order, however long the encoder's lookahead is.
      context.pointee.max_interleave_delta = 10_000_000
    }
    try Self.open(destination, owner)
  }

  /// Opens an output for copies of the input's video and of its other streams, and writes its header.
  ///
  /// The video's packets are written by `writeCopy`, like all others.
  /// - Parameters:
  ///   - video: the input's video stream.
  ///   - subtitles: the header of the script whose lines are written by `writeSubtitle`, and the track's title; `nil` for
  ///     none.
  ///   - audio: the policy for audio that the container cannot hold as it is.
  ///   - shift: seconds that are subtracted from all times.
  ///   - isWatched: whether a viewer watches the output, who must not wait for subtitles.
  ///   - interrupt: ends a call that waits for the receiver; that call and all later ones fail.
  /// - Throws: `VStreamError.cannotCreateOutput`, or `usage` for video that the container cannot hold.
  package convenience init(
    _ destination: OutputDestination, copyingVideo video: StreamInfo, and streams: [StreamInfo], audio: AudioPolicy,
    subtitles: (header: String, title: String)?, container: ContainerInfo, shift: Double, isWatched: Bool,
    interrupt: Interrupt? = nil
  ) throws(VStreamError) {
    try self.init(
      destination, video: video, isEncoded: false, copying: streams, audio: audio, container: container, shift: shift,
      interrupt: interrupt
    ) { (context) throws(VStreamError) in
      try Container.requireHoldsCopy(of: video, format: context.pointee.oformat)
      try Container.addCopy(of: video, to: context, keepsTag: true)
    }
    if let subtitles {
      self.subtitles = try SubtitleTrack(header: subtitles.header, title: subtitles.title, to: context)
    }
    // Subtitles follow once their frames have been analysed.
    context.pointee.max_interleave_delta = isWatched ? 200_000 : 10_000_000
    try Self.open(destination, owner)
  }

  /// Prepares an output without opening it.
  ///
  /// - Parameters:
  ///   - video: the input's stream that becomes the output's first.
  ///   - isEncoded: whether its packets are an encoder's.
  ///   - addVideo: adds it.
  private init(
    _ destination: OutputDestination, video: StreamInfo, isEncoded: Bool, copying streams: [StreamInfo],
    audio: AudioPolicy, container: ContainerInfo, shift: Double, interrupt: Interrupt?,
    addVideo: (UnsafeMutablePointer<AVFormatContext>) throws(VStreamError) -> Void
  ) throws(VStreamError) {
    self.destination = destination
    let owner = try OutputContext(destination, interrupt: interrupt)
    self.owner = owner
    self.shift = shift
    chapters = container.chapters.compactMap { $0.shifted(back: shift) }
    coverImages = streams.filter { $0.attachedPicture != nil && Container.writesCoverImagesAtEnd(destination.format) }
    try addVideo(owner.av)
    let packetFormat = destination.packetFormat(owner.av.pointee.oformat)
    let added = try Self.addCopies(of: streams, audio: audio, storedIn: packetFormat, to: owner.av)
    var copies = added.indices
    if !isEncoded { copies[video.index] = 0 }
    (self.copies, converters, omitted) = (copies, added.converters, added.omitted)
    let written = streams.map { added.converters[$0.index]?.output ?? $0 }
    leads = Self.leads(of: written, copies: copies, format: destination.format)
    filters = try Self.filters(for: written, copies: copies, in: packetFormat)
    let carried = Container.carried(
      [video] + streams, indices: copies.merging([video.index: 0]) { $1 },
      encoded: Set(added.converters.keys).union(isEncoded ? [video.index] : []), tags: container.metadata, shift: shift,
      in: owner.av)
    notices =
      Self.conversions(of: streams, added.converters, in: owner.av)
      + Container.lostProperties(of: carried, storedIn: packetFormat, format: destination.format)
      + Container.lostDescriptions(of: chapters, container.metadata, in: owner.av)
    textDurations = TimedTextDurations(streams)
    cuts = Self.hasOwnCuts(destination, owner.av) ? FragmentCuts() : nil
    Container.setMetadata(container.metadata, of: &owner.av.pointee.metadata)
    Container.convertTimecodes(of: owner.av, from: video.frameRate)
    try Container.setChapters(chapters, of: owner.av)
  }

  package func writeVideo(_ packet: Packet) throws(VStreamError) { try write(packet, to: 0) }

  /// Writes a line of the generated subtitles; without such a track, nothing.
  ///
  /// - Throws: `VStreamError.inputOutput`; the file plays up to there.
  package func writeSubtitle(_ line: SubtitleLine) throws(VStreamError) {
    guard let track = subtitles, let stream = context.pointee.streams[track.index] else { return }
    let packet = try subtitles?.packet(line, shift: shift, base: stream.pointee.time_base)
    var owned = packet
    defer { av_packet_free(&owned) }
    try interleave(packet, isCopy: false)
  }

  package func writeCopy(_ packet: Packet) throws(VStreamError) {
    guard isStorable(packet) else { return }
    for ready in try textDurations.add(packet) { try writeReady(ready) }
  }

  private func writeReady(_ packet: Packet) throws(VStreamError) {
    guard let index = copies[packet.streamIndex] else { return }
    guard let converter = converters[packet.streamIndex] else { return try write(packet, to: index) }
    for converted in try converter.convert(packet) { try write(converted, convertedTo: index) }
  }

  /// Flushes the converters.
  func finishConversions() throws(VStreamError) {
    for (stream, converter) in converters.sorted(by: { $0.key < $1.key }) {
      guard let index = copies[stream] else { continue }
      for converted in try converter.finish() { try write(converted, convertedTo: index) }
    }
  }

  /// Writes a packet of a converter, whose delay may precede the start.
  private func write(_ packet: Packet, convertedTo index: Int) throws(VStreamError) {
    if isStorable(packet) { try write(packet, to: index) }
  }

  /// Whether a packet can be stored: some containers have no times before the start, which are not played either.
  private func isStorable(_ packet: Packet) -> Bool {
    guard let time = packet.presentationTime else { return true }
    // The shift may be more by rounding.
    if time.seconds >= shift - 1e-6 { return true }
    switch destination.rules.earlierTimes {
    case .stored: return true
    case .impossible: return false
    case .unread:
      let isAudio = copies[packet.streamIndex].map { context.codecs[$0].codec_type == AVMEDIA_TYPE_AUDIO } ?? false
      // The packet at the start is decoded with the help of the one before it.
      return !isAudio || time.seconds + 2 * packet.durationSeconds > shift
    }
  }

  /// Writes the packets that wait for later ones.
  func writeWaiting() throws(VStreamError) {
    for packet in try textDurations.finish(at: ends[0].map { $0.seconds + shift }) { try writeReady(packet) }
  }

  private func write(_ packet: Packet, to index: Int) throws(VStreamError) {
    guard let copy = av_packet_clone(packet.av), let stream = context.pointee.streams[index] else {
      throw outOfMemory("packet")
    }
    var owned: UnsafeMutablePointer<AVPacket>? = copy
    defer { av_packet_free(&owned) }
    copy.pointee.stream_index = Int32(index)
    copy.pointee.pos = -1
    // Fragments have no other place for samples at the end that are not played.
    if destination.isFragmented, let parameters = stream.pointee.codecpar {
      copy.pointee.duration = packet.playedDuration(parameters)
    }
    if let filter = filters[index], !filter.rewrite(copy) { return }
    let offset = packet.timeBase.ticks(seconds: shift - (leads[index] ?? 0))
    if copy.pointee.dts != CVStreamLibAV_NOPTS { copy.pointee.dts = copy.pointee.dts.limitedDifference(offset) }
    if copy.pointee.pts != CVStreamLibAV_NOPTS {
      copy.pointee.pts = copy.pointee.pts.limitedDifference(offset)
      if index == 0 {
        lastShown = Time(ticks: max(copy.pointee.pts, lastShown?.ticks ?? copy.pointee.pts), base: packet.timeBase)
      }
      let (end, isTooLarge) = copy.pointee.pts.addingReportingOverflow(max(0, copy.pointee.duration))
      if !isTooLarge { ends[index] = Time(ticks: max(end, ends[index]?.ticks ?? end), base: packet.timeBase) }
    }
    av_packet_rescale_ts(copy, packet.timeBase.av, stream.pointee.time_base)
    let step = orders[index, default: PacketOrder(of: stream, in: context.pointee.oformat)].restore(copy)
    try requireStorable(step, before: copy, in: stream)
    if destination.style == .fragmentedPart, stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_MOV_TEXT {
      owned = nil
      heldTexts.append(
        Packet(takingOwnershipOf: copy, timeBase: Rational(stream.pointee.time_base) ?? packet.timeBase))
      return
    }
    byteCounts[index, default: 0] += Int(copy.pointee.size)
    if index == 0 { try cutFragment(before: packet) }
    try interleave(copy, isCopy: copies[packet.streamIndex] == index)
    if index == 0 { videoPackets += 1 }
  }

  /// Ends a fragment if it is long enough.
  private func cutFragment(before packet: Packet) throws(VStreamError) {
    guard cuts != nil, let time = packet.decodingTime ?? packet.presentationTime else { return }
    let tracks = context.streams.filter { $0.pointee.codecpar.pointee.codec_type != AVMEDIA_TYPE_SUBTITLE }
    let isStarted = tracks.allSatisfy { $0.pointee.nb_frames > 0 }
    guard cuts?.isDue(at: time.seconds, isStarted: isStarted) == true else { return }
    try requireWritten("writing '\(destination.shownLocation)' failed") { av_write_frame(context, nil) }
  }

  /// Writes the packets that wait for those of other streams. The trailer would give up at the first that is refused.
  func writeQueue() throws(VStreamError) {
    while try !interleave(nil, isCopy: false) {}
  }

  /// Writes a packet in the order of its time, or all that wait for `nil`.
  ///
  /// - Returns: `false` if a packet was refused for its contents.
  @discardableResult
  func interleave(_ packet: UnsafeMutablePointer<AVPacket>?, isCopy: Bool) throws(VStreamError) -> Bool {
    var isRefused = false
    try requireWritten("writing '\(destination.shownLocation)' failed") {
      let code = av_interleaved_write_frame(context, packet)
      isRefused = isTolerated(LibAVCode(code), isCopy: isCopy)
      return isRefused ? 0 : code
    }
    return !isRefused
  }

  /// Notes a packet that the muxer refuses for its contents, which is damage of the input unless it refuses most packets.
  private func isTolerated(_ code: LibAVCode, isCopy: Bool) -> Bool {
    // A packet may be refused when it is written, together with one of another stream.
    guard code == .invalidData || (isCopy && code == .system(EINVAL)),
      refused.count < Self.maximumRefused + videoPackets,
      context.pointee.pb.map({ !LibAVCode($0.pointee.error).isFailure }) ?? true
    else { return false }
    if refused.count == 0 { refused.reason = code.reason }
    refused.count += 1
    return true
  }

  /// Packets that may be refused before any video is written.
  private static let maximumRefused = 10
}
