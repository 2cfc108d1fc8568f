internal import CVStreamLibAV
internal import VStreamScene

/// What an output container can hold, and how streams are described in it.
enum Container {
  /// Whether a container format can hold a stream as it is: by libavformat's tables, and by trying.
  static func canHold(_ stream: StreamInfo, format: UnsafePointer<AVOutputFormat>) -> Bool {
    let name = String(cString: format.pointee.name)
    if stream.kind == .attachment { return name == "matroska" }
    let codec = stream.parameters.av.pointee.codec_id
    if !holds(codec, format: format) { return false }
    if stream.attachedPicture != nil { return holdsImages(name) }
    return transports(codec, format: name) ?? writesHeader(of: stream, format: format)
  }

  /// Whether a container format can hold what an encoder makes: by libavformat's tables, and ours for those that take
  /// anything.
  static func holds(_ codec: AVCodecID, format: UnsafePointer<AVOutputFormat>) -> Bool {
    guard avformat_query_codec(format, codec, FF_COMPLIANCE_EXPERIMENTAL) != 0 else { return false }
    return transports(codec, format: String(cString: format.pointee.name)) ?? true
  }

  /// Whether a way of sending can carry a codec; `nil` for formats of other kinds.
  private static func transports(_ codec: AVCodecID, format: String) -> Bool? {
    let name = String(cString: avcodec_get_name(codec))
    // MPEG transport streams take anything, as private data that nobody can read.
    if ["mpegts", "hls", "rtp_mpegts"].contains(format) { return transportStreamCodecs.contains(name) }
    // RTP has a way of its own for each.
    if ["rtsp", "rtp", "sap"].contains(format) { return packetStreamCodecs.contains(name) }
    return nil
  }

  private static let packetStreamCodecs: Set = [
    "h261", "h263", "h263p", "h264", "hevc", "mpeg1video", "mpeg2video", "mpeg4", "mjpeg", "vp8", "vp9", "theora",
    "aac",
    "mp2", "mp3", "pcm_alaw", "pcm_mulaw", "pcm_s8", "pcm_s16be", "pcm_u8", "pcm_s24be", "amr_nb", "amr_wb", "vorbis",
    "opus", "speex", "ilbc", "adpcm_g722", "adpcm_g726", "adpcm_g726le", "mpegts",
  ]

  private static func holdsImages(_ format: String) -> Bool {
    format == "matroska" || takesPicturesAtTheEnd(format)
  }

  /// Whether pictures of the file as a whole can only be written to the finished file, not to one in fragments.
  static func takesPicturesAtTheEnd(_ format: String) -> Bool { ["mp4", "ipod"].contains(format) }

  private static let transportStreamCodecs: Set = [
    "mp2", "mp3", "mp1", "aac", "aac_latm", "ac3", "eac3", "dts", "truehd", "opus", "s302m", "h264", "hevc",
    "mpeg1video", "mpeg2video", "mpeg4", "dvb_subtitle", "dvb_teletext", "hdmv_pgs_subtitle", "klv", "scte_35",
    "timed_id3",
  ]

  /// Containers to name when another cannot hold a stream, in the order they are tried.
  private static let alternatives = [("matroska", ".mkv"), ("mp4", ".mp4"), ("mov", ".mov"), ("nut", ".nut")]

  /// A file name's end by which the output would hold the stream; `nil` if none is known.
  static func alternative(for stream: StreamInfo) -> String? {
    alternatives.first { name, _ in
      av_guess_format(name, nil, nil).map { canHold(stream, format: $0) } ?? false
    }?.1
  }

  /// Writes the header of a file with this stream alone, to memory.
  private static func writesHeader(of stream: StreamInfo, format: UnsafePointer<AVOutputFormat>) -> Bool {
    guard format.pointee.flags & AVFMT_NOFILE == 0 else { return true }
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_alloc_output_context2(&allocated, format, nil, nil) >= 0, let context = allocated else {
      return false
    }
    defer { avformat_free_context(context) }
    guard (try? addCopy(of: stream, to: context)) != nil, avio_open_dyn_buf(&context.pointee.pb) >= 0 else {
      return false
    }
    context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    let isAccepted = avformat_write_header(context, nil) >= 0
    if isAccepted { av_write_trailer(context) }
    var buffer: UnsafeMutablePointer<UInt8>?
    avio_close_dyn_buf(context.pointee.pb, &buffer)
    av_free(buffer)
    context.pointee.pb = nil
    return isAccepted
  }

