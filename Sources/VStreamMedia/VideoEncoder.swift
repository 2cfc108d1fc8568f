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

  public init(
    codec: String = "libx264", preset: String? = nil, crf: Double? = nil, bitRate: Int? = nil,
    pixelFormat: PixelFormat? = nil, threads: Int = 0
  ) {
    self.codec = codec
    self.preset = preset
    self.crf = crf
    self.bitRate = bitRate
    self.pixelFormat = pixelFormat
    self.threads = threads
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
    av = UnsafePointerBox(found)
    self.name = name
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

  /// The format to code a source in: the wanted one, the source's own, or the one that loses least.
  ///
  /// - Throws: `VStreamError.usage` if `wanted` is not among those that the encoder takes.
  public func format(for source: PixelFormat, wanted: PixelFormat?) throws(VStreamError) -> PixelFormat {
    let accepted = pixelFormats
    if let wanted {
      guard accepted.isEmpty || accepted.contains(wanted) else {
        throw VStreamError(
          .usage, "\(name) cannot code '\(wanted)' (--pixel-format)",
          remedy: "it takes \(accepted.map(\.description).joined(separator: ", "))")
      }
      return wanted
    }
    if accepted.isEmpty || accepted.contains(source) { return source }
    let hasAlpha: Int32 = source.layout?.hasAlpha == true ? 1 : 0
    var loss: Int32 = 0
    var list = accepted.map(\.av)
    list.append(AV_PIX_FMT_NONE)
    return PixelFormat(avcodec_find_best_pix_fmt_of_list(list, source.av, hasAlpha, &loss))
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
  /// The frame that is handed to libav; kept so that none is allocated per frame.
  private let handed: UnsafeMutablePointer<AVFrame>
  /// Duration of each frame that is in the encoder, by its time; encoders do not carry it through.
  private var durations: [Int64: Int64] = [:]

  /// Opens an encoder for frames like `first`.
  ///
  /// - Parameters:
  ///   - frameRate: frames per second for the rate control; `nil` if unknown.
  ///   - usesGlobalHeader: whether the container wants the parameter sets apart from the frames.
  /// - Throws: `VStreamError.usage` for settings that the encoder refuses. The C function is `avcodec_open2`.
  public init(
    _ codec: VideoCodec, settings: EncoderSettings, first: VideoFrame, frameRate: Rational?, usesGlobalHeader: Bool
  ) throws(VStreamError) {
    guard let allocated = avcodec_alloc_context3(codec.av.pointer), let frame = av_frame_alloc() else {
      throw outOfMemory("encoder")
    }
    context = allocated
    handed = frame
    timeBase = first.time.base
    Self.describe(first, frameRate: frameRate, in: allocated)
    if usesGlobalHeader { allocated.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    allocated.pointee.thread_count = Int32(clamping: settings.threads)
    if let bitRate = settings.bitRate { allocated.pointee.bit_rate = Int64(bitRate) }

    let options = try Self.options(settings, codec: codec, context: allocated)
    let shown = options.map { " \($0.key)=\($0.value)" }.joined()
    _ = try withDictionary(options) { dictionary throws(VStreamError) in
      try requireLibAV(
        .usage, "\(codec.name) cannot code \(first.size) \(first.format)\(shown)"
      ) { avcodec_open2(allocated, codec.av.pointer, dictionary) }
    }
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
    var frame: UnsafeMutablePointer<AVFrame>? = handed
    av_frame_free(&frame)
  }

  private static func describe(
    _ first: VideoFrame, frameRate: Rational?, in context: UnsafeMutablePointer<AVCodecContext>
  ) {
    let source = first.av.pointee
    context.pointee.width = source.width
    context.pointee.height = source.height
    context.pointee.pix_fmt = first.format.av
    context.pointee.time_base = first.time.base.av
    if let frameRate { context.pointee.framerate = frameRate.av }
    context.pointee.sample_aspect_ratio = source.sample_aspect_ratio
    context.pointee.color_range = source.color_range
    context.pointee.color_primaries = source.color_primaries
    context.pointee.color_trc = source.color_trc
    context.pointee.colorspace = source.colorspace
    context.pointee.chroma_sample_location = source.chroma_location
  }

  /// The encoder's private options for preset and quality.
  ///
  /// - Throws: `VStreamError.usage` for one that was asked for and that the encoder does not have.
  private static func options(
    _ settings: EncoderSettings, codec: VideoCodec, context: UnsafeMutablePointer<AVCodecContext>
  ) throws(VStreamError) -> [(key: String, value: String)] {
    func has(_ option: String) -> Bool {
      context.pointee.priv_data != nil && av_opt_find(context.pointee.priv_data, option, nil, 0, 0) != nil
    }
    var options: [(key: String, value: String)] = []
    if has("preset") {
      options.append(("preset", settings.preset ?? "veryfast"))
    } else if let preset = settings.preset {
      throw VStreamError(.usage, "\(codec.name) has no presets (--preset \(preset))", remedy: "leave --preset out")
    }
    if has("crf") {
      if settings.bitRate == nil { options.append(("crf", trimmed(settings.crf ?? 20))) }
    } else if let crf = settings.crf {
      throw VStreamError(
        .usage, "\(codec.name) has no constant rate factor (--crf \(trimmed(crf)))", remedy: "use --bitrate")
    }
    return options
  }

  private static func trimmed(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e6 ? String(Int(value)) : String(value)
  }

  /// Feeds one frame and takes the packets that are ready.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  public func encode(_ frame: VideoFrame) throws(VStreamError) -> [Packet] {
    try requireLibAV(.library, "the encoder") { av_frame_ref(handed, frame.av) }
    defer { av_frame_unref(handed) }
    // The source's picture types are not to be forced on this encoder.
    handed.pointee.pict_type = AV_PICTURE_TYPE_NONE
    handed.pointee.key_frame = 0
    handed.pointee.quality = 0
    durations[frame.time.ticks] = frame.durationTicks
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
      if let duration = durations.removeValue(forKey: packet.pointee.pts), duration > 0 {
        packet.pointee.duration = duration
      }
      packets.append(owner)
    }
  }
}
