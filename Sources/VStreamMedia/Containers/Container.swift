internal import CVStreamLibAV
internal import VStreamCore

/// The streams that an output container can hold, and the descriptions of streams in it.
enum Container {
  /// Whether a container format can hold a stream as it is: by libavformat's tables, and by writing a header with it.
  static func canHold(_ stream: StreamInfo, format: UnsafePointer<AVOutputFormat>) -> Bool {
    let name = format.name
    if stream.kind == .attachment { return name == "matroska" }
    let codec = stream.parameters.av.pointee.codec_id
    if stream.attachedPicture != nil {
      // libav does not list the codecs of images for an .m4v, whose form is that of an .mp4.
      let form = name == "ipod" ? av_guess_format("mp4", nil, nil) ?? format : format
      return holdsCoverImages(name) && holds(codec, format: form)
    }
    if !holds(codec, format: format) { return false }
    return transports(codec, format: name)
      ?? (formatsOfProduction.contains(name) || writesHeader(of: stream, format: format))
  }

  /// Whether a format is the bytes of one video stream's packets, without a container around them.
  static func isElementary(_ format: UnsafePointer<AVOutputFormat>) -> Bool {
    let format = format.pointee
    return format.flags & AVFMT_NOTIMESTAMPS != 0 && format.audio_codec == AV_CODEC_ID_NONE
      && format.video_codec != AV_CODEC_ID_NONE
  }

  /// Whether libavformat accepts a stream besides an output's streams in one header: some formats hold one video
  /// or one audio stream only.
  static func canHold(_ stream: StreamInfo, besideStreamsOf output: UnsafePointer<AVFormatContext>) -> Bool {
    guard let format = output.pointee.oformat, !isElementary(format) else { return false }
    func accepts(_ added: StreamInfo?) -> Bool {
      acceptsHeader(format) { (context) throws(VStreamError) in
        try addStreams(of: output, to: context)
        if let added { try addCopy(of: added, to: context) }
      }
    }
    // Where the header is refused without it, the stream is not the reason.
    return accepts(stream) || !accepts(nil)
  }

  /// Whether libavformat accepts an output's first stream, the video, in the header of a format.
  static func acceptsVideo(
    of output: UnsafePointer<AVFormatContext>, in format: UnsafePointer<AVOutputFormat>
  ) -> Bool {
    acceptsHeader(format) { (context) throws(VStreamError) in try addStreams(of: output, to: context, limit: 1) }
  }

  /// The extension of a container that can hold the output's video; `nil` for none.
  static func alternative(forVideoOf output: UnsafePointer<AVFormatContext>) -> String? {
    alternatives.first { name, _ in
      av_guess_format(name, nil, nil).map { acceptsVideo(of: output, in: $0) } ?? false
    }?.1
  }

  private static func addStreams(
    of output: UnsafePointer<AVFormatContext>, to context: UnsafeMutablePointer<AVFormatContext>, limit: Int = .max
  ) throws(VStreamError) {
    for index in 0..<min(limit, Int(output.pointee.nb_streams)) {
      guard let stream = output.pointee.streams[index] else { continue }
      guard let copy = avformat_new_stream(context, nil) else { throw outOfMemory("stream") }
      try requireLibAV(.library, "stream parameters") {
        avcodec_parameters_copy(copy.pointee.codecpar, stream.pointee.codecpar)
      }
      copy.pointee.time_base = stream.pointee.time_base
      copy.pointee.avg_frame_rate = stream.pointee.avg_frame_rate
    }
  }

  /// Whether a container format can hold a codec: by libavformat's tables, and by ours for formats that accept any codec.
  static func holds(_ codec: AVCodecID, format: UnsafePointer<AVOutputFormat>) -> Bool {
    guard avformat_query_codec(format, codec, FF_COMPLIANCE_EXPERIMENTAL) != 0 else { return false }
    return transports(codec, format: format.name) ?? true
  }

  /// Whether a format can carry a codec, for formats that libav does not check; `nil` for others.
  private static func transports(_ codec: AVCodecID, format: String) -> Bool? {
    let name = String(cString: avcodec_get_name(codec))
    // libav writes it with a number that no other program knows.
    if format == "flv", name == "mpeg4" { return false }
    // libav writes these without what their decoders need.
    if ["avi", "asf", "asf_stream"].contains(format), name == "flac" { return false }
    if format == "nut", name.hasPrefix("wma") { return false }
    // libav writes other codecs into MPEG transport streams as private data, which no player can read.
    if ["mpegts", "hls", "rtp_mpegts"].contains(format) { return transportStreamCodecs.contains(name) }
    // libav writes any codec with the nearest kind's number, and players misread it.
    if ["mpeg", "vcd", "vob", "svcd", "dvd"].contains(format) { return programStreamCodecs.contains(name) }
    if format.hasPrefix("mxf") { return materialCodecs.contains(name) }
    // RTP defines a payload format for each codec.
    if ["rtsp", "rtp", "sap"].contains(format) { return rtpCodecs.contains(name) }
    return nil
  }

