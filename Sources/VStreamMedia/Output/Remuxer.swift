internal import CVStreamLibAV
internal import VStreamCore

/// Copies a finished fragmented file into one that starts with its index (fast start), packet by packet.
enum Remuxer {
  /// Ticks per second of the tracks' start times; FFmpeg's default of 1000 is coarser than the frames' times.
  static let timescale = (key: "movie_timescale", value: "90000")

  /// - Parameters:
  ///   - file: the path for opening the target.
  ///   - writer: the context that wrote the file, for the descriptions of the streams, which fragmented files do not hold
  ///     completely.
  ///   - videoPackets: the number of video packets that the file must have.
  ///   - ends: the end of each stream's last frame or sample.
  ///   - lastShown: the time of the video's last frame in presentation order.
  ///   - texts: the packets of timed text, in their order, which the file does not have.
  /// - Throws: `VStreamError.inputOutput` if the file cannot be read, or the copy not be written.
  static func remux(
    _ path: String, to target: String, as file: String, like writer: UnsafeMutablePointer<AVFormatContext>,
    videoPackets: Int,
    ends: [Int: Time], lastShown: Time?, texts: [Packet], chapters: [Chapter], coverImages: [StreamInfo]
  ) throws(VStreamError) {
    let source = try openSource(path)
    defer {
      var source: UnsafeMutablePointer<AVFormatContext>? = source
      avformat_close_input(&source)
    }
    let what = "'\(target)' cannot be written"
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    try requireLibAV(.inputOutput, what) {
      avformat_alloc_output_context2(&allocated, writer.pointee.oformat, nil, "file:" + target)
    }
    guard let sink = allocated else { throw outOfMemory("output") }
    var isOpen = true
    defer {
      if isOpen { avio_closep(&sink.pointee.pb) }
      avformat_free_context(sink)
    }
    try copyStreams(of: source, like: writer, to: sink)
    let copied = Int(sink.pointee.nb_streams)
    for image in coverImages { try Container.addCopy(of: image, to: sink) }
    try Container.setChapters(chapters, of: sink)
    try writeHeader(of: sink, file, what: what)
    for (index, image) in coverImages.enumerated() {
      try write(image.attachedPicture ?? [], to: sink, stream: copied + index, what: what)
    }
    let count = try copyPackets(
      from: source, to: sink, streams: copied, ends: ends, lastShown: lastShown, texts: texts, what: what)
    guard count == videoPackets else {
      throw VStreamError(.inputOutput, "only \(count) of \(videoPackets) frames could be read", subject: path)
    }
    try requireLibAV(.inputOutput, what) { av_write_trailer(sink) }
    isOpen = false
    try requireLibAV(.inputOutput, what) { avio_closep(&sink.pointee.pb) }
  }

  private static func writeHeader(
    of sink: UnsafeMutablePointer<AVFormatContext>, _ target: String, what: String
  ) throws(VStreamError) {
    sink.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL  // as MediaWriter does
    try requireLibAV(.inputOutput, what) { avio_open(&sink.pointee.pb, "file:" + target, AVIO_FLAG_WRITE) }
    let flags = "+faststart" + Container.metadataFlag(for: sink)
    _ = try withDictionary([("movflags", flags), timescale]) { (options) throws(VStreamError) in
      try requireLibAV(.inputOutput, what) { avformat_write_header(sink, options) }
    }
  }

  private static func openSource(_ path: String) throws(VStreamError) -> UnsafeMutablePointer<AVFormatContext> {
    var context: UnsafeMutablePointer<AVFormatContext>?
    try requireLibAV(.inputOutput, "'\(path)' cannot be read") {
      avformat_open_input(&context, "file:" + path, nil, nil)
    }
    guard let context else { throw outOfMemory("input") }
    do {
      try requireLibAV(.inputOutput, "'\(path)' cannot be read") { avformat_find_stream_info(context, nil) }
    } catch {
      var opened: UnsafeMutablePointer<AVFormatContext>? = context
      avformat_close_input(&opened)
      throw error
    }
    return context
  }

  private static func copyStreams(
    of source: UnsafeMutablePointer<AVFormatContext>, like writer: UnsafeMutablePointer<AVFormatContext>,
    to sink: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    // The chapter track, which the muxer adds by itself, follows all others.
    for index in 0..<min(Int(writer.pointee.nb_streams), Int(source.pointee.nb_streams)) {
      guard let from = source.pointee.streams[index], let described = writer.pointee.streams[index],
        let stream = avformat_new_stream(sink, nil)
      else { throw outOfMemory("stream") }
      // libav does not read the size of video without packets.
      let isUnread = from.pointee.codecpar.pointee.width == 0 && described.pointee.codecpar.pointee.width > 0
      try requireLibAV(.library, "stream parameters") {
        avcodec_parameters_copy(stream.pointee.codecpar, (isUnread ? described : from).pointee.codecpar)
      }
      stream.pointee.time_base = from.pointee.time_base
      stream.pointee.avg_frame_rate = described.pointee.avg_frame_rate
      Container.setPixelAspect(described.pointee.sample_aspect_ratio, of: stream)
      stream.pointee.disposition = described.pointee.disposition
      for data in SideData.list(of: described) { try data.add(to: stream) }
      av_dict_copy(&stream.pointee.metadata, described.pointee.metadata, 0)
    }
    av_dict_copy(&sink.pointee.metadata, writer.pointee.metadata, 0)
  }

