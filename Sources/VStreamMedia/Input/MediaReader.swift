internal import CVStreamLibAV
public import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Where media comes from.
public struct MediaInput: Sendable {
  /// A file's path, a URL, or `-` for standard input.
  public var location: String
  /// FFmpeg's name of the format, when it is not to be recognised.
  public var format: String?
  /// FFmpeg's options for the demuxer or protocol.
  public var options: [(key: String, value: String)]
  /// Seconds that opening, and each read, may take; `nil` for 10 with URLs and devices and no limit with files and pipes.
  public var timeout: Double?
  /// Seconds that opening may take, where that is to be less.
  public var openingTimeout: Double?

  public init(
    _ location: String, format: String? = nil, options: [(key: String, value: String)] = [], timeout: Double? = nil
  ) {
    self.location = Self.path(location)
    self.format = format
    self.options = options
    self.timeout = timeout
  }

  /// - Throws: `VStreamError.inputNotFound` if the location can only be a file, and there is none.
  public func requireExists(format: String?) throws(VStreamError) {
    guard location != "-", !isURL, format == nil, access(location, F_OK) != 0, errno == ENOENT,
      av_filename_number_test(location) == 0
    else { return }
    throw Self.missing(location)
  }

  static func missing(_ location: String) -> VStreamError {
    VStreamError(
      .inputNotFound, "there is no file '\(location)'",
      remedy: location.contains("%")
        ? "numbered pictures are named with one place for the number: %d or %05d" : "see to its name and folder")
  }

  /// The files that are read: those of a folder or pattern, else the location itself.
  ///
  /// - Throws: `VStreamError.inputNotFound` or `unreadableInput` where there are none.
  public func files() throws(VStreamError) -> [String] {
    format == nil && location != "-" && !isURL ? try ImageFiles.paths(of: location, options: options) : [location]
  }

  /// A location without the `file:` or `file://` that says what it is anyway.
  static func path(_ location: String) -> String {
    ["file://", "file:"].first(where: location.hasPrefix).map { String(location.dropFirst($0.count)) } ?? location
  }

  /// The location's last part, without folder.
  public var fileName: String {
    location.lastIndex(of: "/").map { String(location[location.index(after: $0)...]) } ?? location
  }

  /// Whether `location` names a protocol of its own (`rtsp://…`) instead of a file.
  public var isURL: Bool {
    guard let end = location.firstIndex(of: ":") else { return false }
    let scheme = location[..<end]
    return location[end...].hasPrefix("://") && !scheme.isEmpty
      && scheme.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
  }
}

/// Takes packets out of a file or stream, one after the other.
///
/// One owner at a time; calls block, limited by the input's timeout and by `interrupt`.
public final class MediaReader {
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let timeout: Double?
  private let interrupt: Interrupt
  private let name: String
  private let failure: InputFailure
  /// Kept for as long as the context reads from it.
  private let pipe: PipeInput?
  private let images: ImageFiles?
  private var imagesRead = 0
  private var timeline: Timeline<Packet>
  private var untimed: UntimedStart
  private var isClosed = false
  /// Where an earlier connection's streams go on in this one.
  private let successors: Successors?
  /// Packets that have their places and are to be given next.
  private var placed: [Packet] = []
  /// What was left out of what was read, and a user of the pictures should know of, one line each.
  public private(set) var notices: [String] = []

  /// Where an input that goes on begins on the earlier timeline; `nil` for one that does not.
  public let continuesAt: Double?
  public let container: ContainerInfo
  public let streams: [StreamInfo]
  /// The stream that is processed: the default one, or the largest.
  public let video: StreamInfo

