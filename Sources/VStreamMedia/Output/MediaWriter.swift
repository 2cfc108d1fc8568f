internal import CVStreamLibAV
public import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// A stream of the input that is not in the output, and why.
public struct OmittedStream: Sendable {
  public let stream: StreamInfo
  /// One line: why, and what to do about it.
  public let reason: String
}

/// Puts packets into a file or stream: one video stream that is coded anew or copied, and copies of other streams.
///
/// Whatever ends the program, what was written up to a second before plays (`OutputDestination.Style`).
public final class MediaWriter: MediaSink {
  private let owner: OutputContext
  private var context: UnsafeMutablePointer<AVFormatContext> { owner.av }
  private let destination: OutputDestination
  private let chapters: [Chapter]
  private let shift: Double
  /// When what each stream shows last ends, on the output's timeline.
  private var ends: [Int: Time] = [:]
  /// Time of decoding of each stream's last packet, in its source's ticks.
  private var lastDecoding: [Int: Int64] = [:]
  public private(set) var outOfOrder = 0
  private var videoPackets = 0
  /// Pictures of the file as a whole that are put in when it is finished.
  private let pictures: [StreamInfo]
  /// Where each copied stream of the input lies in the output.
  private let copies: [Int: Int]
  /// Seconds that the output's streams are to be set forward by, for what the muxer makes of their times.
  private let leads: [Int: Double]
  /// What packets of the output's streams have to go through.
  private let filters: [Int: BitstreamFilter]
  public let omitted: [OmittedStream]
  /// Subtitles that are made here; `nil` for none.
  private var subtitles: SubtitleTrack?

  /// Opens the output and writes its header.
  ///
  /// - Parameters:
  ///   - video: the opened encoder whose packets will be written.
  ///   - first: the first frame that will be coded, for what it says beside its pixels.
  ///   - source: the input's video stream, for its metadata, and what else is to be copied.
  ///   - shift: seconds that all times are set back by.
  ///   - interrupt: ends a call that waits for whoever takes what is written, which fails then, and every later one.
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `avformat_write_header`.
  public convenience init(
    _ destination: OutputDestination, video: VideoEncoder, first: VideoFrame, source: StreamInfo,
    copying streams: [StreamInfo], container: ContainerInfo, shift: Double = 0, interrupt: Interrupt? = nil
  ) throws(VStreamError) {
    try self.init(destination, copying: streams, container: container, shift: shift, interrupt: interrupt) {
      (context) throws(VStreamError) in
      try Self.addVideo(video, source: source, first: first, to: context)
      return nil
    }
    if video.isLowDelay {
      // What is seen does not wait for sound or words that are late, or that there are none of.
      context.pointee.max_interleave_delta = 200_000
    } else if destination.format == "flv" {
      // Its streams must not overtake each other, however long the encoder looks ahead.
      context.pointee.max_interleave_delta = 10_000_000
    }
    try Self.open(destination, owner)
  }

  /// Opens an output for an input's video as it is and copies of its other streams, and writes its header.
  ///
  /// The video's packets come by `writeCopy`, as all others.
  /// - Parameters:
  ///   - video: the input's video stream.
  ///   - subtitles: the header of the script whose lines come by `writeSubtitle`, and the track's title; `nil` for none.
  ///   - shift: seconds that all times are set back by.
  ///   - isWatched: whether somebody looks on, who is not to wait for lines.
  ///   - interrupt: ends a call that waits for whoever takes what is written, which fails then, and every later one.
  /// - Throws: `VStreamError.cannotCreateOutput`, or `usage` for video that the container cannot hold as it is.
  public convenience init(
    _ destination: OutputDestination, copyingVideo video: StreamInfo, and streams: [StreamInfo],
    subtitles: (header: String, title: String)?, container: ContainerInfo, shift: Double, isWatched: Bool,
    interrupt: Interrupt? = nil
  ) throws(VStreamError) {
    try self.init(destination, copying: streams, container: container, shift: shift, interrupt: interrupt) {
      (context) throws(VStreamError) in
      try Container.requireHoldsCopy(of: video, format: context.pointee.oformat)
      let stream = try Container.addCopy(of: video, to: context, keepsTag: true)
      if let aspect = video.sampleAspectRatio { stream.pointee.sample_aspect_ratio = aspect.av }
      return video.index
    }
    if let subtitles {
      self.subtitles = try SubtitleTrack(header: subtitles.header, title: subtitles.title, to: context)
    }
    // Lines come once their frames were looked at.
    context.pointee.max_interleave_delta = isWatched ? 200_000 : 10_000_000
    try Self.open(destination, owner)
  }

