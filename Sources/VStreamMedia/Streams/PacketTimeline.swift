internal import CVStreamLibAV
internal import VStreamCore

/// Puts the packets of an input on its timeline: `ArrivalTimestamps`, `UntimedStart`, `JoinedRecordings`, then `Timeline`, applied
/// to libav's packets.
struct PacketTimeline {
  private let streams: [StreamInfo]
  private let video: StreamInfo
  private var timeline: Timeline<Packet>
  private var untimed: UntimedStart
  /// `nil` if the input has timestamps.
  private var arrivals: ArrivalTimestamps?
  private var joined: JoinedRecordings

  /// No frame waits longer than this many seconds, plus 32 frame durations, between decoding and presentation.
  private static let maximumDelay = 10.0

  /// - Parameters:
  ///   - start: The time that the first packet is given; `nil` for its own.
  ///   - isPaced: Whether the input comes by a protocol such as RTSP, whose first packets may have no times.
  ///   - isUntimed: Whether the input is live, and has no timestamps.
  ///   - rate: The packets per second of such an input; `nil` if they are to be measured.
  init(
    streams: [StreamInfo], video: StreamInfo, startingAt start: Double?, isPaced: Bool, isUntimed: Bool = false,
    rate: Double? = nil
  ) {
    self.streams = streams
    self.video = video
    timeline = Timeline(leader: video.index, startingAt: start, maximumGap: Self.maximumGap(of: video))
    untimed = UntimedStart(of: video, isExpected: isPaced)
    joined = JoinedRecordings(isExpected: video.wrapsAround)
    arrivals = isUntimed ? ArrivalTimestamps(rate: rate) : nil
  }

  /// Adds the next packet, and returns the packets with determined times.
  mutating func add(_ packet: Packet) -> [Packet] {
    let stamped = arrivals?.add(packet) ?? [packet]
    return stamped.flatMap { untimed.take($0) }.flatMap { joined.take($0) }.flatMap { retime($0) }
  }

  /// Whether libav's guess of the frame rate gives the timestamps, as the input has none and is not live.
  var hasGuessedTimestamps: Bool { arrivals?.isFile == true }

  /// The seconds of an input whose times jump; `nil` for others.
  var joinedSeconds: Double? { timeline.joinedSeconds }

  /// How often the sender's clock was set since this was called last.
  mutating func takeClockSteps() -> Int {
    defer { timeline.clockSteps = 0 }
    return timeline.clockSteps
  }

  /// Returns the packets that were held back, at the end of the input.
  mutating func finish() -> [Packet] {
    let stamped = arrivals?.finish() ?? []
    let held = (stamped.flatMap { untimed.take($0) } + untimed.finish()).flatMap { joined.take($0) } + joined.finish()
    return held.flatMap { retime($0) } + timeline.finish().map(Self.shifted)
  }

  /// Starts again for packets from another position of the input, whose times are as the input gives them.
  mutating func reset() {
    timeline = Timeline(leader: video.index, maximumGap: Self.maximumGap(of: video))
    _ = joined.finish()
  }

  private static func maximumGap(of video: StreamInfo) -> Double {
    video.wrapsAround ? Timeline<Packet>.longestGapOfWrappingClock : .infinity
  }

  private mutating func retime(_ packet: Packet) -> [Packet] {
    let index = packet.streamIndex
    let isDense = index < streams.count && [.video, .audio].contains(streams[index].kind)
    guard isDense, let time = packet.decodingTime else {
      if let arrival = packet.arrival, let shown = packet.presentationTime, index == video.index {
        timeline.noteArrival(arrival, ofTime: shown.seconds)
      }
      return timeline.add(sparse: packet).map(Self.shifted)
    }
    let entry = Timeline.Entry(
      payload: packet, stream: index, time: time.seconds, duration: packet.durationSeconds,
      arrival: packet.arrival)
    return timeline.add(entry).map(Self.shifted)
  }

  /// Adds the offset to the packet's times, and unsets a presentation time that is too far from the decoding time.
  private static func shifted(_ output: Timeline<Packet>.Output) -> Packet {
    let packet = output.payload.av
    let (pts, dts) = (packet.pointee.pts, packet.pointee.dts)
    let ticks = output.payload.timeBase.ticks(seconds: output.offset)
    if pts != CVStreamLibAV_NOPTS { packet.pointee.pts = pts.limitedSum(ticks) }
    if dts != CVStreamLibAV_NOPTS { packet.pointee.dts = dts.limitedSum(ticks) }
    if let delay = output.payload.delaySeconds, abs(delay) > maximumDelay + 32 * output.payload.durationSeconds {
      packet.pointee.pts = CVStreamLibAV_NOPTS
    }
    return output.payload
  }
}

/// Keeps the decoding times of one output stream in the order that its muxer requires: ascending, or, where the container
/// or the kind of stream allows it, equal.
///
/// Equal times are no disorder. Captions may start together, and audio packets shorter than a tick of the container's time
/// base have the same time in it.
struct PacketOrder {
  /// Packets that preceded the packet before them, as in damaged and joined files.
  private(set) var corrected = 0
  /// The least increase of decoding times from packet to packet, in ticks.
  private let minimumStep: Int64
  /// Whether packets are decoded in another order than they are presented in.
  private let isReordered: Bool
  /// Decoding time of the last packet, in ticks of the output.
  private var last: Int64?

  /// The rule is that of libavformat's `av_write_frame`.
  init(of stream: UnsafePointer<AVStream>, in format: UnsafePointer<AVOutputFormat>) {
    let type = stream.pointee.codecpar.pointee.codec_type
    let isSparse = [AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_DATA].contains(type)
    isReordered = type == AVMEDIA_TYPE_VIDEO
    minimumStep = isSparse || format.pointee.flags & AVFMT_TS_NONSTRICT != 0 ? 0 : 1
  }

  /// Moves a packet, whose times are in ticks of the output, to the earliest time that the muxer accepts.
  ///
  /// A packet without a decoding time follows the last one: the muxer would choose a time, before which the next one's may
  /// be.
  /// - Returns: ticks from the packet before, 0 for the first.
  @discardableResult
  mutating func restore(_ packet: UnsafeMutablePointer<AVPacket>) -> Int64 {
    if packet.pointee.dts == CVStreamLibAV_NOPTS { setDecodingTime(of: packet) }
    let time = packet.pointee.dts
    guard time != CVStreamLibAV_NOPTS else { return 0 }
    defer { last = packet.pointee.dts }
    guard let last else { return 0 }
    if time < last { corrected += 1 }
    let earliest = last.limitedSum(minimumStep)
    if time < earliest {
      if packet.pointee.pts != CVStreamLibAV_NOPTS { packet.pointee.pts = max(packet.pointee.pts, earliest) }
      packet.pointee.dts = earliest
    }
    return packet.pointee.dts.limitedDifference(last)
  }

  private func setDecodingTime(of packet: UnsafeMutablePointer<AVPacket>) {
    guard let last else {
      // The first packet of a reordered stream is decoded before it is presented, by a time that only the muxer knows.
      if !isReordered { packet.pointee.dts = packet.pointee.pts }
      return
    }
    let next = last.limitedSum(max(minimumStep, isReordered ? 0 : packet.pointee.duration))
    if packet.pointee.pts == CVStreamLibAV_NOPTS { packet.pointee.pts = next }
    packet.pointee.dts = isReordered ? next : packet.pointee.pts
    packet.pointee.pts = max(packet.pointee.pts, packet.pointee.dts)
  }
}