  /// Opens an input and finds out what is in it.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` if it is no media or has no video; `usage` for an
  ///   unknown format or option. The C functions are `avformat_open_input` and `avformat_find_stream_info`.
  public init(
    _ input: MediaInput, continuing earlier: StreamContinuation? = nil, interrupt: Interrupt = Interrupt()
  ) throws(VStreamError) {
    name = input.location
    timeout = input.limit
    self.interrupt = interrupt
    images = input.format == nil ? try ImageFiles(input.location, options: input.options) : nil
    let opening = try InputOpener(input, images: images)
    failure = opening.failure
    pipe = opening.kind == .pipe ? try PipeInput(input.location, interrupt: interrupt) : nil
    context = try opening.open(pipe: pipe, interrupt: interrupt)
    var opened: UnsafeMutablePointer<AVFormatContext>? = context
    continuesAt = earlier?.seconds()
    do {
      try Self.findStreams(context, input: input, failure: failure, interrupt: interrupt)
      let found = try Self.streams(of: context)
      let chosen = try Self.chooseVideo(context, streams: found, name: name)
      if let earlier {
        (streams, successors) = (earlier.streams, earlier.successors(in: found, video: chosen))
        video = chosen.renumbered(like: earlier.video)
      } else {
        (streams, video, successors) = (found, chosen, nil)
      }
      timeline = Timeline(leader: video.index, startingAt: continuesAt)
      untimed = UntimedStart(of: video, isExpected: input.isPaced)
      container = Self.describe(
        context, of: input, kind: opening.kind, photo: images == nil ? Self.photo(input, context) : nil)
    } catch {
      avformat_close_input(&opened)
      throw error
    }
  }

  deinit { close() }

