internal import CVStreamLibAV
internal import VStreamScene

/// Copies a finished fragmented file into one that starts with its index (fast start), packet by packet.
enum Remuxer {
  /// - Throws: `VStreamError.inputOutput` if the file cannot be read again or the copy not be written.
  static func remux(_ path: String, to target: String, format: String) throws(VStreamError) {
    let source = try openSource(path)
    defer {
      var source: UnsafeMutablePointer<AVFormatContext>? = source
      avformat_close_input(&source)
    }
    let what = "'\(target)' cannot be written"
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    try requireLibAV(.inputOutput, what) { avformat_alloc_output_context2(&allocated, nil, format, "file:" + target) }
    guard let sink = allocated else { throw outOfMemory("output") }
    var isOpen = true
    defer {
      if isOpen { avio_closep(&sink.pointee.pb) }
      avformat_free_context(sink)
    }
    try copyStreams(of: source, to: sink)
    sink.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL  // as MediaWriter allows
    try requireLibAV(.inputOutput, what) { avio_open(&sink.pointee.pb, "file:" + target, AVIO_FLAG_WRITE) }
    _ = try withDictionary([("movflags", "+faststart")]) { (options) throws(VStreamError) in
      try requireLibAV(.inputOutput, what) { avformat_write_header(sink, options) }
    }
    try copyPackets(from: source, to: sink, what: what)
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
    of source: UnsafeMutablePointer<AVFormatContext>, to sink: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    for index in 0..<Int(source.pointee.nb_streams) {
      guard let from = source.pointee.streams[index], let stream = avformat_new_stream(sink, nil) else {
        throw outOfMemory("stream")
      }
      try requireLibAV(.library, "stream parameters") {
        avcodec_parameters_copy(stream.pointee.codecpar, from.pointee.codecpar)
      }
      stream.pointee.time_base = from.pointee.time_base
      stream.pointee.avg_frame_rate = from.pointee.avg_frame_rate
      stream.pointee.sample_aspect_ratio = from.pointee.sample_aspect_ratio
      stream.pointee.disposition = from.pointee.disposition
      av_dict_copy(&stream.pointee.metadata, from.pointee.metadata, 0)
    }
    av_dict_copy(&sink.pointee.metadata, source.pointee.metadata, 0)
  }

  private static func copyPackets(
    from source: UnsafeMutablePointer<AVFormatContext>, to sink: UnsafeMutablePointer<AVFormatContext>, what: String
  ) throws(VStreamError) {
    guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
    var owned: UnsafeMutablePointer<AVPacket>? = packet
    defer { av_packet_free(&owned) }
    while case .value = try libav(.inputOutput, "the file cannot be read again", { av_read_frame(source, packet) }) {
      let index = Int(packet.pointee.stream_index)
      guard let from = source.pointee.streams[index], let to = sink.pointee.streams[index] else { continue }
      av_packet_rescale_ts(packet, from.pointee.time_base, to.pointee.time_base)
      packet.pointee.pos = -1
      try requireLibAV(.inputOutput, what) { av_interleaved_write_frame(sink, packet) }
    }
  }
}
