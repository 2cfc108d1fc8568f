internal import CVStreamLibAV
package import VStreamCore

/// Writes the packets of a video stream, and of its sound, as fragmented MP4 to memory, one fragment for each, without
/// encoding.
///
/// The times of the fragments are those of the packets. One owner at a time.
package final class FragmentWriter {
  private let context: UnsafeMutablePointer<AVFormatContext>
  private var tracks: [Track] = []

  /// A stream of the file.
  private struct Track {
    /// Of the packets; `nil` for an encoder's.
    let sourceIndex: Int?
    let stream: UnsafeMutablePointer<AVStream>
    /// Seconds of a packet that does not state its duration.
    let packetSeconds: Double
    var lastDecodingTicks: Int64?
  }

  /// The start of the file, which precedes all fragments.
  package let initialization: [UInt8]
  /// The MIME type with the codec, as browsers take it: `video/mp4; codecs="avc1.64001f"`.
  package let mimeType: String

  /// Codecs that browsers play.
  package static func canWrite(_ stream: StreamInfo) -> Bool { stream.codecName == "h264" }

  /// Whether browsers play a stream's sound: AAC that states its parameters before its first packet.
  package static func canWrite(sound: StreamInfo) -> Bool {
    sound.codecName == "aac" && sound.parameters.av.pointee.extradata_size > 0
  }

  private static let flags = "frag_custom+empty_moov+default_base_moof+frag_discont+skip_trailer"
  /// For streams that state no frame rate.
  private static let usualFrameSeconds = 0.04
  /// Of AAC.
  private static let samplesInPacket: Int32 = 1024

  /// For the packets of an input.
  ///
  /// - Parameters:
  ///   - sound: the stream of its sound; `nil` for none.
  ///   - isPlayed: whether browsers play it: H.264 alone.
  /// - Throws: `VStreamError.library` for a stream that MP4 cannot hold, or whose parameters are not known.
  package convenience init(
    _ source: StreamInfo, sound: StreamInfo? = nil, isPlayed: Bool = true
  ) throws(VStreamError) {
    let streams = [source, sound].compactMap(\.self).map { stream in
      NewTrack(
        sourceIndex: stream.index, timeBase: stream.timeBase,
        packetSeconds: stream.frameRate.map { 1 / $0.value } ?? Self.usualSeconds(of: stream)
      ) { avcodec_parameters_copy($0, stream.parameters.av) }
    }
    // H.264 without its parameters would be unreadable in a recording too.
    try self.init(streams, isPlayed: isPlayed || Self.canWrite(source))
  }

  /// For the packets of an encoder, which has to store the codec's parameters apart from the frames.
  ///
  /// - Throws: `VStreamError.library` for a codec that MP4 cannot hold.
  package convenience init(_ encoder: VideoEncoder, frameRate: Rational?) throws(VStreamError) {
    let track = NewTrack(
      sourceIndex: nil, timeBase: encoder.timeBase,
      packetSeconds: frameRate.map { 1 / $0.value } ?? Self.usualFrameSeconds
    ) { avcodec_parameters_from_context($0, encoder.context) }
    try self.init([track])
  }

  private struct NewTrack {
    let sourceIndex: Int?
    let timeBase: Rational
    let packetSeconds: Double
    let setParameters: (UnsafeMutablePointer<AVCodecParameters>) -> Int32
  }

  /// Seconds of a packet of a stream that states no frame rate.
  private static func usualSeconds(of stream: StreamInfo) -> Double {
    let parameters = stream.parameters.av.pointee
    guard stream.kind == .audio, parameters.sample_rate > 0 else { return usualFrameSeconds }
    return Double(max(parameters.frame_size, samplesInPacket)) / Double(parameters.sample_rate)
  }

  private init(_ streams: [NewTrack], isPlayed: Bool = true) throws(VStreamError) {
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    try requireLibAV(.library, "the live view") { avformat_alloc_output_context2(&allocated, nil, "mp4", nil) }
    guard let allocated else { throw outOfMemory("live view") }
    context = allocated
    do {
      for new in streams {
        guard let stream = avformat_new_stream(allocated, nil) else { throw outOfMemory("live view") }
        try requireLibAV(.library, "the live view") { new.setParameters(stream.pointee.codecpar) }
        stream.pointee.codecpar.pointee.codec_tag = 0
        stream.pointee.time_base = new.timeBase.av
        tracks.append(Track(sourceIndex: new.sourceIndex, stream: stream, packetSeconds: new.packetSeconds))
      }
      allocated.pointee.avoid_negative_ts = 0
      initialization = try Self.header(of: allocated)
      mimeType = isPlayed ? try Self.mimeType(of: initialization, hasSound: streams.count > 1) : "video/mp4"
    } catch {
      avformat_free_context(allocated)
      throw VStreamError(any: error)
    }
  }

  deinit {
    // The muxer allocates memory with the header, which its trailer frees; its output is not read.
    if avio_open_dyn_buf(&context.pointee.pb) == 0 {
      av_write_trailer(context)
      _ = Self.takeBytes(of: context)
    }
    avformat_free_context(context)
  }

  /// The fragment of a packet.
  ///
  /// - Returns: `nil` for a packet that cannot be shown: it is of another stream, has no time, or one before 0 or before the
  ///   packet before it.
  /// - Throws: `VStreamError.library` if memory runs out.
  package func fragment(_ packet: Packet) throws(VStreamError) -> [UInt8]? {
    // Fragments cannot state a time before 0: the muxer would shift all that follow.
    let index = tracks.firstIndex { $0.sourceIndex == nil || $0.sourceIndex == packet.streamIndex }
    guard let index, let decoding = packet.decodingTime, decoding.ticks >= 0, packet.presentationTime != nil,
      packet.byteCount > 0
    else { return nil }
    let base = tracks[index].stream.pointee.time_base
    guard let copy = av_packet_clone(packet.av) else { throw outOfMemory("packet") }
    var unused: UnsafeMutablePointer<AVPacket>? = copy
    defer { av_packet_free(&unused) }
    copy.pointee.stream_index = Int32(index)
    av_packet_rescale_ts(copy, packet.timeBase.av, base)
    if copy.pointee.duration <= 0 {
      copy.pointee.duration = max(1, Int64(tracks[index].packetSeconds / (Rational(base) ?? .milliseconds).value))
    }
    guard tracks[index].lastDecodingTicks.map({ copy.pointee.dts > $0 }) ?? true else { return nil }
    tracks[index].lastDecodingTicks = copy.pointee.dts
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
  private static func mimeType(of header: [UInt8], hasSound: Bool) throws(VStreamError) -> String {
    guard let box = header.firstRange(of: Array("avcC".utf8)), header.count >= box.upperBound + 4 else {
      throw VStreamError(
        .library, "the stream does not state its H.264 profile", remedy: "the camera may state it later")
    }
    let digits = header[box.upperBound + 1...box.upperBound + 3].map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    // AAC-LC, as which browsers also play its extensions.
    return "video/mp4; codecs=\"avc1.\(digits.joined())\(hasSound ? ", mp4a.40.2" : "")\""
  }
}

/// Decides where an output in fragments is cut that has timed text and is not remuxed at the end.
///
/// libavformat, which ends each text with a packet of its own, cuts other outputs. Where that packet ends a fragment, the
/// packet of another stream that follows gets a wrong time.
struct FragmentCuts {
  /// Seconds of a fragment.
  static let interval = 0.5
  /// Seconds that the first fragment waits for streams that have not started: it describes them all.
  private let maximumWait = 10.0

  private var start: Double?
  private var last: Double?

  /// Whether the fragment ends before a video packet that is decoded at `seconds`.
  ///
  /// - Parameter isStarted: whether all streams but the texts have packets.
  mutating func isDue(at seconds: Double, isStarted: Bool) -> Bool {
    guard let start, let last else {
      (start, last) = (seconds, seconds)
      return false
    }
    guard seconds - last >= Self.interval, isStarted || seconds - start >= maximumWait else { return false }
    self.last = seconds
    return true
  }
}
