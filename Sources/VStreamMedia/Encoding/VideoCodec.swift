internal import CVStreamLibAV
package import VStreamCore

/// A video encoder of the FFmpeg build in use.
package struct VideoCodec: Sendable {
  let av: UnsafePointerBox<AVCodec>
  package let name: String

  /// - Parameter name: FFmpeg's name of an encoder (`libx264`), or the name of a codec (`h264`) for its usual encoder.
  /// - Throws: `VStreamError.usage` if there is no video encoder of that name.
  package init(encoder name: String) throws(VStreamError) {
    guard let found = Self.encoder(named: name), found.pointee.type == AVMEDIA_TYPE_VIDEO else {
      throw .unknownValue(
        name, of: .codec, expected: "a video encoder of this FFmpeg",
        remedy: "'ffmpeg -encoders' lists them; libx264 is the default")
    }
    self.init(found)
  }

  private static func encoder(named name: String) -> UnsafePointer<AVCodec>? {
    if let found = avcodec_find_encoder_by_name(name) { return found }
    let plain = name.lowercased().filter { $0 != "." && $0 != "-" }
    if let found = usualEncoders[plain].flatMap({ avcodec_find_encoder_by_name($0) }) { return found }
    return avcodec_descriptor_get_by_name(plain).flatMap { avcodec_find_encoder($0.pointee.id) }
  }

  /// The encoders of codecs that have several, or that people call by other names than FFmpeg.
  private static let usualEncoders = [
    "h264": "libx264", "avc": "libx264", "x264": "libx264", "h265": "libx265", "hevc": "libx265", "x265": "libx265",
    "av1": "libsvtav1", "vp8": "libvpx", "vp9": "libvpx-vp9", "theora": "libtheora", "prores": "prores_ks",
    "mpeg1": "mpeg1video", "mpeg2": "mpeg2video", "jpeg": "mjpeg", "webp": "libwebp",
  ]

  init(_ codec: UnsafePointer<AVCodec>) {
    av = UnsafePointerBox(codec)
    name = String(cString: codec.pointee.name)
  }

  /// The pixel formats that the encoder accepts; empty if it does not list them.
  package var pixelFormats: [PixelFormat] {
    supported(by: av.pointer, CVStreamLibAV_pixelFormats).map(PixelFormat.init)
  }

  /// - Throws: `VStreamError.usage` for a preset, quality or option that the encoder lacks, with the supported ones.
  package func check(_ settings: EncoderSettings) throws(VStreamError) {
    if let bitRate = settings.bitRate, bitRate < 1 {
      throw VStreamError(
        .usage, "\(.bitrate, bitRate): is not a bit rate", setting: .bitrate, value: "\(bitRate)",
        remedy: "give bits per second, for example 2000000")
    }
    if let rate = settings.frameRate, !(0.01...1000).contains(rate.value) {
      throw VStreamError(
        .usage, "\(.fps, rate): is not a frame rate", setting: .fps, value: "\(rate)", remedy: "give 0.01 to 1000")
    }
    _ = try profile.options(settings)
    for (key, _) in settings.options where !hasOption(key) && !Self.has(key, in: avcodec_get_class()) {
      throw .unknownValue(
        key, of: .encoderOption, expected: "an option of \(name)", remedy: "'ffmpeg -h encoder=\(name)' lists them")
    }
  }

  var profile: EncoderProfile { EncoderProfile(name, has: hasOption) }

  /// Whether the encoder has an option of its own of that name.
  private func hasOption(_ option: String) -> Bool { Self.has(option, in: av.pointer.pointee.priv_class) }

  private static func has(_ option: String, in options: UnsafePointer<AVClass>?) -> Bool {
    var options = options
    return options != nil && av_opt_find(&options, option, nil, 0, AV_OPT_SEARCH_FAKE_OBJ) != nil
  }

  /// The time base of the encoder for frames of another time base: the frames' own where the codec can express it.
  ///
  /// - Parameters:
  ///   - frameRate: frames per second; `nil` if unknown.
  ///   - isConstant: whether the container counts frames.
  func encoderTimeBase(for base: Rational, frameRate: Rational?, isConstant: Bool) -> Rational {
    let perFrame = frameRate.flatMap { $0.numerator > 0 ? Rational($0.denominator, $0.numerator) : nil }
    // libtheora limits the bit rate and omits frames as if each tick were a frame.
    let countsFrames = isConstant || name.hasPrefix("mpeg1") || name.hasPrefix("mpeg2") || name == "libtheora"
    if countsFrames { return perFrame ?? base }
    guard Self.encodersWith16BitTime.contains(name), base.denominator > 65_535 else { return base }
    guard let rate = frameRate?.numerator, rate > 0, rate <= 65_535 else { return Rational(1, 50_000) ?? base }
    return Rational(1, rate) ?? base
  }

  /// The frame rate that the encoder accepts: for codecs with a list of rates, the one that this is rounded from, as AVI
  /// files have 2997/125 for 24000/1001.
  func encoderFrameRate(for rate: Rational) -> Rational {
    supported(by: av.pointer, CVStreamLibAV_frameRates).lazy.compactMap { Rational($0) }
      .first { abs($0.value / rate.value - 1) < 1e-4 } ?? rate
  }

  /// MPEG-4 part 2 and its relatives store the time base in 16 bits.
  private static let encodersWith16BitTime: Set = [
    "mpeg4", "msmpeg4", "msmpeg4v2", "libxvid", "h263", "h263p", "flv", "wmv1", "wmv2",
  ]

  /// The encoded size of frames: the next even one where the encoder does not accept odd sizes.
  func encodedSize(of size: PixelSize, _ format: PixelFormat) -> PixelSize {
    let needsEven =
      ["libx264", "libx265", "libsvtav1", "libopenh264"].contains(name)
      || ["h264_", "hevc_", "av1_", "vp8_", "vp9_"].contains(where: name.hasPrefix)
    guard needsEven, let layout = format.layout else { return size }
    // SVT-AV1 needs even sizes whatever the chroma; the others need whole chroma samples.
    let (gridX, gridY) = name == "libsvtav1" ? (2, 2) : (1 << layout.chromaShiftX, 1 << layout.chromaShiftY)
    return PixelSize(
      width: (size.width + gridX - 1) / gridX * gridX, height: (size.height + gridY - 1) / gridY * gridY)
  }
}

