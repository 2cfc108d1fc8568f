internal import CVStreamLibAV
public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// A stream of the input that is not in the output, and why.
public struct LeftOutStream: Sendable {
  public let stream: StreamInfo
  /// One line: why, and what to do about it.
  public let reason: String
}

/// Puts packets into a file or stream: one video stream that is coded anew, and copies of other streams.
///
/// One owner at a time. Whatever ends the program, what was written up to a second before plays
/// (`OutputDestination.Style`).
public final class MediaWriter {
  private let owner: OutputContext
  private var context: UnsafeMutablePointer<AVFormatContext> { owner.av }
  private let destination: OutputDestination
  /// Where each copied stream of the input lies in the output.
  private let copies: [Int: Int]
  /// Streams of the input that the container cannot hold.
  public let leftOut: [LeftOutStream]

  /// Opens the output and writes its header.
  ///
  /// - Parameters:
  ///   - video: the opened encoder whose packets will be written.
  ///   - source: the input's video stream, for its metadata, and what else is to be copied.
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `avformat_write_header`.
  public init(
    _ destination: OutputDestination, video: VideoEncoder, source: StreamInfo, copying streams: [StreamInfo],
    container: ContainerInfo
  ) throws(VStreamError) {
    self.destination = destination
    let owner = try OutputContext(destination)
    self.owner = owner
    try Self.addVideo(video, source: source, to: owner.av)
    (copies, leftOut) = try Self.addCopies(of: streams, to: owner.av)
    Self.setMetadata(container.metadata, of: &owner.av.pointee.metadata)
    try Self.open(destination, context: owner.av)
  }

  /// Writes a packet of the video encoder.
  ///
  /// - Throws: `VStreamError.inputOutput`; what was written before is playable.
  public func writeVideo(_ packet: Packet) throws(VStreamError) { try write(packet, to: 0) }

  /// Writes a packet of an input stream that is copied; packets of other streams are passed over.
  ///
  /// - Throws: `VStreamError.inputOutput`; what was written before is playable.
  public func writeCopy(_ packet: Packet) throws(VStreamError) {
    if let index = copies[packet.streamIndex] { try write(packet, to: index) }
  }

  private func write(_ packet: Packet, to index: Int) throws(VStreamError) {
    guard let copy = av_packet_clone(packet.av), let stream = context.pointee.streams[index] else {
      throw outOfMemory("packet")
    }
    var owned: UnsafeMutablePointer<AVPacket>? = copy
    defer { av_packet_free(&owned) }
    copy.pointee.stream_index = Int32(index)
    copy.pointee.pos = -1
    av_packet_rescale_ts(copy, packet.timeBase.av, stream.pointee.time_base)
    try requireWritten("writing '\(destination.location)' failed") { av_interleaved_write_frame(context, copy) }
  }

  /// - Throws: `VStreamError.closedByReader` when nobody reads standard output any more, else `inputOutput`.
  private func requireWritten(_ what: String, _ call: () -> Int32) throws(VStreamError) {
    var code: Int32 = 0
    do throws(VStreamError) {
      try requireLibAV(.inputOutput, what, remedy: whatIsLeft) {
        code = call()
        return code
      }
    } catch {
      guard code == -EPIPE, destination.location == "-" else { throw error }
      throw VStreamError(.closedByReader, "standard output was closed by its reader")
    }
  }

  private var whatIsLeft: String {
    destination.partPath.map { "what was written plays: '\($0)'" } ?? ""
  }

  /// Writes what the container needs at its end, closes it and gives the file its name.
  ///
  /// - Returns: a warning where the file could not be given its final form.
  /// - Throws: `VStreamError.inputOutput`; what was written before is playable.
  public func finish() throws(VStreamError) -> String? {
    let what = "closing '\(destination.location)' failed"
    try requireWritten(what) { av_write_trailer(context) }
    try requireWritten(what) { owner.close() }
    guard let part = destination.partPath else { return nil }
    let warning = destination.style == .fragmentedPart ? finalise(part) : nil
    guard rename(part, destination.location) == 0 else {
      throw VStreamError(
        .inputOutput, "'\(part)' cannot be renamed to '\(destination.location)': \(String(cString: strerror(errno)))",
        remedy: whatIsLeft)
    }
    return warning
  }