  /// Writes a cover image.
  private static func write(
    _ image: [UInt8], to sink: UnsafeMutablePointer<AVFormatContext>, stream: Int, what: String
  ) throws(VStreamError) {
    guard let packet = av_packet_alloc(), av_new_packet(packet, Int32(clamping: image.count)) >= 0 else {
      throw outOfMemory("packet")
    }
    var owned: UnsafeMutablePointer<AVPacket>? = packet
    defer { av_packet_free(&owned) }
    image.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress {
        packet.pointee.data.update(from: base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
      }
    }
    packet.pointee.stream_index = Int32(stream)
    packet.pointee.pts = 0
    packet.pointee.dts = 0
    packet.pointee.flags = AV_PKT_FLAG_KEY
    try requireLibAV(.inputOutput, what) { av_interleaved_write_frame(sink, packet) }
  }

  private static func copyPackets(
    from source: UnsafeMutablePointer<AVFormatContext>, to sink: UnsafeMutablePointer<AVFormatContext>, streams: Int,
    ends: [Int: Time], lastShown: Time?, texts: [Packet], what: String
  ) throws(VStreamError) -> Int {
    guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
    var owned: UnsafeMutablePointer<AVPacket>? = packet
    defer { av_packet_free(&owned) }
    // Fragments do not hold all durations: a packet waits for the next of its stream, whose time gives its duration.
    var waiting = [Packet?](repeating: nil, count: streams)
    var usualDurations = [Int64](repeating: 0, count: streams)
    var videoPackets = 0
    let textStreams = Set(texts.map(\.streamIndex))
    var texts = texts[...]
    while case .value = try libav(.inputOutput, "the file cannot be read", { av_read_frame(source, packet) }) {
      let index = Int(packet.pointee.stream_index)
      guard index < streams, !textStreams.contains(index), let from = source.pointee.streams[index],
        let next = av_packet_alloc()
      else {
        av_packet_unref(packet)
        continue
      }
      av_packet_move_ref(next, packet)
      if from.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_MPEG2VIDEO { restoreKey(of: next) }
      if index == 0 { videoPackets += 1 }
      let owner = Packet(takingOwnershipOf: next, timeBase: Rational(from.pointee.time_base) ?? .milliseconds)
      let time = owner.decodingTime?.seconds ?? 0
      while let text = texts.first, (text.decodingTime?.seconds ?? 0) <= time {
        try write(texts.removeFirst(), to: sink, stream: text.streamIndex, what: what)
      }
      if let previous = waiting[index] {
        let gap = next.pointee.dts.limitedDifference(previous.av.pointee.dts)
        // libav guesses a video's durations from its frame rate.
        if index == 0 || previous.av.pointee.duration <= 0, gap > 0 { previous.av.pointee.duration = gap }
        usualDurations[index] = previous.av.pointee.duration
        if index == 0 { setEnd(of: previous, to: ends[0], lastShown: lastShown) }
        try write(previous, to: sink, stream: index, what: what)
      }
      waiting[index] = owner
    }
    for text in texts { try write(text, to: sink, stream: text.streamIndex, what: what) }
    for (index, last) in waiting.enumerated() {
      guard let last else { continue }
      // Audio without a duration would count as past the end.
      if index > 0, last.av.pointee.duration <= 0 {
        let rest = rest(of: last, to: ends[index]) ?? 0
        let isAudio = sink.pointee.streams[index]?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
        last.av.pointee.duration = rest > 0 ? rest : isAudio ? usualDurations[index] : 0
      }
      if index == 0, usualDurations[0] > 0 { last.av.pointee.duration = usualDurations[0] }
      setEnd(of: last, to: ends[index], lastShown: index == 0 ? lastShown : nil)
      try write(last, to: sink, stream: index, what: what)
    }
    return videoPackets
  }

  /// Marks a packet of MPEG-2 as a key frame if it begins with a sequence header: libavformat does not mark those of open
  /// groups of pictures in fragments.
  private static func restoreKey(of packet: UnsafeMutablePointer<AVPacket>) {
    guard packet.pointee.size >= 4, let bytes = packet.pointee.data else { return }
    if (0..<4).map({ bytes[$0] }) == [0, 0, 1, 0xB3] { packet.pointee.flags |= AV_PKT_FLAG_KEY }
  }

  /// Makes the last frame end with its stream, and limits the others to that: fragments store durations only as gaps
  /// between decoding times, which are wrong for the last frames in presentation order.
  private static func setEnd(of packet: Packet, to end: Time?, lastShown: Time?) {
    guard let rest = rest(of: packet, to: end), rest > 0 else { return }
    let isLast = lastShown.map { packet.av.pointee.pts >= $0.rescaled(to: packet.timeBase).ticks } ?? false
    packet.av.pointee.duration = isLast ? rest : min(packet.av.pointee.duration, rest)
  }

  /// Ticks from a packet's presentation time to the end of its stream; `nil` if either is unknown.
  private static func rest(of packet: Packet, to end: Time?) -> Int64? {
    guard let end, let shown = packet.presentationTime else { return nil }
    let (rest, isTooLarge) = end.rescaled(to: packet.timeBase).ticks.subtractingReportingOverflow(shown.ticks)
    return isTooLarge ? nil : rest
  }

  private static func write(
    _ packet: Packet, to sink: UnsafeMutablePointer<AVFormatContext>, stream: Int, what: String
  ) throws(VStreamError) {
    guard let to = sink.pointee.streams[stream] else { return }
    av_packet_rescale_ts(packet.av, packet.timeBase.av, to.pointee.time_base)
    packet.av.pointee.pos = -1
    try requireLibAV(.inputOutput, what) { av_interleaved_write_frame(sink, packet.av) }
  }
}
