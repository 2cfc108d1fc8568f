internal import CVStreamLibAV
internal import VStreamScene

/// Copies a finished fragmented file into one that starts with its index (fast start), packet by packet.
enum Remuxer {
  /// - Parameter writer: the context that wrote the file, from which the streams' descriptions are taken: fragmented
  ///   files do not hold all of them.
  /// - Parameter videoPackets: how many packets of video there must be.
  /// - Parameter videoEnd: when the picture that is shown last ends.
  /// - Throws: `VStreamError.inputOutput` if the file cannot be read again or the copy not be written.
  static func remux(
    _ path: String, to target: String, like writer: UnsafeMutablePointer<AVFormatContext>, videoPackets: Int,
    videoEnd: Time?, chapters: [Chapter], pictures: [StreamInfo]
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
    for picture in pictures { try Container.addCopy(of: picture, to: sink) }
    try Container.setChapters(chapters, of: sink)
    sink.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL  // as MediaWriter allows
    try requireLibAV(.inputOutput, what) { avio_open(&sink.pointee.pb, "file:" + target, AVIO_FLAG_WRITE) }
    _ = try withDictionary([("movflags", "+faststart")]) { (options) throws(VStreamError) in
      try requireLibAV(.inputOutput, what) { avformat_write_header(sink, options) }
    }
    for (index, picture) in pictures.enumerated() {
      try write(picture.attachedPicture ?? [], to: sink, stream: copied + index, what: what)
    }
    let count = try copyPackets(from: source, to: sink, streams: copied, videoEnd: videoEnd, what: what)
    guard count == videoPackets else {
      throw VStreamError(.inputOutput, "\(count) of \(videoPackets) frames could be read again")
    }
    try requireLibAV(.inputOutput, what) { av_write_trailer(sink) }
    isOpen = false
    try requireLibAV(.inputOutput, what) { avio_closep(&sink.pointee.pb) }
  }

  private static func openSource(_ path: String) throws(VStreamError) -> UnsafeMutablePointer<AVFormatContext> {
    var context: UnsafeMutablePointer<AVFormatContext>?
    try requireLibAV(.inputOutput, "'\(path)' cannot be read again") {
      avformat_open_input(&context, "file:" + path, nil, nil)
    }
    guard let context else { throw outOfMemory("input") }
    do {
      try requireLibAV(.inputOutput, "'\(path)' cannot be read again") { avformat_find_stream_info(context, nil) }
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
    // The track of chapters' titles, which the muxer adds by itself, comes after all others.
    for index in 0..<min(Int(writer.pointee.nb_streams), Int(source.pointee.nb_streams)) {
      guard let from = source.pointee.streams[index], let described = writer.pointee.streams[index],
        let stream = avformat_new_stream(sink, nil)
      else { throw outOfMemory("stream") }
      try requireLibAV(.library, "stream parameters") {
        avcodec_parameters_copy(stream.pointee.codecpar, from.pointee.codecpar)
      }
      stream.pointee.time_base = from.pointee.time_base
      stream.pointee.avg_frame_rate = described.pointee.avg_frame_rate
      stream.pointee.sample_aspect_ratio = described.pointee.sample_aspect_ratio
      stream.pointee.disposition = described.pointee.disposition
      for data in SideData.list(of: described) { try data.add(to: stream) }
      av_dict_copy(&stream.pointee.metadata, described.pointee.metadata, 0)
    }
    av_dict_copy(&sink.pointee.metadata, writer.pointee.metadata, 0)
  }

  /// Writes a picture of the file as a whole.
  private static func write(
    _ picture: [UInt8], to sink: UnsafeMutablePointer<AVFormatContext>, stream: Int, what: String
  ) throws(VStreamError) {
    guard let packet = av_packet_alloc(), av_new_packet(packet, Int32(clamping: picture.count)) >= 0 else {
      throw outOfMemory("packet")
    }
    var owned: UnsafeMutablePointer<AVPacket>? = packet
    defer { av_packet_free(&owned) }
    picture.withUnsafeBytes { bytes in
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
    videoEnd: Time?, what: String
  ) throws(VStreamError) -> Int {
    guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
    var owned: UnsafeMutablePointer<AVPacket>? = packet
    defer { av_packet_free(&owned) }
    // Fragments do not hold all durations: a packet waits for the next of its stream, which says how long it lasts.
    var waiting = [Packet?](repeating: nil, count: streams)
    var videoPackets = 0
    while case .value = try libav(.inputOutput, "the file cannot be read again", { av_read_frame(source, packet) }) {
      let index = Int(packet.pointee.stream_index)
      guard index < streams, let from = source.pointee.streams[index], let next = av_packet_alloc() else {
        av_packet_unref(packet)
        continue
      }
      av_packet_move_ref(next, packet)
      if index == 0 { videoPackets += 1 }
      let owner = Packet(takingOwnershipOf: next, timeBase: Rational(from.pointee.time_base) ?? .milliseconds)
      if let previous = waiting[index] {
        let gap = next.pointee.dts - previous.av.pointee.dts
        if previous.av.pointee.duration <= 0, gap > 0 { previous.av.pointee.duration = gap }
        if index == 0 { limit(previous, to: videoEnd) }
        try write(previous, to: sink, stream: index, what: what)
      }
      waiting[index] = owner
    }
    for (index, last) in waiting.enumerated() {
      guard let last else { continue }
      if index == 0 { limit(last, to: videoEnd) }
      try write(last, to: sink, stream: index, what: what)
    }
    return videoPackets
  }

  /// Has no picture last longer than the video, and the one that is shown last exactly as long: a fragment keeps the gaps
  /// between pictures in their order of decoding only.
  private static func limit(_ packet: Packet, to videoEnd: Time?) {
    guard let videoEnd, let shown = packet.presentationTime else { return }
    let rest = videoEnd.rescaled(to: packet.timeBase).ticks - shown.ticks
    if rest > 0 { packet.av.pointee.duration = min(packet.av.pointee.duration, rest) }
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
