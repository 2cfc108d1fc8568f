internal import CVStreamLibAV
package import VStreamCore

/// The video codecs that an output can hold.
extension OutputDestination {
  /// FFmpeg's name of the default encoder: libx264 where the container can hold H.264.
  package var defaultEncoder: String {
    guard let container = av_guess_format(format, nil, nil) else { return Self.usualEncoder }
    // libav names the encoder of animated WebP first.
    if style == .images, location.lowercased().hasSuffix(".webp") { return "libwebp" }
    let takesH264 = avformat_query_codec(container, AV_CODEC_ID_H264, FF_COMPLIANCE_EXPERIMENTAL) != 0
    if takesH264, onlyCodecs == nil, !holdsImages { return Self.usualEncoder }
    let usual = av_guess_codec(container, nil, location, nil, AVMEDIA_TYPE_VIDEO)
    return avcodec_find_encoder(usual).map { String(cString: $0.pointee.name) } ?? Self.usualEncoder
  }

  private static let usualEncoder = "libx264"

  private var holdsImages: Bool { style == .images || format == "image2pipe" }

  /// - Throws: `VStreamError.usage`, with suitable encoders, if the output cannot hold an encoder's codec.
  package func requireHolds(_ codec: VideoCodec) throws(VStreamError) {
    let codecID = codec.av.pointer.pointee.id
    if let only = onlyCodecs {
      // Animated WebP is not a still image.
      let fits = only.contains(codecID) && !(style == .images && codec.name == "libwebp_anim")
      guard !fits else { return }
      let name = style == .images ? "'\(ShownLocation.text(location))'" : format
      let encoders = only.flatMap(Self.encoders).filter { style != .images || $0 != "libwebp_anim" }
      let remedy: Message =
        encoders.isEmpty
        ? "no encoder of this FFmpeg makes it; write an .mkv file"
        : "omit \(.codec), or use \(encoders.joined(separator: ", "))"
      throw VStreamError(
        .usage,
        "\(name) holds \(only.map(Self.name).joined(separator: " or ")), and \(.codec, codec.name) makes \(Self.name(of: codecID))",
        setting: .codec, value: codec.name, remedy: remedy)
    }
    guard let container = av_guess_format(format, nil, nil), !Container.holds(codecID, format: container) else {
      return
    }
    throw VStreamError(
      .usage, "\(format) cannot hold \(Self.name(of: codecID)) (\(.codec))", setting: .codec, value: codec.name,
      remedy: "use another encoder (\(defaultEncoder))\(isLive ? "" : ", or an .mkv output")")
  }

  /// The codecs that the output can hold, for containers with few of them where libav accepts others as well, or rejects
  /// them without a reason; `nil` for containers that libav checks.
  private var onlyCodecs: [AVCodecID]? {
    guard let container = av_guess_format(format, nil, nil) else { return nil }
    let usual = av_guess_codec(container, nil, location, nil, AVMEDIA_TYPE_VIDEO)
    if holdsImages {
      if location.lowercased().hasSuffix(".webp") { return [AV_CODEC_ID_WEBP] }
      // FFmpeg guesses Motion JPEG for unknown names too.
      let isGuessed = usual == AV_CODEC_ID_MJPEG && av_guess_format(nil, location, nil) == nil
      return isGuessed ? nil : [usual]
    }
    if let others = Self.formatsOfFewCodecs[format] { return [usual] + others }
    return Container.isElementary(container) ? [usual] : nil
  }

  /// Formats of one codec, with the other codecs that they hold.
  private static let formatsOfFewCodecs: [String: [AVCodecID]] = [
    "gif": [], "apng": [], "webp": [], "yuv4mpegpipe": [AV_CODEC_ID_RAWVIDEO],
    "ogg": [AV_CODEC_ID_VP8], "ogv": [AV_CODEC_ID_VP8],
    "ivf": [AV_CODEC_ID_VP9, AV_CODEC_ID_AV1],
  ]

  /// Whether the output says that frames use all sample values, for frames of an encoder: in the codec, or in the container.
  ///
  /// Where it does not, players expect the limited range.
  package func storesFullRange(of codec: VideoCodec) -> Bool {
    let id = codec.av.pointer.pointee.id
    if Self.codecsOfLimitedRange.contains(id) { return false }
    return ["matroska", "webm", "yuv4mpegpipe"].contains(format) || codec.pixelFormats.isEmpty
      || Self.codecsWithRange.contains(id)
  }

  /// Codecs whose decoders take any video for limited range.
  private static let codecsOfLimitedRange: [AVCodecID] = [
    AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_PRORES,
  ]

  private static let codecsWithRange: [AVCodecID] = [
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9, AV_CODEC_ID_MJPEG, AV_CODEC_ID_LJPEG,
  ]

  private static func name(of codec: AVCodecID) -> String { String(cString: avcodec_get_name(codec)) }

  /// FFmpeg's names of the software encoders of a codec.
  private static func encoders(of codec: AVCodecID) -> [String] {
    var names: [String] = []
    var iterator: UnsafeMutableRawPointer?
    while let found = av_codec_iterate(&iterator) {
      let isHardware = found.pointee.capabilities & (AV_CODEC_CAP_HARDWARE | AV_CODEC_CAP_HYBRID) != 0
      if av_codec_is_encoder(found) != 0, found.pointee.id == codec, !isHardware {
        names.append(String(cString: found.pointee.name))
      }
    }
    return names
  }

  /// - Throws: `VStreamError.usage` for a format of audio or text only.
  static func requireVideo(_ format: UnsafePointer<AVOutputFormat>, location: String) throws(VStreamError) {
    let name = format.name
    if name == "tee" {
      throw .severalOutputs("\(.outputFormat, name) is for several", setting: .outputFormat, value: name)
    }
    let hasNoVideo = format.pointee.video_codec == AV_CODEC_ID_NONE && !formatsOfAnything.contains(name)
    // The only video in these is a cover image.
    guard hasNoVideo || ["mp3", "flac", "aiff"].contains(name) else { return }
    throw VStreamError(
      .usage, "\(name) ('\(ShownLocation.text(location))') holds no video", remedy: "end the name in .mp4, .mkv or .mov"
    )
  }

  /// Formats that contain other formats, and so have no default codec.
  private static let formatsOfAnything: Set = [
    "segment", "stream_segment,ssegment", "fifo", "data", "webm_chunk",
  ]
}

extension OutputDestination {
  /// The storage format of packets: the output's own, or that of an HLS, DASH or segmented output's segments.
  ///
  /// - Parameter container: the output's own.
  func packetFormat(_ container: UnsafePointer<AVOutputFormat>) -> UnsafePointer<AVOutputFormat> {
    let name =
      switch format {
      case "hls": option("hls_segment_type") == "fmp4" ? "mp4" : "mpegts"
      case "dash": option("dash_segment_type") == "webm" ? "webm" : "mp4"
      case "segment", "stream_segment,ssegment": option("segment_format")
      default: format
      }
    let found = av_guess_format(name, name == nil ? location : nil, nil)
    return found.map { UnsafePointer($0) } ?? container
  }

  private func option(_ key: String) -> String? { options.last { $0.key == key }?.value }
}
