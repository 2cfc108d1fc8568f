internal import CVStreamLibAV
public import VStreamScene

/// How video is to be coded.
public struct EncoderSettings: Sendable {
  /// FFmpeg's name of an encoder, for example `libx264`.
  public var codec: String
  /// The encoder's own preset; `nil` for `veryfast` where the encoder has such a preset.
  public var preset: String?
  /// Constant rate factor, lower is better; `nil` for 20 where the encoder has one and no bit rate is given.
  public var crf: Double?
  /// Bits per second instead of a constant quality.
  public var bitRate: Int?
  /// Pixel format to code in; `nil` for the input's, or the nearest that the encoder takes.
  public var pixelFormat: PixelFormat?
  /// Threads that the encoder may use; 0 leaves it the choice.
  public var threads: Int
  /// Whether a frame's packet is to come out as soon as the frame is in, and a viewer who comes later has a picture after
  /// two seconds. Costs some size: no frame is made of later ones, and none is looked at ahead.
  public var isLowDelay: Bool

  public init(
    codec: String = "libx264", preset: String? = nil, crf: Double? = nil, bitRate: Int? = nil,
    pixelFormat: PixelFormat? = nil, threads: Int = 0, isLowDelay: Bool = false
  ) {
    self.codec = codec
    self.preset = preset
    self.crf = crf
    self.bitRate = bitRate
    self.pixelFormat = pixelFormat
    self.threads = threads
    self.isLowDelay = isLowDelay
  }
}

/// A video encoder that FFmpeg has.
public struct VideoCodec: Sendable {
  let av: UnsafePointerBox<AVCodec>
  public let name: String

  /// - Throws: `VStreamError.usage` if there is no video encoder of that name.
  public init(encoder name: String) throws(VStreamError) {
    guard let found = avcodec_find_encoder_by_name(name), found.pointee.type == AVMEDIA_TYPE_VIDEO else {
      throw VStreamError(
        .usage, "'\(name)' is not a video encoder that this FFmpeg has (--codec)",
        remedy: "'ffmpeg -encoders' lists them; libx264 is the default")
    }
    self.init(found)
  }

  init(_ codec: UnsafePointer<AVCodec>) {
    av = UnsafePointerBox(codec)
    name = String(cString: codec.pointee.name)
  }

  /// The pixel formats that the encoder takes; empty if it does not say.
  public var pixelFormats: [PixelFormat] {
    guard var next = av.pointer.pointee.pix_fmts else { return [] }
    var formats: [PixelFormat] = []
    while next.pointee != AV_PIX_FMT_NONE {
      formats.append(PixelFormat(next.pointee))
      next += 1
    }
    return formats
  }

  /// - Throws: `VStreamError.usage` for a preset or quality that the encoder does not have, with those that it has.
  public func check(_ settings: EncoderSettings) throws(VStreamError) { _ = try profile.options(settings) }

  var profile: EncoderProfile {
    EncoderProfile(name) { option in
      var options = av.pointer.pointee.priv_class
      return options != nil && av_opt_find(&options, option, nil, 0, AV_OPT_SEARCH_FAKE_OBJ) != nil
    }
  }

  /// The time base that the encoder is given for frames of another: the frames' own where the codec can express it.
  func codingBase(for base: Rational, frameRate: Rational?, isConstant: Bool) -> Rational {
    let perFrame = frameRate.flatMap { $0.numerator > 0 ? Rational($0.denominator, $0.numerator) : nil }
    if isConstant || name.hasPrefix("mpeg1") || name.hasPrefix("mpeg2") { return perFrame ?? base }
    // MPEG-4 part 2 counts in 16 bits.
    let isCoarse = ["mpeg4", "msmpeg4", "msmpeg4v2", "libxvid", "h263", "h263p", "flv", "wmv1", "wmv2"].contains(name)
    guard isCoarse, base.denominator > 65_535 else { return base }
    guard let rate = frameRate?.numerator, rate > 0, rate <= 65_535 else { return Rational(1, 50_000) ?? base }
    return Rational(1, rate) ?? base
  }

