internal import CVStreamLibAV
package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads packets from a file, device, pipe, network stream or image sequence.
///
/// One owner at a time; calls block, limited by the input's timeout and by `interrupt`.
package final class MediaReader {
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let timeout: Double?
  private let interrupt: Interrupt
  private let isHTTP: Bool
  private let failure: InputFailure
  /// Retained for the context, which reads from it.
  private let pipe: PipeInput?
  private var images: ImageSequence?
  private var frames: FrameSequence?
  private var timeline: PacketTimeline
  private var isClosed = false
  /// Whether packets arrive at the pace of a sender, which their arrival shows.
  private let measuresArrival: Bool
  /// The time bases of libav's streams, where the packets get others.
  private let rescaled: [Int: Rational]
  /// The streams of the first connection that those of this one continue; `nil` for a first connection.
  private let mapping: StreamMapping?
  /// Whether a read exceeded the timeout. What libav still returns after that is not waited for.
  private var hasTimedOut = false
  /// Packets that are returned next.
  private var ready: [Packet] = []
  /// The first packet, where it was read to determine the start.
  private var first: Packet?
  /// The latest end of any packet so far, in the container's own times in seconds.
  /// The times of the audio streams, by index.
  private var audioTimes: [Int: AudioTimes] = [:]
  private var latestEnd = -Double.infinity

  /// The time on the first connection's timeline at which this one begins; `nil` for a first connection.
  package let continuesAt: Double?
  package let container: ContainerInfo
  package let streams: [StreamInfo]
  /// The streams that the input's map selects, in its order.
  package let selectedStreams: [StreamInfo]
  /// The stream that is processed: the default one, or the largest.
  package let video: StreamInfo
  /// The first audio stream; `nil` if there is none.
  package var sound: StreamInfo? { streams.first { $0.kind == .audio } }

  /// Opens an input and determines its streams.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`; `unreadableInput` if it is not media or has no video; `usage` for an
  ///   unknown format or option. The C functions are `avformat_open_input` and `avformat_find_stream_info`.
  package init(
    _ input: MediaInput, continuing earlier: StreamContinuation? = nil, interrupt: Interrupt = Interrupt()
  ) throws(VStreamError) {
    timeout = input.limit
    isHTTP = input.location.lowercased().hasPrefix("http")
    self.interrupt = interrupt
    frames = try input.frames.map { (next) throws(VStreamError) in try FrameSequence(next) }
    let files =
      input.format == nil && input.frames == nil ? try ImageFiles(input.location, options: input.options) : nil
    images = files.map(ImageSequence.init)
    let opener = try InputOpener(input, images: files, isReconnecting: earlier != nil)
    failure = opener.failure
    pipe = PipeInput.reads(input, kind: opener.kind) ? try PipeInput(input.location, interrupt: interrupt) : nil
    continuesAt = earlier?.startSeconds()
    if let frames {
      context = try frames.openedContext()
    } else {
      context = try Self.openAnalysed(input, opener, pipe: pipe, continuing: earlier, interrupt: interrupt)
    }
    var opened: UnsafeMutablePointer<AVFormatContext>? = context
    do {
      let isUntimed = Self.arrivesUntimed(context, input: input, kind: opener.kind)
      var found = try Self.streams(of: context)
      rescaled = isUntimed ? Dictionary(uniqueKeysWithValues: found.map { ($0.index, $0.timeBase) }) : [:]
      if isUntimed { found = found.map { $0.withArrivalTimestamps() } }
      let selected = try input.map.select(from: found, of: context)
      let chosen = try Self.chooseVideo(selected, of: input)
      selectedStreams = selected
      if let earlier {
        (streams, mapping) = (earlier.streams, earlier.mapping(of: found, video: chosen))
        video = chosen.continuing(earlier.video)
      } else {
        (streams, video, mapping) = (found, chosen, nil)
      }
      timeline = PacketTimeline(
        streams: streams, video: video, startingAt: continuesAt, isPaced: input.isPaced,
        isUntimed: isUntimed, rate: try Self.cameraRate(context, input: input))
      if files == nil, opener.kind != .device {
        first = Self.firstPacket(of: context, limit: input.limit, interrupt: interrupt)
      }
      container = ContainerInfo(
        context.pointee, of: input, kind: opener.kind, isUntimed: isUntimed && !isHTTP, first: first,
        photo: files == nil ? Self.photo(input, context, video) : nil)
      measuresArrival = container.isPacedBySender || isUntimed
    } catch {
      avformat_close_input(&opened)
      throw error
    }
  }

  deinit { close() }

  /// Closes the input, after which there are no more packets. Closing twice has no effect.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    // Some protocols notify the server, and wait for it.
    interrupt.limited(to: 1) { avformat_close_input(&context) }
  }

  /// The result of a read.
  package enum Read: Sendable {
    case packet(Packet)
    /// Data that the demuxer cannot parse; reading continues after it.
    case damaged(reason: String)
    case end
  }

  /// Whether nothing more arrives, as the data ended or the timeout was exceeded. Demuxers then still return the last packets,
  /// which may be incomplete.
  package var isExhausted: Bool {
    hasTimedOut || (!isClosed && context.pointee.pb.map { $0.pointee.eof_reached != 0 } ?? false)
  }

  /// The files of an image sequence, in the order of their times, which are one tick apart; empty for other inputs.
  package var imagePaths: [String] { images?.paths ?? [] }

  /// Notices on the data read so far, one line each.
  package var notices: [Message] {
    if timeline.hasGuessedTimestamps, video.frameRate?.value == 25 {
      return ["the input has no timestamps, and its frame rate is a guess (\(.inputOption, "framerate=N") sets it)"]
    }
    return (images?.notice.map { [Message($0)] } ?? []) + late
  }

  /// Streams that began after the input was opened, as some formats allow.
  private var late: [Message] {
    lateStreams.values.filter { !$0.isEmpty }.sorted().map { label in
      "stream \(label) begins after the input was opened, and is omitted (\(.inputOption, "analyzeduration=60M"), "
        + "\(.inputOption, "probesize=100M") read more of it before)"
    }
  }

  /// How often the sender's clock was set since this was called last.
  package func takeClockSteps() -> Int { timeline.takeClockSteps() }

  /// The next packet in the file's order, with its times on a timeline that goes forward.
  ///
  /// - Throws: `VStreamError.inputOutput` if reading fails or exceeds the timeout.
  package func next() throws(VStreamError) -> Read {
    while ready.isEmpty {
      switch try read() {
      case .packet(let packet): ready = timeline.add(packet)
      case .damaged(let reason): return .damaged(reason: reason)
      case .end:
        ready = timeline.finish()
        if ready.isEmpty { return .end }
      }
    }
    return .packet(ready.removeFirst())
  }

  /// Whether the next packet was read before, and held back until its time was known.
  package var hasReadPackets: Bool { !ready.isEmpty }

  /// Whether `seek` may be tried: the data neither arrives by a pipe nor by a protocol without positions.
  package var isSeekable: Bool { frames == nil && context.pointee.pb.map { $0.pointee.seekable != 0 } ?? true }

  /// Continues at the last key frame at or before a time on the input's timeline.
  ///
  /// - Returns: `false` if the container cannot seek to this time; the position is undefined then.
  package func seek(toSeconds seconds: Double) -> Bool {
    let ticks = video.timeBase.ticks(atOrBefore: seconds)
    timeline.reset()
    ready = []
    first = nil
    if images != nil {
      images?.seek(to: Int(clamping: ticks))
      return true
    }
    return avformat_seek_file(context, Int32(video.index), Int64.min, ticks, ticks, 0) >= 0
  }

  /// The next packet with its own times.
  private func read() throws(VStreamError) -> Read {
    if isClosed { return .end }
    if frames != nil { return interrupt.wasTriggered ? .end : try frames?.next(in: video) ?? .end }
    if images != nil { return interrupt.wasTriggered ? .end : try images?.next(in: video) ?? .end }
    guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
    CVStreamLibAV_forgetMessage()
    let requested = measuresArrival ? Interrupt.seconds : 0
    let code = readFrame(packet)
    let arrival = measuresArrival ? Arrival(requested: requested, received: Interrupt.seconds) : nil
    guard !code.isFailure else {
      var unused: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&unused)
      if code == .endOfStream {
        endsWithinPacket = String(cString: CVStreamLibAV_firstMessage()) == Self.endsWithinElement
      }
      if code == .endOfStream || (code == .interrupted && interrupt.wasTriggered) { return .end }
      if isDamage(code) { return .damaged(reason: code.reason) }
      throw failure.reading(code)
    }
    if let base = rescaled[Int(packet.pointee.stream_index)] {
      av_packet_rescale_ts(packet, base.av, Rational.microseconds.av)
    }
    mapping?.apply(to: packet)
    let index = Int(packet.pointee.stream_index)
    // Some demuxers find streams later (MPEG-TS); the writer does not know them and skips their packets.
    if index >= streams.count, mapping == nil, lateStreams[index] == nil { noteLateStream(index) }
    let base = index < streams.count ? streams[index].timeBase : .milliseconds
    let owner = Packet(takingOwnershipOf: packet, timeBase: base, arrival: arrival)
    Self.unsetImpossibleTimes(of: packet, base)
    if index < streams.count, streams[index].kind == .audio {
      audioTimes[index, default: AudioTimes(streams[index])].complete(packet)
    }
    if let photo = container.photo { try Packet.attach(photo.orientation, to: packet) }
    if let time = owner.presentationTime ?? owner.decodingTime {
      latestEnd = max(latestEnd, time.seconds + max(0, owner.durationSeconds))
    }
    return .packet(owner)
  }

  /// Names for messages, by the index; empty for streams that no output would have.
  private var lateStreams: [Int: String] = [:]

  private func noteLateStream(_ index: Int) {
    let stream = context.pointee.streams[index].flatMap { try? StreamInfo($0, of: context) }
    lateStreams[index] = stream.flatMap { [.video, .audio, .subtitle].contains($0.kind) ? $0.label : nil } ?? ""
  }

  /// Whether the file ends in the middle of a packet.
  package private(set) var endsWithinPacket = false

  /// The message of libav's demuxer of Matroska, which returns no code of its own.
  private static let endsWithinElement = "File ended prematurely"

  /// How much less was read than the container states, 0 for less than a second; `nil` if it states no duration, or one
  /// that cannot be true.
  ///
  /// Containers that state a duration count it from 0, whatever the time of the first packet.
  package var missingSeconds: Double? {
    guard continuesAt == nil, let length = container.statedDurationSeconds, latestEnd > -.infinity else { return nil }
    let missing = length - (timeline.joinedSeconds ?? latestEnd)
    guard missing > 1 else { return 0 }
    // A file that was written to a pipe may state the longest one possible.
    let mostFrames = context.pointee.pb.map { avio_tell($0) / Self.minimumFrameBytes } ?? .max
    return Int64(video.frameCount) <= mostFrames ? missing : nil
  }

  /// The header of an empty frame.
  private static let minimumFrameBytes: Int64 = 8

  /// The codes that are about the data, after which reading can continue.
  private static let damageCodes: Set<LibAVCode> = [
    .invalidData, .notImplemented, .libraryBug, .system(EINVAL), .system(ERANGE),
  ]

  /// Whether a failed read is about the data, after which reading can continue.
  ///
  /// If the file itself can be read, its contents are damaged, whatever libav calls it: an impossible size is "out of
  /// memory".
  private func isDamage(_ code: LibAVCode) -> Bool {
    if Self.damageCodes.contains(code) { return true }
    guard container.kind == .file, code != .interrupted, let file = context.pointee.pb else { return false }
    return !LibAVCode(file.pointee.error).isFailure
  }

  private func readFrame(_ packet: UnsafeMutablePointer<AVPacket>) -> LibAVCode {
    if let first {
      self.first = nil
      return LibAVCode(av_packet_ref(packet, first.av))
    }
    return interrupt.code(limitedTo: hasTimedOut ? 0 : timeout) {
      var code = LibAVCode(av_read_frame(self.context, packet))
      // A camera is read without blocking, as libav's waiting for it cannot be interrupted.
      while code == .tryAgain, !self.interrupt.shouldEnd {
        poll(nil, 0, 1)
        code = LibAVCode(av_read_frame(self.context, packet))
      }
      if self.interrupt.shouldEnd { self.hasTimedOut = true }
      guard code.isFailure, let file = self.context.pointee.pb else { return code.rawValue }
      let fileError = LibAVCode(file.pointee.error)
      guard fileError.isFailure else { return code.rawValue }
      // libav reports every end of an HTTP transfer of unknown length as an error.
      if fileError == .system(EIO), avio_size(file) < 0, self.isHTTP { return LibAVCode.endOfStream.rawValue }
      // Most demuxers report a failed read as the end.
      return code == .endOfStream ? fileError.rawValue : code.rawValue
    }
  }

  /// Unsets times that no clock has and that would overflow later, and marks the packet as damaged.
  private static func unsetImpossibleTimes(of packet: UnsafeMutablePointer<AVPacket>, _ base: Rational) {
    func isPossible(_ ticks: Int64) -> Bool {
      ticks == CVStreamLibAV_NOPTS || abs(Double(ticks) * base.value) < maximumTime
    }
    if isPossible(packet.pointee.pts), isPossible(packet.pointee.dts), isPossible(packet.pointee.duration) { return }
    packet.pointee.pts = CVStreamLibAV_NOPTS
    packet.pointee.dts = CVStreamLibAV_NOPTS
    packet.pointee.duration = 0
    packet.pointee.flags |= AV_PKT_FLAG_CORRUPT
  }

  /// About 300 years in seconds, well above times since 1970.
  private static let maximumTime = 1e10
}