  /// - Throws: `VStreamError.usage` if a container cannot hold an input's video as it is, or cannot say how it is turned.
  static func requireHoldsCopy(
    of video: StreamInfo, format: UnsafePointer<AVOutputFormat>
  ) throws(VStreamError) {
    let name = String(cString: format.pointee.name)
    guard canHold(video, format: format) else {
      let way: Message = alternative(for: video).map { "write an \($0)" } ?? "have it coded anew"
      throw VStreamError(.usage, "\(name) cannot hold the video as it is (\(video.codecName))", remedy: way)
    }
    guard video.orientation == .upright || saysOrientation.contains(name) else {
      throw VStreamError(
        .usage,
        "\(name) cannot say that the picture is turned by \(video.orientation.degrees)°, and it is copied as it is",
        remedy: "write an .mp4 or .mov")
    }
  }

  private static let saysOrientation: Set = ["mp4", "mov", "ipod", "3gp", "3g2", "ismv", "f4v"]

  /// Adds a stream that is a copy of an input's.
  ///
  /// - Parameter keepsTag: whether its coding keeps the name that it has in the input, where the output knows that.
  @discardableResult
  static func addCopy(
    of source: StreamInfo, to context: UnsafeMutablePointer<AVFormatContext>, keepsTag: Bool = false
  ) throws(VStreamError) -> UnsafeMutablePointer<AVStream> {
    guard let stream = avformat_new_stream(context, nil) else { throw outOfMemory("stream") }
    try requireLibAV(.library, "stream parameters") {
      avcodec_parameters_copy(stream.pointee.codecpar, source.parameters.av)
    }
    let coded = source.parameters.av.pointee
    let isTagKnown = av_codec_get_id(context.pointee.oformat.pointee.codec_tag, coded.codec_tag) == coded.codec_id
    stream.pointee.codecpar.pointee.codec_tag = keepsTag && isTagKnown ? coded.codec_tag : 0
    stream.pointee.time_base = source.timeBase.av
    if let rate = source.frameRate { stream.pointee.avg_frame_rate = rate.av }
    stream.pointee.disposition = source.disposition
    for data in source.sideData { try data.add(to: stream) }
    if let picture = source.attachedPicture { try attach(picture, to: stream, in: context) }
    setMetadata(source.metadata, of: &stream.pointee.metadata)
    return stream
  }

  /// Has a stream carry a picture of the file as a whole: in Matroska as an attachment, elsewhere as its only packet.
  private static func attach(
    _ picture: [UInt8], to stream: UnsafeMutablePointer<AVStream>, in context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    guard String(cString: context.pointee.oformat.pointee.name) == "matroska" else { return }
    let size = picture.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
    guard let memory = av_mallocz(size) else { throw outOfMemory("attachment") }
    picture.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { memory.copyMemory(from: base, byteCount: bytes.count) }
    }
    let isPNG = stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_PNG
    av_freep(&stream.pointee.codecpar.pointee.extradata)
    stream.pointee.codecpar.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    stream.pointee.codecpar.pointee.extradata_size = Int32(picture.count)
    stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
    stream.pointee.disposition = 0
    av_dict_set(&stream.pointee.metadata, "filename", isPNG ? "cover.png" : "cover.jpg", 0)
    av_dict_set(&stream.pointee.metadata, "mimetype", isPNG ? "image/png" : "image/jpeg", 0)
  }

  /// Copies tags but those that describe the input's own container.
  static func setMetadata(_ metadata: [String: String], of target: inout OpaquePointer?) {
    let own: Set = [
      "major_brand", "minor_version", "compatible_brands", "encoder", "vendor_id", "handler_name", "duration",
      "number_of_frames", "number_of_bytes", "bps", "_statistics_tags", "_statistics_writing_app",
      "_statistics_writing_date_utc",
    ]
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      // Matroska's statistics may carry a language: NUMBER_OF_BYTES-eng.
      let name = key.lowercased().split(separator: "-").first.map(String.init) ?? ""
      if !own.contains(name) { av_dict_set(&target, key, value, 0) }
    }
  }

  /// Gives an output chapters.
  static func setChapters(
    _ chapters: [Chapter], of context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    guard !chapters.isEmpty else { return }
    let size = MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
    guard let list = av_calloc(chapters.count, size) else { throw outOfMemory("chapters") }
    // From here on the context owns the list and each chapter in it, and frees them.
    context.pointee.chapters = list.bindMemory(to: UnsafeMutablePointer<AVChapter>?.self, capacity: chapters.count)
    for (index, chapter) in chapters.enumerated() {
      guard let memory = av_mallocz(MemoryLayout<AVChapter>.size) else { throw outOfMemory("chapters") }
      let made = memory.bindMemory(to: AVChapter.self, capacity: 1)
      made.pointee.id = chapter.id
      made.pointee.time_base = chapter.start.base.av
      made.pointee.start = chapter.start.ticks
      made.pointee.end = chapter.end.rescaled(to: chapter.start.base).ticks
      setMetadata(chapter.metadata, of: &made.pointee.metadata)
      context.pointee.chapters[index] = made
      context.pointee.nb_chapters = UInt32(index + 1)
    }
  }
}
