internal import CVStreamLibAV
internal import VStreamCore

/// Decodes an audio stream and encodes it with another codec.
///
/// libavfilter resamples, and fills gaps with silence, so that the sound stays with the video. A gap of more than ten minutes
/// stays one: libavfilter makes its silence at once.
final class AudioConverter: StreamConverter {
  let output: StreamInfo
  private let decoder: CodecContext
  private let encoder: CodecContext
  private let timeBase: Rational
  /// The end of the last decoded frame, in ticks of the input.
  private var nextTime: Int64?
  /// Long gaps: where each begins on the chain's timeline, which has none, and the length of all up to it, in ticks of the
  /// input.
  private var longGaps: [(start: Int64, ticks: Int64)] = []
  /// The chain from the decoder's samples to the encoder's, for the decoder's current format.
  private var chain: FilterGraph?

  /// Bits per second and channel.
  private static let bitRate: Int64 = 96_000
  private static let maximumBitRate: Int64 = 320_000
  /// Seconds of silence that fill a gap.
  private static let longestSilence = 600.0

  /// - Throws: `VStreamError.library` if the stream cannot be decoded, or the encoder does not support its channels.
  init(
    _ stream: StreamInfo, encoder codec: UnsafePointer<AVCodec>, rules: AudioRules
  ) throws(VStreamError) {
    decoder = try CodecContext(decoding: stream)
    encoder = try CodecContext(codec)
    timeBase = stream.timeBase
    try Self.configure(encoder.av, codec, for: stream.parameters.av.pointee, rules)
    if rules.hasGlobalHeader { encoder.av.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    encoder.av.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    try encoder.open()
    output = try encoder.output(of: stream)
  }

  private static func configure(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ codec: UnsafePointer<AVCodec>, for source: AVCodecParameters,
    _ rules: AudioRules
  ) throws(VStreamError) {
    context.pointee.sample_fmt = supported(by: codec, CVStreamLibAV_sampleFormats).first ?? AV_SAMPLE_FMT_FLTP
    context.pointee.sample_rate = nearestRate(to: rules.sampleRate ?? source.sample_rate, of: codec)
    context.pointee.time_base = AVRational(num: 1, den: context.pointee.sample_rate)
    let channels = max(1, source.ch_layout.nb_channels)
    var layout = source.ch_layout
    let isNative = layout.order == AV_CHANNEL_ORDER_NATIVE
    try requireLibAV(.library, "audio channels") {
      if isNative { return av_channel_layout_copy(&context.pointee.ch_layout, &layout) }
      av_channel_layout_default(&context.pointee.ch_layout, channels)
      return 0
    }
    context.pointee.bit_rate = min(maximumBitRate, bitRate * Int64(channels))
  }

  /// The encoder's sample rate that is the source's, or the lowest above it, or the highest.
  private static func nearestRate(to rate: Int32, of codec: UnsafePointer<AVCodec>) -> Int32 {
    let rates = supported(by: codec, CVStreamLibAV_sampleRates)
    return rates.filter { $0 >= rate }.min() ?? rates.max() ?? max(1, rate)
  }

  func convert(_ packet: Packet) throws(VStreamError) -> [Packet] {
    guard !LibAVCode(avcodec_send_packet(decoder.av, packet.av)).isFailure else { return [] }
    return try filterDecoded()
  }

  func finish() throws(VStreamError) -> [Packet] {
    var packets: [Packet] = []
    if !LibAVCode(avcodec_send_packet(decoder.av, nil)).isFailure { packets += try filterDecoded() }
    if let chain {
      try chain.send(nil)
      packets += try encodeFiltered(chain)
    }
    _ = try libav(.library, "the audio encoder") { avcodec_send_frame(encoder.av, nil) }
    return packets + (try encoder.receivePackets(stream: output.index, timeBase: output.timeBase))
  }

  /// Filters and encodes the frames that the decoder has ready.
  private func filterDecoded() throws(VStreamError) -> [Packet] {
    guard let frame = av_frame_alloc() else { throw outOfMemory("audio frame") }
    var owned: UnsafeMutablePointer<AVFrame>? = frame
    defer { av_frame_free(&owned) }
    var packets: [Packet] = []
    while !LibAVCode(avcodec_receive_frame(decoder.av, frame)).isFailure {
      setTime(of: frame)
      packets += try resetChain(for: frame)
      guard let chain else { break }
      try chain.send(frame)
      packets += try encodeFiltered(chain)
    }
    return packets
  }

  /// Sets a decoded frame's time, which is the end of the one before for frames without a time: the last of some codecs.
  private func setTime(of frame: UnsafeMutablePointer<AVFrame>) {
    let time = frame.pointee.best_effort_timestamp
    frame.pointee.pts = time == CVStreamLibAV_NOPTS ? nextTime ?? time : time
    guard frame.pointee.pts != CVStreamLibAV_NOPTS else { return }
    let samples = AVRational(num: 1, den: max(1, frame.pointee.sample_rate))
    let omitted = longGaps.last?.ticks ?? 0
    let gap = frame.pointee.pts.limitedDifference(nextTime ?? frame.pointee.pts)
    if let nextTime, gap > timeBase.ticks(seconds: Self.longestSilence) {
      longGaps.append((nextTime.limitedDifference(omitted), omitted.limitedSum(gap)))
    }
    nextTime = frame.pointee.pts.limitedSum(av_rescale_q(Int64(frame.pointee.nb_samples), samples, timeBase.av))
    frame.pointee.pts = frame.pointee.pts.limitedDifference(longGaps.last?.ticks ?? 0)
  }

  /// The time in the output of a frame from the chain, in ticks of the encoder.
  private func outputTime(_ ticks: Int64, of chain: FilterGraph) -> Int64 {
    let base = encoder.av.pointee.time_base
    let time = av_rescale_q(ticks, chain.timeBase, timeBase.av)
    let omitted = longGaps.last { $0.start <= time }?.ticks ?? 0
    return av_rescale_q(ticks, chain.timeBase, base).limitedSum(av_rescale_q(omitted, timeBase.av, base))
  }

  /// Replaces the chain if it is for another format than the frame's.
  ///
  /// - Returns: the packets of samples that the former chain held.
  private func resetChain(for frame: UnsafeMutablePointer<AVFrame>) throws(VStreamError) -> [Packet] {
    let source = Self.source(of: frame, timeBase)
    if let chain, chain.source == source { return [] }
    var packets: [Packet] = []
    if let chain {
      self.chain = nil
      try chain.send(nil)
      packets = try encodeFiltered(chain)
    }
    let context = encoder.av.pointee
    let format = av_get_sample_fmt_name(context.sample_fmt).map { String(cString: $0) } ?? ""
    var layout = context.ch_layout
    let samples = context.frame_size > 0 ? ",asetnsamples=n=\(context.frame_size):p=0" : ""
    let description =
      "aresample=async=1,aformat=sample_fmts=\(format):sample_rates=\(context.sample_rate):"
      + "channel_layouts=\(Self.name(of: &layout))\(samples)"
    chain = try FilterGraph(
      AVMEDIA_TYPE_AUDIO, source: source, description: description, failure: "audio cannot be converted")
    return packets
  }

  /// The arguments of libavfilter's source for samples like a frame's.
  private static func source(of frame: UnsafeMutablePointer<AVFrame>, _ base: Rational) -> String {
    let format = AVSampleFormat(frame.pointee.format)
    let sampleFormat = av_get_sample_fmt_name(format).map { String(cString: $0) } ?? ""
    return "time_base=\(base.numerator)/\(base.denominator):sample_rate=\(frame.pointee.sample_rate):"
      + "sample_fmt=\(sampleFormat):channel_layout=\(name(of: &frame.pointee.ch_layout))"
  }

  private static func name(of layout: inout AVChannelLayout) -> String {
    var known = AVChannelLayout()
    defer { av_channel_layout_uninit(&known) }
    // A number of channels without their positions is taken for the usual positions.
    if layout.order == AV_CHANNEL_ORDER_UNSPEC {
      av_channel_layout_default(&known, layout.nb_channels)
    } else if LibAVCode(av_channel_layout_copy(&known, &layout)).isFailure {
      return ""
    }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, av_channel_layout_describe(&known, base, buffer.count) > 0 else { return "" }
      return String(cString: base)
    }
  }

  private func encodeFiltered(_ chain: FilterGraph) throws(VStreamError) -> [Packet] {
    guard let frame = av_frame_alloc() else { throw outOfMemory("audio frame") }
    var owned: UnsafeMutablePointer<AVFrame>? = frame
    defer { av_frame_free(&owned) }
    var packets: [Packet] = []
    while try chain.receive(frame) {
      frame.pointee.pts = outputTime(frame.pointee.pts, of: chain)
      try requireLibAV(.library, "the audio encoder") { avcodec_send_frame(encoder.av, frame) }
      av_frame_unref(frame)
      packets += try encoder.receivePackets(stream: output.index, timeBase: output.timeBase)
    }
    return packets
  }
}
