internal import CVStreamLibAV
internal import VStreamScene

/// Gives times to the first packets of a video that have none, as those of RTSP until the sender's first report: they are
/// delayed until a packet has a time, and placed before it at the stream's frame rate.
struct UntimedStart {
  private let stream: Int
  private let ticksPerFrame: Int64
  private var delayed: [Packet] = []
  private var isOver: Bool
  /// After this many packets without a timestamp, the stream is assumed to have none.
  private static let maximumDelayed = 64

  /// - Parameter isExpected: Whether the input may begin so; otherwise nothing is delayed.
  init(of video: StreamInfo, isExpected: Bool) {
    stream = video.index
    let rate = video.frameRate?.value ?? 25
    ticksPerFrame = max(1, video.timeBase.ticks(seconds: 1 / rate))
    isOver = !isExpected
  }

  /// Takes the next packet, and returns those that are ready, in their order.
  mutating func take(_ packet: Packet) -> [Packet] {
    guard !isOver, packet.streamIndex == stream else { return [packet] }
    guard let time = packet.decodingTime ?? packet.presentationTime else {
      delayed.append(packet)
      return delayed.count < Self.maximumDelayed ? [] : finish()
    }
    for (index, early) in delayed.enumerated() {
      let ticks = time.ticks.limitedDifference(ticksPerFrame * Int64(delayed.count - index))
      early.av.pointee.pts = ticks
      early.av.pointee.dts = ticks
    }
    return finish() + [packet]
  }

  /// Returns the delayed packets as they are, at the end of the input.
  mutating func finish() -> [Packet] {
    isOver = true
    defer { delayed = [] }
    return delayed
  }
}