  /// The size that a frame is coded in: even where the encoder takes no odd ones.
  func codedSize(of frame: VideoFrame) -> PixelSize {
    let needsEven =
      ["libx264", "libx265", "libsvtav1", "libopenh264"].contains(name)
      || ["h264_", "hevc_", "av1_", "vp8_", "vp9_"].contains(where: name.hasPrefix)
    guard needsEven, let layout = frame.format.layout else { return frame.size }
    // AV1 by SVT is of even sizes whatever the chroma; the others are of whole chroma samples.
    let (gridX, gridY) = name == "libsvtav1" ? (2, 2) : (1 << layout.chromaShiftX, 1 << layout.chromaShiftY)
    return PixelSize(
      width: (frame.size.width + gridX - 1) / gridX * gridX, height: (frame.size.height + gridY - 1) / gridY * gridY)
  }

  /// The format to code a source in: the wanted one, the source's own, or the one that loses least.
  ///
  /// - Throws: `VStreamError.usage` if `wanted` is not among those that the encoder takes.
  ///
  /// - Parameter needsPixels: whether frames will be looked at or drawn on, which needs a format with a layout.
  public func target(
    for frame: VideoFrame, wanted: PixelFormat?, needsPixels: Bool = true
  ) throws(VStreamError) -> FrameTarget {
    let format = try format(for: frame.format, wanted: wanted, needsPixels: needsPixels)
    // Names with a j say full range; who asks for one without from one with wants it limited, as players expect it.
    let dropsRange = wanted != nil && frame.format.description.hasPrefix("yuvj")
    // Motion JPEG is of full range by its standard, which FFmpeg wants said.
    if name == "mjpeg", let full = PixelFormat(name: format.description.replacingPrefix("yuv4", with: "yuvj4")) {
      return FrameTarget(format: full, range: .full)
    }
    return FrameTarget(format: format, range: dropsRange ? .limited : .unchanged)
  }

  private func format(
    for source: PixelFormat, wanted: PixelFormat?, needsPixels: Bool
  ) throws(VStreamError) -> PixelFormat {
    let accepted = pixelFormats
    if let wanted {
      guard accepted.isEmpty || accepted.contains(wanted) else {
        throw VStreamError(
          .usage, "\(name) cannot code '\(wanted)' (--pixel-format)",
          remedy: "it takes \(accepted.map(\.description).joined(separator: ", "))")
      }
      return wanted
    }
    if accepted.isEmpty || accepted.contains(source), !needsPixels || source.layout != nil { return source }
    // Frames are looked at and drawn on; of formats where that cannot be, one is converted to when coding.
    let usable = accepted.filter { $0.layout != nil }
    guard !usable.isEmpty else { return source.addressable }
    let nearest = Self.nearest(to: source, among: usable)
    // An encoder of palettes (GIF) may take gray beside them, which is not what is meant.
    let losesColour = nearest.layout?.model == .gray && source.addressable.layout?.model != .gray
    return losesColour ? source.addressable : nearest
  }

