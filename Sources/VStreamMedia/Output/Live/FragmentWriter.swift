internal import CVStreamLibAV
public import VStreamScene

/// Writes the packets of one H.264 stream as fragmented MP4 to memory, one fragment for each, without encoding.
///
/// The times of the fragments are those of the packets. One owner at a time.
public final class FragmentWriter {
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let stream: UnsafeMutablePointer<AVStream>
  private let frameSeconds: Double
  private var lastDecodingTicks: Int64?

  /// The start of the file, which precedes all fragments.
  public let initialization: [UInt8]
  /// The MIME type with the codec, as browsers take it: `video/mp4; codecs="avc1.64001f"`.
  public let mimeType: String

  /// Codecs that browsers play.
  public static func canWrite(_ stream: StreamInfo) -> Bool { stream.codecName == "h264" }

  private static let flags = "frag_custom+empty_moov+default_base_moof+frag_discont+skip_trailer"
  /// For streams that state no frame rate.
  private static let usualFrameSeconds = 0.04

  /// For the packets of an input's stream.
  ///
  /// - Throws: `VStreamError.library` for a stream that MP4 cannot hold, or whose parameters are not known.
  public convenience init(_ source: StreamInfo) throws(VStreamError) {
    try self.init(timeBase: source.timeBase, frameRate: source.frameRate) { parameters in
      avcodec_parameters_copy(parameters, source.parameters.av)
    }
  }

  /// For the packets of an encoder, which has to store the codec's parameters apart from the frames.
  ///
  /// - Throws: `VStreamError.library` for a codec that MP4 cannot hold.
  public convenience init(_ encoder: VideoEncoder, frameRate: Rational?) throws(VStreamError) {
    try self.init(timeBase: encoder.timeBase, frameRate: frameRate) { parameters in
      avcodec_parameters_from_context(parameters, encoder.context)
    }
  }

  private init(
    timeBase: Rational, frameRate: Rational?, setParameters: (UnsafeMutablePointer<AVCodecParameters>) -> Int32
  ) throws(VStreamError) {
    frameSeconds = frameRate.map { 1 / $0.value } ?? Self.usualFrameSeconds
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    try requireLibAV(.library, "the live view") { avformat_alloc_output_context2(&allocated, nil, "mp4", nil) }
    guard let allocated, let added = avformat_new_stream(allocated, nil) else { throw outOfMemory("live view") }
    (context, stream) = (allocated, added)
    do {
      try requireLibAV(.library, "the live view") { setParameters(added.pointee.codecpar) }
      added.pointee.codecpar.pointee.codec_tag = 0
      added.pointee.time_base = timeBase.av
      allocated.pointee.avoid_negative_ts = 0
      initialization = try Self.header(of: allocated)
      mimeType = try Self.mimeType(of: initialization)
    } catch {
      avformat_free_context(allocated)
      throw error
    }
  }

  deinit {
    // The muxer allocates memory with the header, which its trailer frees; nobody reads what it writes.
    if avio_open_dyn_buf(&context.pointee.pb) == 0 {
      av_write_trailer(context)
      _ = Self.takeBytes(of: context)
    }
    avformat_free_context(context)
  }

  /// The fragment of a packet of the stream.
  ///
  /// - Returns: `nil` for a packet that cannot be shown: it has no time, or one before 0 or before the packet before it.
  /// - Throws: `VStreamError.library` if memory runs out.
  public func fragment(_ packet: Packet) throws(VStreamError) -> [UInt8]? {
    // Fragments cannot state a time before 0: the muxer would shift all that follow.
    guard let decoding = packet.decodingTime, decoding.ticks >= 0, packet.presentationTime != nil, packet.byteCount > 0
    else { return nil }
    guard let copy = av_packet_clone(packet.av) else { throw outOfMemory("packet") }
    var unused: UnsafeMutablePointer<AVPacket>? = copy
    defer { av_packet_free(&unused) }
    copy.pointee.stream_index = 0
    av_packet_rescale_ts(copy, packet.timeBase.av, stream.pointee.time_base)
    if copy.pointee.duration <= 0 {
      copy.pointee.duration = max(1, Int64(frameSeconds / (Rational(stream.pointee.time_base) ?? .milliseconds).value))
    }
    guard lastDecodingTicks.map({ copy.pointee.dts > $0 }) ?? true else { return nil }
    lastDecodingTicks = copy.pointee.dts
    try requireLibAV(.library, "the live view") { avio_open_dyn_buf(&context.pointee.pb) }
    let code = av_write_frame(context, copy)
    let flushed = av_write_frame(context, nil)
    let bytes = Self.takeBytes(of: context)
    return code < 0 || flushed < 0 ? nil : bytes
  }

  private static func header(of context: UnsafeMutablePointer<AVFormatContext>) throws(VStreamError) -> [UInt8] {
    try requireLibAV(.library, "the live view") { avio_open_dyn_buf(&context.pointee.pb) }
    let (code, _) = withDictionary([("movflags", flags), ("use_editlist", "0")]) { avformat_write_header(context, $0) }
    let bytes = takeBytes(of: context)
    try requireLibAV(.library, "the live view") { code }
    return bytes
  }

  /// Closes the buffer that the muxer writes to.
  private static func takeBytes(of context: UnsafeMutablePointer<AVFormatContext>) -> [UInt8] {
    var pointer: UnsafeMutablePointer<UInt8>?
    let count = avio_close_dyn_buf(context.pointee.pb, &pointer)
    context.pointee.pb = nil
    defer { av_free(pointer) }
    return Array(UnsafeBufferPointer(start: pointer, count: Int(max(0, count))))
  }

  /// Profile, constraints and level follow the version in the box of H.264's parameters.
  private static func mimeType(of header: [UInt8]) throws(VStreamError) -> String {
    guard let box = header.firstRange(of: Array("avcC".utf8)), header.count >= box.upperBound + 4 else {
      throw VStreamError(
        .library, "the stream does not state its H.264 profile", remedy: "the camera may state it later")
    }
    let digits = header[box.upperBound + 1...box.upperBound + 3].map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return "video/mp4; codecs=\"avc1.\(digits.joined())\""
  }
}
