internal import CVStreamLibAV
internal import VStreamScene

/// Gives packets their times that come before a stream says any, as those of RTSP do until the sender's first report: they
/// are kept until one has a time, and lie before it at the stream's frame rate.
struct UntimedStart {
  private let stream: Int
  private let ticksPerFrame: Int64
  private var kept: [Packet] = []
  private var isOver: Bool
  /// A stream with so many packets without a time has none at all.
  private static let most = 64

  /// - Parameter isExpected: whether the input may begin so; otherwise nothing is kept.
  init(of video: StreamInfo, isExpected: Bool) {
    stream = video.index
    let rate = video.frameRate?.value ?? 25
    ticksPerFrame = max(1, video.timeBase.ticks(seconds: 1 / rate))
    isOver = !isExpected
  }

  /// Takes the next packet, and gives those whose turn it is.
  mutating func take(_ packet: Packet) -> [Packet] {
    guard !isOver, packet.streamIndex == stream else { return [packet] }
    guard let time = packet.decodingTime ?? packet.presentationTime else {
      kept.append(packet)
      return kept.count < Self.most ? [] : finish()
    }
    for (index, early) in kept.enumerated() {
      let ticks = time.ticks.limitedDifference(ticksPerFrame * Int64(kept.count - index))
      early.av.pointee.pts = ticks
      early.av.pointee.dts = ticks
    }
    return finish() + [packet]
  }

  /// Gives what is kept, as it is.
  mutating func finish() -> [Packet] {
    isOver = true
    defer { kept = [] }
    return kept
  }
}