  /// The format that frames of another are coded in, where the encoder takes none that can be drawn on.
  ///
  /// - Throws: `VStreamError.usage` if the encoder takes frames in a graphics card's memory only.
  func codingFormat(of frame: VideoFrame) throws(VStreamError) -> PixelFormat {
    let accepted = pixelFormats
    if accepted.isEmpty || accepted.contains(frame.format) { return frame.format }
    let isHardware = accepted.allSatisfy { format in
      av_pix_fmt_desc_get(format.av).map { $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) != 0 } ?? false
    }
    if isHardware {
      throw VStreamError(
        .usage, "\(name) takes frames in the memory of a graphics card only (--codec)",
        remedy: "use an encoder that takes them from the processor, for example libx264")
    }
    return Self.nearest(to: frame.format, among: accepted)
  }

  private static func nearest(to source: PixelFormat, among formats: [PixelFormat]) -> PixelFormat {
    let hasAlpha: Int32 = source.layout?.alpha != nil ? 1 : 0
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

/// A pointer to libav's static data, which never changes and lives as long as the process.
struct UnsafePointerBox<Pointee>: @unchecked Sendable {
  let pointer: UnsafePointer<Pointee>
  init(_ pointer: UnsafePointer<Pointee>) { self.pointer = pointer }
}

/// Turns frames into packets.
///
/// One owner at a time. The encoder may use threads of its own inside.
public final class VideoEncoder {
  let context: UnsafeMutablePointer<AVCodecContext>
  /// Seconds per tick of the packets' times.
  public let timeBase: Rational
  /// Seconds per tick that the container is to count in: a frame's time where it counts frames.
  let containerBase: Rational
  /// The size that is coded: the frames', or the next larger one that the encoder can take.
  public let codedSize: PixelSize
  /// The frame that is handed to libav; kept so that none is allocated per frame.
  private let handed: UnsafeMutablePointer<AVFrame>
  /// Seconds per tick of the times that the encoder is given, which it may want coarser than the frames'.
  private let codingBase: Rational
  /// The frames that are in the encoder, by the time that it was given: encoders carry neither the exact time nor the
  /// duration through.
  private var pending: [Int64: (ticks: Int64, duration: Int64)] = [:]
  private var lastCodedTicks: Int64?
  /// To the format that the encoder takes.
  private let converter: FrameConverter
  /// Whether a frame's packet comes out at once.
  let isLowDelay: Bool

  /// Opens an encoder for frames like `first`.
  ///
  /// - Parameters:
  ///   - frameRate: frames per second for the rate control; `nil` if unknown.
  ///   - rules: what the container wants of it.
  /// - Throws: `VStreamError.usage` for settings that the encoder refuses. The C function is `avcodec_open2`.
  public init(
    _ codec: VideoCodec, settings: EncoderSettings, first: VideoFrame, frameRate: Rational?, rules: ContainerRules
  ) throws(VStreamError) {
    let codingFormat = try codec.codingFormat(of: first)
    guard let allocated = avcodec_alloc_context3(codec.av.pointer), let frame = av_frame_alloc() else {
      throw outOfMemory("encoder")
    }
    context = allocated
    handed = frame
    isLowDelay = settings.isLowDelay
    timeBase = first.time.base
    codingBase = codec.codingBase(for: timeBase, frameRate: frameRate, isConstant: rules.isConstantRate)
    containerBase = rules.isConstantRate ? codingBase : timeBase
    codedSize = codec.codedSize(of: first)
    converter = FrameConverter(size: first.size, format: codingFormat)
    Self.describe(first, format: converter.format, size: codedSize, frameRate: frameRate, in: allocated)
    allocated.pointee.time_base = codingBase.av
    // These containers do not say in which order frames are shown.
    if rules.keepsOrder || rules.isConstantRate { allocated.pointee.max_b_frames = 0 }
    if rules.hasGlobalHeader { allocated.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    allocated.pointee.thread_count = Int32(clamping: settings.threads)
    if settings.isLowDelay { Self.hurry(allocated) }
    if settings.isLowDelay || rules.isCutInPieces {
      // A key frame every two seconds.
      let rate = frameRate?.value ?? 0
      allocated.pointee.gop_size = Int32(clamping: Int(clamping: (2 * (rate > 0 ? rate : 25)).rounded()))
    }
    if let bitRate = settings.bitRate { allocated.pointee.bit_rate = Int64(bitRate) }

    let (options, quantiser) = try codec.profile.options(settings)
    if let quantiser {
      allocated.pointee.flags |= AV_CODEC_FLAG_QSCALE
      allocated.pointee.global_quality = Int32(quantiser * Double(FF_QP2LAMBDA))
    }
    let shown = options.map { " \($0.key)=\($0.value)" }.joined()
    _ = try withDictionary(options) { dictionary throws(VStreamError) in
      try requireLibAV(
        .usage, "\(codec.name) cannot code \(first.size) \(first.format)\(shown)",
        remedy: Self.remedy(codec, size: codedSize)
      ) { avcodec_open2(allocated, codec.av.pointer, dictionary) }
    }
  }

  /// Has a packet come out for each frame at once.
  private static func hurry(_ context: UnsafeMutablePointer<AVCodecContext>) {
    context.pointee.max_b_frames = 0
    context.pointee.thread_type = FF_THREAD_SLICE
    // No other of libav's own encoders takes it, or needs it.
    if context.pointee.codec_id == AV_CODEC_ID_MPEG2VIDEO { context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY }
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
    var frame: UnsafeMutablePointer<AVFrame>? = handed
    av_frame_free(&frame)
  }

  private static func remedy(_ codec: VideoCodec, size: PixelSize) -> Message {
    let isBelowSVT = codec.name == "libsvtav1" && min(size.width, size.height) < 64
    return (isBelowSVT ? "it takes 64×64 and larger; libaom-av1 makes AV1 of any size, and " : "")
      + "ffv1 takes any size and format (--codec ffv1, an .mkv output)"
  }

  private static func describe(
    _ first: VideoFrame, format: PixelFormat, size: PixelSize, frameRate: Rational?,
    in context: UnsafeMutablePointer<AVCodecContext>
  ) {
    let source = first.av.pointee
    context.pointee.width = Int32(size.width)
    context.pointee.height = Int32(size.height)
    context.pointee.pix_fmt = format.av
    if let frameRate { context.pointee.framerate = frameRate.av }
    context.pointee.sample_aspect_ratio = source.sample_aspect_ratio
    context.pointee.color_range = source.color_range
    context.pointee.color_primaries = source.color_primaries
    context.pointee.color_trc = source.color_trc
    context.pointee.colorspace = source.colorspace
    context.pointee.chroma_sample_location = source.chroma_location
  }

  /// Feeds one frame and takes the packets that are ready.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  public func encode(_ frame: VideoFrame) throws(VStreamError) -> [Packet] {
    let converted = try converter.convert(frame)
    let frame = frame.size == codedSize ? converted : try converted.padded(to: codedSize)
    try requireLibAV(.library, "the encoder") { av_frame_ref(handed, frame.av) }
    defer { av_frame_unref(handed) }
    // The source's picture types are not to be forced on this encoder.
    handed.pointee.pict_type = AV_PICTURE_TYPE_NONE
    handed.pointee.key_frame = 0
    handed.pointee.quality = 0
    let ticks = max(frame.time.rescaled(to: codingBase).ticks, lastCodedTicks.map { $0.limitedSum(1) } ?? Int64.min)
    lastCodedTicks = ticks
    handed.pointee.pts = ticks
    pending[ticks] = (frame.time.ticks, frame.durationTicks)
    try requireLibAV(.library, "the encoder refused a frame") { avcodec_send_frame(context, handed) }
    return try drain()
  }

  /// Takes the packets that the encoder has kept back.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  public func finish() throws(VStreamError) -> [Packet] {
    _ = try libav(.library, "the encoder") { avcodec_send_frame(context, nil) }
    return try drain()
  }

  private func drain() throws(VStreamError) -> [Packet] {
    var packets: [Packet] = []
    while true {
      guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
      let owner = Packet(takingOwnershipOf: packet, timeBase: timeBase)
      guard case .value = try libav(.library, "the encoder failed", { avcodec_receive_packet(context, packet) }) else {
        return packets
      }
      restoreTimes(packet)
      packets.append(owner)
    }
  }

  /// Gives a packet the exact time and duration of its frame.
  private func restoreTimes(_ packet: UnsafeMutablePointer<AVPacket>) {
    guard let frame = pending.removeValue(forKey: packet.pointee.pts) else { return }
    if codingBase != timeBase {
      let dts = av_rescale_q(packet.pointee.dts, codingBase.av, timeBase.av)
      packet.pointee.dts = packet.pointee.dts == packet.pointee.pts ? frame.ticks : min(dts, frame.ticks)
    }
    packet.pointee.pts = frame.ticks
    packet.pointee.duration = max(0, frame.duration)
  }
}