  /// Gives the input free for others; there is no more to be read. Twice is once.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    // Some protocols say good-bye.
    interrupt.limited(to: 1) { avformat_close_input(&context) }
  }

  /// What a read gave.
  public enum Read: Sendable {
    case packet(Packet)
    /// A piece that the demuxer could not make sense of; reading goes on after it.
    case damaged(reason: String)
    case end
  }

  /// The next packet in the file's order, its times on a timeline that goes forward.
  ///
  /// - Throws: `VStreamError.inputOutput` when reading fails or takes longer than the timeout.
  public func next() throws(VStreamError) -> Read {
    while placed.isEmpty {
      switch try read() {
      case .packet(let packet): placed = untimed.take(packet).flatMap(place)
      case .damaged(let reason): return .damaged(reason: reason)
      case .end:
        placed = untimed.finish().flatMap(place) + timeline.finish().map(Self.moved)
        if placed.isEmpty { return .end }
      }
    }
    return .packet(placed.removeFirst())
  }

  private func read() throws(VStreamError) -> Read {
    if isClosed { return .end }
    if let images { return try read(images) }
    guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
    CVStreamLibAV_forgetMessage()
    let code = readFrame(packet)
    guard code >= 0 else {
      var unused: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&unused)
      if code == CVStreamLibAV_EOF || (code == CVStreamLibAV_EXIT && interrupt.wasTriggered) { return .end }
      if isDamage(code) { return .damaged(reason: reason(code)) }
      throw failure.reading(code)
    }
    if let successors { successors.renumber(packet) }
    let index = Int(packet.pointee.stream_index)
    // Some demuxers find streams on the way (MPEG-TS); those are not known to the writer and are left out by it.
    let base = index < streams.count ? streams[index].timeBase : .milliseconds
    let owner = Packet(takingOwnershipOf: packet, timeBase: base)
    forgetImpossibleTimes(of: packet, base)
    try Packet.orient(packet, by: container.photo)
    return .packet(owner)
  }

  /// Unsets times that no clock shows, and that arithmetic would be lost in: the packet is damaged.
  private func forgetImpossibleTimes(of packet: UnsafeMutablePointer<AVPacket>, _ base: Rational) {
    func isPossible(_ ticks: Int64) -> Bool {
      ticks == CVStreamLibAV_NOPTS || abs(Double(ticks) * base.value) < Self.latestTime
    }
    if isPossible(packet.pointee.pts), isPossible(packet.pointee.dts), isPossible(packet.pointee.duration) { return }
    packet.pointee.pts = CVStreamLibAV_NOPTS
    packet.pointee.dts = CVStreamLibAV_NOPTS
    packet.pointee.duration = 0
    packet.pointee.flags |= AV_PKT_FLAG_CORRUPT
  }

  /// Seconds, some 300 years, which those since 1970 are well below.
  private static let latestTime = 1e10

  /// Whether a code speaks of what was read, not of the reading.
  private func isDamage(_ code: Int32) -> Bool {
    [CVStreamLibAV_INVALIDDATA, CVStreamLibAV_PATCHWELCOME, CVStreamLibAV_BUG, -EINVAL, -ERANGE].contains(code)
  }

  /// Reads a packet into place.
  ///
  /// - Returns: libav's code.
  private func readFrame(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
    let reading = {
      var code = av_read_frame(self.context, packet)
      // A camera is asked without blocking, as libav's waiting for it cannot be ended.
      while code == CVStreamLibAV_EAGAIN, !self.interrupt.shouldEnd {
        poll(nil, 0, 1)
        code = av_read_frame(self.context, packet)
      }
      guard code < 0, let file = self.context.pointee.pb, file.pointee.error < 0 else { return code }
      // HTTP calls every end of a transfer too early whose length was not announced.
      if file.pointee.error == -EIO, avio_size(file) < 0, self.name.lowercased().hasPrefix("http") {
        return CVStreamLibAV_EOF
      }
      // To most demuxers a read that failed is the end.
      return code == CVStreamLibAV_EOF ? file.pointee.error : code
    }
    return interrupt.code(limitedTo: timeout, reading)
  }

  /// The next of the pictures that make up the input: its file's bytes.
  private func read(_ images: ImageFiles) throws(VStreamError) -> Read {
    guard imagesRead < images.paths.count, !interrupt.wasTriggered else { return .end }
    let (path, ticks) = (images.paths[imagesRead], Int64(imagesRead))
    imagesRead += 1
    guard let bytes = ImageFiles.bytes(of: path), !bytes.isEmpty else {
      return .damaged(reason: "'\(path)' cannot be read")
    }
    let photo = ImageMetadata(of: bytes)
    if !photo.exif.isEmpty, notices.isEmpty {
      notices.append("the Exif of '\(path)' and others is left out: only a picture by itself keeps it")
    }
    return .packet(
      try Packet(picture: bytes, of: photo, stream: video.index, ticks: ticks, timeBase: video.timeBase))
  }

  private func place(_ packet: Packet) -> [Packet] {
    let index = packet.streamIndex
    let isPaced = index < streams.count && [.video, .audio].contains(streams[index].kind)
    guard isPaced, let time = packet.decodingTime else {
      return [Self.moved(.init(payload: packet, offset: timeline.offset(ofSparse: index)))]
    }
    let entry = Timeline.Entry(
      payload: packet, stream: index, time: time.seconds, duration: packet.durationSeconds)
    return timeline.place(entry).map(Self.moved)
  }

  /// A packet with the times that it has its place by.
  private static func moved(_ place: Timeline<Packet>.Placed) -> Packet {
    let packet = place.payload.av
    let (pts, dts) = (packet.pointee.pts, packet.pointee.dts)
    let ticks = place.payload.timeBase.ticks(seconds: place.offset)
    if pts != CVStreamLibAV_NOPTS { packet.pointee.pts = pts.limitedSum(ticks) }
    if dts != CVStreamLibAV_NOPTS { packet.pointee.dts = dts.limitedSum(ticks) }
    if let delay = place.payload.delaySeconds, abs(delay) > Self.longestDelay + 32 * place.payload.durationSeconds {
      packet.pointee.pts = CVStreamLibAV_NOPTS
    }
    return place.payload
  }

  /// Seconds that no picture waits, between being decoded and being shown, for pictures that are shown before it.
  private static let longestDelay = 10.0

  /// Goes to the last key frame at or before a moment of the input's timeline; stays where it is, with an input that
  /// cannot be sought in.
  public func seek(toSeconds seconds: Double) {
    let ticks = video.timeBase.ticks(seconds: seconds)
    timeline = Timeline(leader: video.index)
    placed = []
    if let images {
      imagesRead = min(images.paths.count, max(0, Int(clamping: Double(ticks))))
      return
    }
    avformat_seek_file(context, Int32(video.index), Int64.min, ticks, ticks, 0)
  }
}

