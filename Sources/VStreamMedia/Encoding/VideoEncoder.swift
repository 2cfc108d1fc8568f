internal import CVStreamLibAV
package import VStreamCore

/// Encodes frames into packets.
///
/// One owner at a time. The encoder may use its own threads.
package final class VideoEncoder {
  let context: UnsafeMutablePointer<AVCodecContext>
  /// Seconds per tick of the packets' times.
  package let timeBase: Rational
  /// Seconds per tick of the container: one frame's duration where it counts frames.
  let containerTimeBase: Rational
  /// Width ÷ height of a pixel of the output; 0/1 if unknown.
  let pixelAspect: AVRational
  /// The size that frames are scaled to.
  package let scaledSize: PixelSize
  /// The size that is encoded: the scaled frames', or the next larger one that the encoder accepts.
  package let encodedSize: PixelSize
  /// The frame that libav receives; reused so that none is allocated per frame.
  private let input: UnsafeMutablePointer<AVFrame>
  /// Seconds per tick of the times that the encoder receives, which may be coarser than the frames'.
  private let encoderTimeBase: Rational
  /// The exact times and durations of the frames in the encoder, by the time that it received: encoders keep neither.
  private var pending: [Int64: (ticks: Int64, duration: Int64)] = [:]
  private var lastEncoderTicks: Int64?
  /// The first frame's time in ticks of the encoder. Encoders receive times from 0, as some codecs store them.
  private let origin: Int64
  /// To the format that the encoder accepts.
  private let converter: FrameConverter
  /// Whether each frame's packet leaves the encoder at once.
  let isLowDelay: Bool

  /// Opens an encoder for frames like `first`.
  ///
  /// - Parameters:
  ///   - frameRate: frames per second for the rate control; `nil` if unknown.
  ///   - rules: the container's requirements of the encoder.
  /// - Throws: `VStreamError.usage` for settings that the encoder rejects. The C function is `avcodec_open2`.
  package init(
    _ codec: VideoCodec, settings: EncoderSettings, first: VideoFrame, frameRate: Rational?, rules: ContainerRules
  ) throws(VStreamError) {
    let format = try codec.encoderFormat(of: first.format)
    guard let allocated = avcodec_alloc_context3(codec.av.pointer), let frame = av_frame_alloc() else {
      throw outOfMemory("encoder")
    }
    context = allocated
    input = frame
    isLowDelay = settings.isLowDelay
    timeBase = first.time.base
    let frameRate = frameRate.map(codec.encoderFrameRate)
    encoderTimeBase = codec.encoderTimeBase(for: timeBase, frameRate: frameRate, isConstant: rules.isConstantRate)
    origin = first.time.rescaled(to: encoderTimeBase).ticks
    containerTimeBase = rules.isConstantRate ? encoderTimeBase : timeBase
    scaledSize = settings.size?.size(for: first.size) ?? first.size
    let aspect = first.av.pointee.sample_aspect_ratio
    pixelAspect = settings.size?.pixelAspect(aspect, from: first.size, to: scaledSize) ?? aspect
    encodedSize = codec.encodedSize(of: scaledSize, first.format)
    converter = FrameConverter(size: scaledSize, format: format)
    Self.describe(first, format: format, size: encodedSize, frameRate: frameRate, in: allocated)
    allocated.pointee.sample_aspect_ratio = pixelAspect
    allocated.pointee.time_base = encoderTimeBase.av
    try Self.apply(rules, settings, frameRate: frameRate, to: allocated)
    let options = try Self.applyQuality(of: codec, settings, hasAlpha: format.hasAlpha, to: allocated)
    try Self.open(allocated, codec, options, first: first, size: encodedSize)
  }

  /// Applies the requirements of the container and of low delay.
  private static func apply(
    _ rules: ContainerRules, _ settings: EncoderSettings, frameRate: Rational?,
    to context: UnsafeMutablePointer<AVCodecContext>
  ) throws(VStreamError) {
    // These containers do not store the presentation order, so B-frames are off.
    if rules.needsPresentationOrder || rules.isConstantRate {
      context.pointee.max_b_frames = 0
      if let (_, count) = settings.options.last(where: { $0.key == "bf" }), count != "0" {
        throw .unsupported(.encoderOption, "bf=\(count)", by: "the container", reason: "it stores no B-frames")
      }
    }
    if rules.hasGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    context.pointee.thread_count = Int32(clamping: settings.threads)
    if settings.isLowDelay { applyLowDelay(to: context) }
    if settings.isLowDelay || rules.isSegmented {
      // A key frame every two seconds.
      let rate = frameRate?.value ?? 0
      context.pointee.gop_size = Int32(clamping: Int(clamping: 2 * (rate > 0 ? rate : 25)))
    }
    if let bitRate = settings.bitRate { context.pointee.bit_rate = Int64(bitRate) }
  }

  private static func applyLowDelay(to context: UnsafeMutablePointer<AVCodecContext>) {
    context.pointee.max_b_frames = 0
    context.pointee.thread_type = FF_THREAD_SLICE
    // None of libav's other encoders accepts the flag, or needs it.
    if context.pointee.codec_id == AV_CODEC_ID_MPEG2VIDEO { context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY }
  }

  /// Sets the quantiser, where the encoder uses libav's.
  ///
  /// - Returns: the encoder's own options.
  private static func applyQuality(
    of codec: VideoCodec, _ settings: EncoderSettings, hasAlpha: Bool,
    to context: UnsafeMutablePointer<AVCodecContext>
  ) throws(VStreamError) -> [(key: String, value: String)] {
    let (options, quantiser) = try codec.profile.options(settings, hasAlpha: hasAlpha)
    if let quantiser {
      context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      context.pointee.global_quality = Int32(quantiser * Double(FF_QP2LAMBDA))
    }
    return options
  }

  private static func open(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ codec: VideoCodec, _ options: [(key: String, value: String)],
    first: VideoFrame, size: PixelSize
  ) throws(VStreamError) {
    let shown = options.map { " \($0.key)=\($0.value)" }.joined()
    _ = try withDictionary(options) { dictionary throws(VStreamError) in
      try requireLibAV(
        .usage, "\(codec.name) cannot encode \(first.size) \(first.format)\(shown)", remedy: remedy(codec, size: size)
      ) { avcodec_open2(context, codec.av.pointer, dictionary) }
    }
  }

  deinit {
    // SVT-AV1 never returns from being closed without a frame. A context that could not be opened has no codec.
    if lastEncoderTicks == nil, let codec = context.pointee.codec, String(cString: codec.pointee.name) == "libsvtav1" {
      encodeEmptyFrame()
    }
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
    var frame: UnsafeMutablePointer<AVFrame>? = input
    av_frame_free(&frame)
  }

  private func encodeEmptyFrame() {
    let format = PixelFormat(context.pointee.pix_fmt)
    let time = Time(ticks: 0, base: timeBase)
    if let empty = try? VideoFrame(format: format, size: encodedSize, time: time) {
      avcodec_send_frame(context, empty.av)
    }
  }

  private static func remedy(_ codec: VideoCodec, size: PixelSize) -> Message {
    let lossless: Message = "ffv1 accepts any size and format (\(.codec, "ffv1"), an .mkv output)"
    guard codec.name == "libsvtav1", min(size.width, size.height) < 64 else { return lossless }
    return "it accepts 64×64 and larger; libaom-av1 encodes AV1 of any size, and \(lossless)"
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
    // Decoders of JPEG take the centre for granted.
    context.pointee.chroma_sample_location =
      context.pointee.codec_id == AV_CODEC_ID_MJPEG ? AVCHROMA_LOC_CENTER : source.chroma_location
    context.pointee.field_order = AV_FIELD_PROGRESSIVE
  }

  /// Encodes a frame, and returns the packets that are ready.
  ///
  /// - Parameter isKey: whether decoding can start at it.
  /// - Throws: `VStreamError.library` if the encoder fails.
  package func encode(_ frame: VideoFrame, isKey: Bool = false) throws(VStreamError) -> [Packet] {
    let converted = try converter.convert(frame)
    let time = frame.time
    let frame = converted.size == encodedSize ? converted : try converted.padded(to: encodedSize)
    try requireLibAV(.library, "the encoder") { av_frame_ref(input, frame.av) }
    defer { av_frame_unref(input) }
    // The picture types of the source must not be forced on this encoder.
    input.pointee.pict_type = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    CVStreamLibAV_clearKeyFrame(input)
    // libav's own encoders take a constant quantiser from each frame.
    input.pointee.quality = context.pointee.global_quality
    let ticks = max(
      time.rescaled(to: encoderTimeBase).ticks.limitedDifference(origin),
      lastEncoderTicks.map { $0.limitedSum(1) } ?? Int64.min)
    lastEncoderTicks = ticks
    input.pointee.pts = ticks
    pending[ticks] = (time.ticks, frame.durationTicks)
    // Encoders that check it reject a frame of another shape than the stream's.
    input.pointee.sample_aspect_ratio = context.pointee.sample_aspect_ratio
    try requireLibAV(.library, "the encoder rejected a frame") { avcodec_send_frame(context, input) }
    return try drain()
  }

  /// Ends encoding, and returns the remaining packets.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  package func finish() throws(VStreamError) -> [Packet] {
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

  /// Sets a packet's exact time and duration, which are its frame's.
  private func restoreTimes(_ packet: UnsafeMutablePointer<AVPacket>) {
    guard let frame = pending.removeValue(forKey: packet.pointee.pts) else { return }
    let isInOrder = packet.pointee.dts == packet.pointee.pts
    let dts = Time(ticks: packet.pointee.dts.limitedSum(origin), base: encoderTimeBase).rescaled(to: timeBase).ticks
    packet.pointee.dts = isInOrder ? frame.ticks : min(dts, frame.ticks)
    packet.pointee.pts = frame.ticks
    packet.pointee.duration = max(0, frame.duration)
  }
}