  /// Replaces the fragmented file by a fast-start one; keeps the former, with a warning, where there is no room.
  private func finalise(_ part: String) -> String? {
    let final = destination.location + ".final.part"
    do throws(VStreamError) {
      try Remuxer.remux(part, to: final, format: destination.format)
      guard rename(final, part) == 0 else { throw VStreamError(.inputOutput, String(cString: strerror(errno))) }
      return nil
    } catch {
      unlink(final)
      return "'\(destination.location)' stays a fragmented file, as it could not be written once more: \(error.message)"
    }
  }
}

/// Owns a muxer and the file that it writes to.
private final class OutputContext {
  let av: UnsafeMutablePointer<AVFormatContext>

  init(_ destination: OutputDestination) throws(VStreamError) {
    var allocated: UnsafeMutablePointer<AVFormatContext>?
    try requireLibAV(.cannotCreateOutput, "'\(destination.location)' cannot be written") {
      avformat_alloc_output_context2(&allocated, nil, destination.format, destination.url)
    }
    guard let allocated else { throw outOfMemory("output") }
    av = allocated
  }

  deinit {
    _ = close()
    avformat_free_context(av)
  }

  /// Closes the file, once; what is still buffered is written.
  ///
  /// - Returns: libav's code.
  func close() -> Int32 {
    av.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0 ? avio_closep(&av.pointee.pb) : 0
  }
}

extension MediaWriter {
  private static func addVideo(
    _ encoder: VideoEncoder, source: StreamInfo, to context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    guard let stream = avformat_new_stream(context, nil) else { throw outOfMemory("stream") }
    try requireLibAV(.library, "stream parameters") {
      avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context)
    }
    stream.pointee.time_base = encoder.timeBase.av
    stream.pointee.avg_frame_rate = encoder.context.pointee.framerate
    stream.pointee.sample_aspect_ratio = encoder.context.pointee.sample_aspect_ratio
    stream.pointee.disposition = source.disposition
    setMetadata(source.metadata, of: &stream.pointee.metadata)
  }

  private static func addCopies(
    of streams: [StreamInfo], to context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) -> (copies: [Int: Int], leftOut: [LeftOutStream]) {
    var copies: [Int: Int] = [:]
    var leftOut: [LeftOutStream] = []
    for source in streams {
      guard
        avformat_query_codec(context.pointee.oformat, source.parameters.av.pointee.codec_id, FF_COMPLIANCE_NORMAL) == 1
      else {
        let container = String(cString: context.pointee.oformat.pointee.name)
        leftOut.append(
          LeftOutStream(stream: source, reason: "\(container) cannot hold \(source.codecName); an .mkv output can"))
        continue
      }
      guard let stream = avformat_new_stream(context, nil) else { throw outOfMemory("stream") }
      try requireLibAV(.library, "stream parameters") {
        avcodec_parameters_copy(stream.pointee.codecpar, source.parameters.av)
      }
      stream.pointee.codecpar.pointee.codec_tag = 0
      stream.pointee.time_base = source.timeBase.av
      stream.pointee.disposition = source.disposition
      setMetadata(source.metadata, of: &stream.pointee.metadata)
      copies[source.index] = Int(stream.pointee.index)
    }
    return (copies, leftOut)
  }

  /// Copies tags but those that describe the input's own container.
  private static func setMetadata(_ metadata: [String: String], of target: inout OpaquePointer?) {
    let own: Set = ["major_brand", "minor_version", "compatible_brands", "encoder", "vendor_id", "handler_name"]
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) where !own.contains(key.lowercased()) {
      av_dict_set(&target, key, value, 0)
    }
  }

  private static func open(
    _ destination: OutputDestination, context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    let what = "'\(destination.location)' cannot be created"
    if context.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0 {
      try requireLibAV(.cannotCreateOutput, what) { avio_open(&context.pointee.pb, destination.url, AVIO_FLAG_WRITE) }
    }
    // What is muxed reaches the file at once: a killed program leaves all but the last fragment.
    context.pointee.flush_packets = 1
    context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL  // FLAC in MP4, before FFmpeg 6
    var options: [(key: String, value: String)] = []
    if destination.isFragmented {
      options.append(("movflags", "+delay_moov+default_base_moof"))
      options.append(("frag_duration", "500000"))
    }
    if destination.format == "matroska" || destination.format == "webm" {
      options.append(("cluster_time_limit", "500"))
    }
    _ = try withDictionary(options) { dictionary throws(VStreamError) in
      try requireLibAV(.cannotCreateOutput, what) { avformat_write_header(context, dictionary) }
    }
  }
}
