internal import CVStreamLibAV
public import VStreamScene

/// Which video an output can hold.
extension OutputDestination {
  /// FFmpeg's name of the encoder that is used if none is asked for: libx264 where the container can hold H.264.
  public var defaultEncoder: String {
    guard let container = av_guess_format(format, nil, nil) else { return Self.usualEncoder }
    // Not the encoder of moving WebP, which libav names first.
    if style == .images, location.lowercased().hasSuffix(".webp") { return "libwebp" }
    let takesH264 = avformat_query_codec(container, AV_CODEC_ID_H264, FF_COMPLIANCE_EXPERIMENTAL) != 0
    if takesH264, onlyCodecs == nil, !holdsImages { return Self.usualEncoder }
    let usual = av_guess_codec(container, nil, location, nil, AVMEDIA_TYPE_VIDEO)
    return avcodec_find_encoder(usual).map { String(cString: $0.pointee.name) } ?? Self.usualEncoder
  }

  private static let usualEncoder = "libx264"

  private var holdsImages: Bool { style == .images || format == "image2pipe" }

  /// - Throws: `VStreamError.usage`, naming encoders that fit, if the output cannot hold what an encoder makes.
  public func requireHolds(_ codec: VideoCodec) throws(VStreamError) {
    let coding = codec.av.pointer.pointee.id
    if let only = onlyCodecs {
      // Moving WebP is no picture.
      let fits = only.contains(coding) && !(style == .images && codec.name == "libwebp_anim")
      guard !fits else { return }
      let place = style == .images ? "'\(location)'" : format
      let encoders = only.flatMap(Self.encoders).filter { style != .images || $0 != "libwebp_anim" }
      throw VStreamError(
        .usage,
        "\(place) holds \(only.map(Self.name).joined(separator: " or ")), and --codec \(codec.name) makes "
          + "\(Self.name(of: coding))",
        remedy: "leave --codec out, or use \(encoders.joined(separator: ", "))")
    }
    guard let container = av_guess_format(format, nil, nil), !Container.holds(coding, format: container) else { return }
    throw VStreamError(
      .usage, "\(format) cannot hold \(Self.name(of: coding)) (--codec)",
      remedy: "use another encoder (\(defaultEncoder))" + (isLive ? "" : ", or an .mkv output"))
  }

  /// The codings that the output can hold, where they are few and libav would take others as well, or refuse them without
  /// saying why; `nil` for containers that tell by themselves.
  private var onlyCodecs: [AVCodecID]? {
    guard let container = av_guess_format(format, nil, nil) else { return nil }
    let usual = av_guess_codec(container, nil, location, nil, AVMEDIA_TYPE_VIDEO)
    if holdsImages {
      if location.lowercased().hasSuffix(".webp") { return [AV_CODEC_ID_WEBP] }
      // What FFmpeg says as well of names that it does not know.
      let isGuessed = usual == AV_CODEC_ID_MJPEG && av_guess_format(nil, location, nil) == nil
      return isGuessed ? nil : [usual]
    }
    return Self.formatsOfFewCodecs[format].map { [usual] + $0 }
  }

  /// Formats of one coding, with what they hold besides.
  private static let formatsOfFewCodecs: [String: [AVCodecID]] = [
    "gif": [], "apng": [], "webp": [], "yuv4mpegpipe": [AV_CODEC_ID_RAWVIDEO], "mjpeg": [], "mpjpeg": [],
    "mpeg1video": [], "mpeg2video": [], "h261": [], "h263": [], "h264": [], "hevc": [], "m4v": [], "obu": [],
    "ogg": [AV_CODEC_ID_VP8], "ogv": [AV_CODEC_ID_VP8],
    "ivf": [AV_CODEC_ID_VP9, AV_CODEC_ID_AV1],
  ]

  private static func name(of codec: AVCodecID) -> String { String(cString: avcodec_get_name(codec)) }

  /// FFmpeg's names of the encoders that make a coding on the processor.
  private static func encoders(of codec: AVCodecID) -> [String] {
    var names: [String] = []
    var place: UnsafeMutableRawPointer?
    while let found = av_codec_iterate(&place) {
      let isHardware = found.pointee.capabilities & (AV_CODEC_CAP_HARDWARE | AV_CODEC_CAP_HYBRID) != 0
      if av_codec_is_encoder(found) != 0, found.pointee.id == codec, !isHardware {
        names.append(String(cString: found.pointee.name))
      }
    }
    return names
  }

  /// - Throws: `VStreamError.usage` for a format of sound or text.
  static func requireVideo(_ format: UnsafePointer<AVOutputFormat>, location: String) throws(VStreamError) {
    let name = String(cString: format.pointee.name)
    let hasNoVideo = format.pointee.video_codec == AV_CODEC_ID_NONE && !formatsOfAnything.contains(name)
    // These hold a picture of the whole.
    guard hasNoVideo || ["mp3", "flac", "aiff"].contains(name) else { return }
    throw VStreamError(
      .usage, "\(name) ('\(location)') holds no video", remedy: "end the name in .mp4, .mkv or .mov")
  }

  /// Formats that pass on what others make, and so name no coding of their own.
  private static let formatsOfAnything: Set = [
    "segment", "stream_segment,ssegment", "tee", "fifo", "data", "webm_chunk",
  ]
}