/// A pointer to libav's static data.
///
/// Unchecked because pointers are not Sendable; sound because the data never changes and lives as long as the process.
struct UnsafePointerBox<Pointee>: @unchecked Sendable {
  let pointer: UnsafePointer<Pointee>
  init(_ pointer: UnsafePointer<Pointee>) { self.pointer = pointer }
}

extension VideoCodec {
  /// The names of all encoders of video that this FFmpeg has, in alphabetical order. The C function is `av_codec_iterate`.
  package static var encoderNames: [String] {
    var names: [String] = []
    var position: UnsafeMutableRawPointer?
    while let codec = av_codec_iterate(&position) {
      guard codec.pointee.type == AVMEDIA_TYPE_VIDEO, av_codec_is_encoder(codec) != 0 else { continue }
      names.append(String(cString: codec.pointee.name))
    }
    return names.sorted()
  }
}

/// The values of one kind that an encoder supports, as a function of the shim lists them; empty if it accepts any.
func supported<Value>(
  by codec: UnsafePointer<AVCodec>,
  _ list: (UnsafePointer<AVCodec>, UnsafeMutablePointer<Int32>) -> UnsafePointer<Value>?
) -> [Value] {
  var count: Int32 = 0
  let values = list(codec, &count)
  return Array(UnsafeBufferPointer(start: values, count: Int(count)))
}

extension VideoCodec {
  /// The format to which frames of a source are converted right after decoding: the requested format, the source's own, or the
  /// one with the smallest loss.
  ///
  /// Frames are converted twice at most: they are analysed and drawn on in the encoded format. Where the
  /// encoder accepts no format that can be drawn on (palettes, packed bits), `VideoEncoder` converts to
  /// `encoderFormat(of:)` as well.
  ///
  /// - Parameters:
  ///   - wanted: the requested format; `nil` for none.
  ///   - needsPixels: whether frames are analysed or drawn on, which needs a format with a layout.
  /// - Throws: `VStreamError.usage` if the encoder does not accept the requested format, or if it accepts only frames in
  ///   graphics memory.
  package func target(
    for frame: VideoFrame, wanted: PixelFormat?, needsPixels: Bool = true
  ) throws(VStreamError) -> FrameTarget {
    try target(for: frame.format, requested: wanted, needsPixels: needsPixels)
  }

  func target(
    for source: PixelFormat, requested: PixelFormat?, needsPixels: Bool
  ) throws(VStreamError) -> FrameTarget {
    let format = try frameFormat(for: source, requested: requested, needsPixels: needsPixels)
    // The yuvj formats are full range. A request for the same format without the j means limited range, as players expect.
    let dropsRange = requested != nil && source.description.hasPrefix("yuvj")
    // Motion JPEG is full range by its standard, which FFmpeg expects in the format's name.
    if name == "mjpeg", let full = PixelFormat(name: format.description.replacingPrefix("yuv4", with: "yuvj4")) {
      return FrameTarget(format: full, range: .full)
    }
    return FrameTarget(format: format, range: dropsRange ? .limited : .unchanged)
  }

  private func frameFormat(
    for source: PixelFormat, requested: PixelFormat?, needsPixels: Bool
  ) throws(VStreamError) -> PixelFormat {
    let accepted = pixelFormats
    if let requested {
      guard accepted.isEmpty || accepted.contains(requested) else {
        throw .unsupported(
          .pixelFormat, requested.description, by: name, alternatives: accepted.map(\.description))
      }
      return requested
    }
    if accepted.isEmpty || accepted.contains(source), !needsPixels || source.layout != nil { return source }
    let drawable = accepted.filter { $0.layout != nil }
    guard !drawable.isEmpty else { return source.addressable }
    let nearest = Self.nearest(to: source, among: drawable)
    // An encoder of palettes (GIF) may also accept grey, which would drop the colours.
    let losesColour = nearest.layout?.model == .gray && source.addressable.layout?.model != .gray
    return losesColour ? source.addressable : nearest
  }

  /// The encoder's format for frames of a format that it may not accept.
  ///
  /// - Throws: `VStreamError.usage` if the encoder accepts only frames in graphics memory.
  func encoderFormat(of format: PixelFormat) throws(VStreamError) -> PixelFormat {
    let accepted = pixelFormats
    if accepted.isEmpty || accepted.contains(format) { return format }
    let isHardware = accepted.allSatisfy { format in
      av_pix_fmt_desc_get(format.av).map { $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) != 0 } ?? false
    }
    if isHardware {
      throw VStreamError(
        .usage, "\(name) accepts only frames in graphics memory (\(.codec))", setting: .codec, value: name,
        remedy: "use an encoder for frames in main memory, for example libx264")
    }
    return Self.nearest(to: format, among: accepted)
  }

  private static func nearest(to source: PixelFormat, among formats: [PixelFormat]) -> PixelFormat {
    let hasAlpha: Int32 = source.hasAlpha ? 1 : 0
    var loss: Int32 = 0
    return PixelFormat(
      avcodec_find_best_pix_fmt_of_list(formats.map(\.av) + [AV_PIX_FMT_NONE], source.av, hasAlpha, &loss))
  }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}