  /// Prepares an output that is still to be opened.
  ///
  /// - Parameter addVideo: adds the output's first stream.
  /// - Returns: of `addVideo`, the number of the input's stream that it is a copy of; `nil` for none.
  private init(
    _ destination: OutputDestination, copying streams: [StreamInfo], container: ContainerInfo, shift: Double,
    interrupt: Interrupt?, addVideo: (UnsafeMutablePointer<AVFormatContext>) throws(VStreamError) -> Int?
  ) throws(VStreamError) {
    self.destination = destination
    let owner = try OutputContext(destination, interrupt: interrupt)
    self.owner = owner
    self.shift = shift
    chapters = container.chapters.compactMap { $0.shifted(back: shift) }
    pictures = streams.filter { $0.attachedPicture != nil && Container.writesCoverImagesAtEnd(destination.format) }
    let video = try addVideo(owner.av)
    var (copies, omitted) = try Self.addCopies(of: streams, to: owner.av)
    if let video { copies[video] = 0 }
    (self.copies, self.omitted) = (copies, omitted)
    leads = Self.leads(of: streams, copies: copies, format: destination.format)
    filters = try Self.filters(for: streams, copies: copies, in: owner.av.pointee.oformat)
    Container.setMetadata(container.metadata, of: &owner.av.pointee.metadata)
    try Container.setChapters(chapters, of: owner.av)
  }

  public func writeVideo(_ packet: Packet) throws(VStreamError) { try write(packet, to: 0) }

  /// Writes a line of the subtitles that are made here; without such a track, nothing.
  ///
  /// - Throws: `VStreamError.inputOutput`; what was written before is playable.
  public func writeSubtitle(_ line: SubtitleLine) throws(VStreamError) {
    guard let track = subtitles, let stream = context.pointee.streams[track.index] else { return }
    let packet = try subtitles?.packet(line, shift: shift, base: stream.pointee.time_base)
    var owned = packet
    defer { av_packet_free(&owned) }
    try requireWritten("writing '\(destination.location)' failed") { av_interleaved_write_frame(context, packet) }
  }

  public func writeCopy(_ packet: Packet) throws(VStreamError) {
    // What comes before the start cannot be said there, and is not played either.
    if destination.rules.keepsOrder, let time = packet.presentationTime, time.seconds < shift { return }
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
    if let filter = filters[index], !filter.rewrite(copy) { return }
    guard keepOrder(copy, index) else { return }
    if index == 0 { videoPackets += 1 }
    let back = packet.timeBase.ticks(seconds: shift - (leads[index] ?? 0))
    if copy.pointee.dts != CVStreamLibAV_NOPTS { copy.pointee.dts = copy.pointee.dts.limitedDifference(back) }
    if copy.pointee.pts != CVStreamLibAV_NOPTS {
      copy.pointee.pts = copy.pointee.pts.limitedDifference(back)
      let (end, isTooLarge) = copy.pointee.pts.addingReportingOverflow(max(0, copy.pointee.duration))
      if !isTooLarge { ends[index] = Time(ticks: max(end, ends[index]?.ticks ?? end), base: packet.timeBase) }
    }
    av_packet_rescale_ts(copy, packet.timeBase.av, stream.pointee.time_base)
    try requireWritten("writing '\(destination.location)' failed") { av_interleaved_write_frame(context, copy) }
  }