  private static let rtpCodecs: Set = [
    "h261", "h263", "h263p", "h264", "hevc", "mpeg1video", "mpeg2video", "mpeg4", "mjpeg", "vp8", "vp9", "theora",
    "aac", "mp2", "mp3", "pcm_alaw", "pcm_mulaw", "pcm_s8", "pcm_s16be", "pcm_u8", "pcm_s24be", "amr_nb", "amr_wb",
    "vorbis", "opus", "speex", "ilbc", "adpcm_g722", "adpcm_g726", "adpcm_g726le", "mpegts",
  ]

  private static let programStreamCodecs: Set = [
    "mpeg1video", "mpeg2video", "mpeg4", "h264", "mp1", "mp2", "mp3", "ac3", "dts", "pcm_s16be", "pcm_dvd",
    "dvd_subtitle",
  ]

  /// libav's codecs for MXF, the Material Exchange Format.
  private static let materialCodecs: Set = [
    "mpeg2video", "dvvideo", "dnxhd", "jpeg2000", "h264", "prores", "ffv1", "pcm_s16le", "pcm_s24le",
  ]

  private static let transportStreamCodecs: Set = [
    "mp2", "mp3", "mp1", "aac", "aac_latm", "ac3", "eac3", "dts", "truehd", "opus", "s302m", "h264", "hevc",
    "mpeg1video", "mpeg2video", "mpeg4", "dvb_subtitle", "dvb_teletext", "hdmv_pgs_subtitle", "klv", "scte_35",
    "timed_id3",
  ]

  /// Formats of studios: libavformat writes their header only with a video stream (`canHold(_:besideStreamsOf:)`), and
  /// their audio has 48,000 samples per second.
  static let formatsOfProduction: Set = ["mxf", "mxf_d10", "mxf_opatom", "gxf"]

  private static func holdsCoverImages(_ format: String) -> Bool {
    format == "matroska" || writesCoverImagesAtEnd(format)
  }

  /// Whether cover images can only be written to the finished file, not to one in fragments.
  static func writesCoverImagesAtEnd(_ format: String) -> Bool { ["mp4", "ipod"].contains(format) }

  /// Containers to suggest when another cannot hold a stream, in order of preference.
  private static let alternatives = [("matroska", ".mkv"), ("mp4", ".mp4"), ("mov", ".mov"), ("nut", ".nut")]

  /// The extension of a container that can hold the stream; `nil` for none.
  static func alternative(for stream: StreamInfo) -> String? {
    alternatives.first { name, _ in
      av_guess_format(name, nil, nil).map { canHold(stream, format: $0) } ?? false
    }?.1
  }

  /// Whether libavformat accepts the stream in the header of a file, which is written to memory.
  private static func writesHeader(of stream: StreamInfo, format: UnsafePointer<AVOutputFormat>) -> Bool {
    acceptsHeader(format) { (context) throws(VStreamError) in try addCopy(of: stream, to: context) }
  }

  /// Whether libavformat accepts the streams that are added, in the header of a file that is written to memory. Formats
  /// that write no single file accept all.
  private static func acceptsHeader(
    _ format: UnsafePointer<AVOutputFormat>,
    adding streams: (UnsafeMutablePointer<AVFormatContext>) throws(VStreamError) -> Void
  ) -> Bool {
    guard format.pointee.flags & AVFMT_NOFILE == 0 else { return true }
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    let allocation = LibAVCode(avformat_alloc_output_context2(&allocated, format, nil, nil))
    guard !allocation.isFailure, let context = allocated else { return false }
    defer { avformat_free_context(context) }
    guard (try? streams(context)) != nil,
      !LibAVCode(avio_open_dyn_buf(&context.pointee.pb)).isFailure
    else { return false }
    context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    let isAccepted = !LibAVCode(avformat_write_header(context, nil)).isFailure
    if isAccepted { av_write_trailer(context) }
    var buffer: UnsafeMutablePointer<UInt8>?
    avio_close_dyn_buf(context.pointee.pb, &buffer)
    av_free(buffer)
    context.pointee.pb = nil
    return isAccepted
  }

  /// Checks that a container can hold an input's video as it is.
  ///
  /// - Throws: `VStreamError.usage` if it cannot, or if it cannot store the video's orientation.
  static func requireHoldsCopy(
    of video: StreamInfo, format: UnsafePointer<AVOutputFormat>
  ) throws(VStreamError) {
    let name = format.name
    guard canHold(video, format: format) else {
      let remedy: Message = alternative(for: video).map { "write an \($0)" } ?? "re-encode it"
      throw VStreamError(.usage, "\(name) cannot hold the video as it is (\(video.codecName))", remedy: remedy)
    }
    guard video.orientation == .upright || formatsWithOrientation.contains(name) else {
      throw VStreamError(
        .usage,
        "\(name) cannot store that the video is rotated by \(video.orientation.degrees)°, and it is copied as it is",
        remedy: "write an .mp4 or .mov")
    }
  }

  private static let formatsWithOrientation: Set = ["mp4", "mov", "ipod", "3gp", "3g2", "ismv", "f4v"]
}