extension MediaReader {
  private static func findStreams(
    _ context: UnsafeMutablePointer<AVFormatContext>, input: MediaInput, failure: InputFailure, interrupt: Interrupt
  ) throws(VStreamError) {
    CVStreamLibAV_forgetMessage()
    let code = interrupt.limited(to: input.openingLimit) {
      let code = avformat_find_stream_info(context, nil)
      // One that was given up may have found half of what there is.
      return code >= 0 && interrupt.shouldEnd ? CVStreamLibAV_EXIT : code
    }
    guard code >= 0 else { throw failure.probing(code) }
  }

  private static func streams(
    of context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) -> [StreamInfo] {
    var result: [StreamInfo] = []
    for index in 0..<Int(context.pointee.nb_streams) {
      guard let stream = context.pointee.streams[index] else { continue }
      result.append(try StreamInfo(stream, of: context))
    }
    return result
  }

  private static func chooseVideo(
    _ context: UnsafeMutablePointer<AVFormatContext>, streams: [StreamInfo], name: String
  ) throws(VStreamError) -> StreamInfo {
    let videos = streams.filter { $0.kind == .video && $0.attachedPicture == nil }
    let isMarked = videos.contains { $0.disposition & AV_DISPOSITION_DEFAULT != 0 }
    let candidates = videos.filter { !isMarked || $0.disposition & AV_DISPOSITION_DEFAULT != 0 }
    // Of equals the first.
    if let largest = candidates.map(\.pixelCount).max(),
      let chosen = candidates.first(where: { $0.pixelCount == largest })
    {
      return chosen
    }
    let kinds = streams.map(\.label).joined(separator: ", ")
    throw VStreamError(
      .unreadableInput, "'\(name)' has no video" + (kinds.isEmpty ? "" : ": only \(kinds)"),
      remedy: "name an input that has")
  }

  /// What a photo says beside its pixels; `nil` if the input is none.
  private static func photo(_ input: MediaInput, _ context: UnsafeMutablePointer<AVFormatContext>) -> ImageMetadata? {
    let format = String(cString: context.pointee.iformat.pointee.name)
    guard format == "image2" || format.hasSuffix("_pipe"), !input.isURL, input.location != "-" else { return nil }
    guard FileStatus.isRegularFile(input.location) else { return nil }
    return ImageMetadata(of: ImageFiles.bytes(of: input.location) ?? [])
  }

  private static func describe(
    _ context: UnsafeMutablePointer<AVFormatContext>, of input: MediaInput, kind: InputKind, photo: ImageMetadata?
  ) -> ContainerInfo {
    let duration = context.pointee.duration
    let seconds = duration > 0 ? Double(duration) / Double(AV_TIME_BASE) : nil
    let isGuessed = context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE
    let start = context.pointee.start_time
    let chapters = (0..<Int(context.pointee.nb_chapters)).compactMap { index -> Chapter? in
      guard let chapter = context.pointee.chapters[index]?.pointee, let base = Rational(chapter.time_base) else {
        return nil
      }
      return Chapter(
        id: chapter.id, start: Time(ticks: chapter.start, base: base), end: Time(ticks: chapter.end, base: base),
        metadata: StreamInfo.dictionary(chapter.metadata))
    }
    return ContainerInfo(
      kind: kind,
      formatName: String(cString: context.pointee.iformat.pointee.name),
      durationSeconds: seconds, lengthSeconds: isGuessed ? nil : seconds,
      startSeconds: start == CVStreamLibAV_NOPTS ? 0 : Double(start) / Double(AV_TIME_BASE),
      metadata: StreamInfo.dictionary(context.pointee.metadata), chapters: chapters, photo: photo,
      isPaced: input.isPaced)
  }
}