  /// Mends a packet that is to be decoded before the one before it, as damaged and joined files have them.
  ///
  /// - Returns: `false` if it cannot be mended, and is left out.
  private func keepOrder(_ packet: UnsafeMutablePointer<AVPacket>, _ index: Int) -> Bool {
    guard packet.pointee.dts != CVStreamLibAV_NOPTS else { return true }
    defer { lastDecoding[index] = max(packet.pointee.dts, lastDecoding[index] ?? Int64.min) }
    guard let last = lastDecoding[index], packet.pointee.dts <= last else { return true }
    outOfOrder += 1
    guard packet.pointee.pts != CVStreamLibAV_NOPTS, packet.pointee.pts > last else { return false }
    packet.pointee.dts = last.limitedSum(1)
    return true
  }

  /// - Throws: `VStreamError.closedByReader` when nobody reads standard output any more, else `inputOutput`.
  private func requireWritten(_ what: @autoclosure () -> String, _ call: () -> Int32) throws(VStreamError) {
    var code = LibAVCode(0)
    do throws(VStreamError) {
      try requireLibAV(.inputOutput, what(), remedy: whatIsLeft) {
        code = owner.limited(call)
        return code.rawValue
      }
    } catch {
      if destination.isLive { throw LiveSink.lost(destination, code) }
      if FreeSpace.isExhausted(code.systemError) { throw destination.fullDisk(.inputOutput, remedy: whatIsLeft) }
      guard code == .system(EPIPE), destination.location == "-" else { throw error }
      throw VStreamError(.closedByReader, "standard output was closed by its reader")
    }
  }

  private var whatIsLeft: Message {
    destination.partPath.map { "what was written plays: '\($0)'" } ?? ""
  }

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

  public func discard() {
    _ = owner.limited(owner.close)
    if let part = destination.partPath { unlink(part) }
  }

  /// Replaces the fragmented file by a fast-start one; keeps the former, with a warning, where there is no room.
  private func finalise(_ part: String) -> String? {
    let final = destination.location + ".final.part"
    do throws(VStreamError) {
      try Remuxer.remux(
        part, to: final, like: context, videoPackets: videoPackets, ends: ends, chapters: chapters,
        pictures: pictures)
      guard rename(final, part) == 0 else { throw VStreamError(.inputOutput, "\(String(cString: strerror(errno)))") }
      return nil
    } catch {
      unlink(final)
      let room = FreeSpace(part)
      let reason = room.isEnoughForAnother ? error.message : "there is no room for that (\(room))"
      return "'\(destination.location)' stays a fragmented file, as it could not be written once more: \(reason)"
    }
  }
}

extension MediaWriter {
  private static func addVideo(
    _ encoder: VideoEncoder, source: StreamInfo, first: VideoFrame,
    to context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) {
    guard let stream = avformat_new_stream(context, nil) else { throw outOfMemory("stream") }
    try requireLibAV(.library, "stream parameters") {
      avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context)
    }
    stream.pointee.time_base = encoder.containerBase.av
    stream.pointee.avg_frame_rate = encoder.context.pointee.framerate
    stream.pointee.sample_aspect_ratio = encoder.context.pointee.sample_aspect_ratio
    stream.pointee.disposition = source.disposition
    for data in source.sideData where SideData.typesKeptByReencoding.contains(data.type) { try data.add(to: stream) }
    for data in SideData.list(of: first) { try data.add(to: stream) }
    Container.setMetadata(source.metadata, of: &stream.pointee.metadata)
  }

  /// Matroska's players take the delay of Opus off its times, which the muxer only adds from FFmpeg 6 on.
  private static func leads(of streams: [StreamInfo], copies: [Int: Int], format: String) -> [Int: Double] {
    guard ["matroska", "webm"].contains(format), avformat_version() >> 16 < 60 else { return [:] }
    var leads: [Int: Double] = [:]
    for stream in streams where stream.codecName == "opus" {
      if let index = copies[stream.index] {
        leads[index] = Double(stream.parameters.av.pointee.initial_padding) / 48_000
      }
    }
    return leads
  }

  private static func filters(
    for streams: [StreamInfo], copies: [Int: Int], in container: UnsafePointer<AVOutputFormat>
  ) throws(VStreamError) -> [Int: BitstreamFilter] {
    var filters: [Int: BitstreamFilter] = [:]
    for stream in streams {
      guard let index = copies[stream.index] else { continue }
      filters[index] = try BitstreamFilter(for: stream, in: container)
    }
    return filters
  }

  private static func addCopies(
    of streams: [StreamInfo], to context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) -> (copies: [Int: Int], omitted: [OmittedStream]) {
    var copies: [Int: Int] = [:]
    var omitted: [OmittedStream] = []
    for source in streams {
      guard Container.canHold(source, format: context.pointee.oformat) else {
        let container = String(cString: context.pointee.oformat.pointee.name)
        let way = Container.alternative(for: source).map { "; an \($0) output can" } ?? ""
        omitted.append(OmittedStream(stream: source, reason: "\(container) cannot hold \(source.codecName)\(way)"))
        continue
      }
      if source.attachedPicture != nil {
        // Its packet is not copied: it is written with the header, or when the file is finished.
        let format = String(cString: context.pointee.oformat.pointee.name)
        if !Container.writesCoverImagesAtEnd(format) { try Container.addCopy(of: source, to: context) }
      } else {
        copies[source.index] = Int(try Container.addCopy(of: source, to: context).pointee.index)
      }
    }
    return (copies, omitted)
  }

  /// Whether pictures are copied that may be decoded before the start.
  private static func hasCopiedVideo(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
    (1..<max(1, Int(context.pointee.nb_streams))).contains { index in
      context.pointee.streams[index]?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
    }
  }

  private static func open(_ destination: OutputDestination, _ owner: OutputContext) throws(VStreamError) {
    let context = owner.av
    var options = LiveSink.options(of: destination)
    // Sound may begin before 0, with samples that are not meant to be heard; nothing is to be moved for them.
    let isMoved =
      destination.rules.keepsOrder
      ? hasCopiedVideo(context) : !["matroska", "webm", "avi"].contains(destination.format)
    if !isMoved { options.append(("avoid_negative_ts", "disabled")) }
    if ["mp4", "mov"].contains(destination.format) { options.append(Remuxer.timescale) }
    if destination.isFragmented {
      options.append(("movflags", "+delay_moov+default_base_moof"))
      options.append(("frag_duration", "500000"))
    }
    if destination.format == "matroska" || destination.format == "webm" {
      options.append(("cluster_time_limit", "500"))
    }
    try owner.claim(destination)
    var code = LibAVCode(0)
    do throws(VStreamError) {
      let (_, unused) = try withDictionary(options + destination.options) { (dictionary) throws(VStreamError) in
        try requireLibAV(.cannotCreateOutput, "'\(destination.location)' cannot be created") {
          code = owner.limited { owner.start(dictionary) }
          return code.rawValue
        }
      }
      if let option = unused.first(where: { name in destination.options.contains { $0.key == name } }) {
        throw VStreamError(
          .usage, "\(destination.format) has no option '\(option)' (--output-option)",
          remedy: "'ffmpeg -h muxer=\(destination.format)' lists them")
      }
    } catch {
      if let part = destination.partPath { unlink(part) }
      if destination.isLive, error.code == .cannotCreateOutput {
        throw LiveSink.unreachable(destination, code)
      }
      throw FreeSpace.isExhausted(code.systemError) ? destination.fullDisk(.cannotCreateOutput) : error
    }
  }
}
