internal import CVStreamLibAV
internal import VStreamScene

/// How an input that was lost goes on when it is there again: as the same streams, on the same timeline.
public struct StreamContinuation: Sendable {
  let streams: [StreamInfo]
  let video: StreamInfo
  let seconds: @Sendable () -> Double

  /// - Parameters:
  ///   - streams: the input's streams as they were at first.
  ///   - video: the one of them that is processed.
  ///   - seconds: where its first packet lies on the input's timeline; asked for once it is open.
  public init(streams: [StreamInfo], video: StreamInfo, seconds: @escaping @Sendable () -> Double) {
    self.streams = streams
    self.video = video
    self.seconds = seconds
  }

  /// The video goes on with the video, whatever it is like now; the others with the first of those that are coded like
  /// them.
  func successors(in found: [StreamInfo], video chosen: StreamInfo) -> Successors {
    var free = streams.filter { $0.index != video.index }
    var targets = [chosen.index: Successors.Target(from: chosen, to: video)]
    for stream in found where stream.index != chosen.index {
      guard let place = free.firstIndex(where: { stream.isCoded(like: $0) }) else { continue }
      targets[stream.index] = Successors.Target(from: stream, to: free.remove(at: place))
    }
    return Successors(targets: targets, none: streams.count)
  }
}

/// Which stream of an earlier connection each of this one's goes on with.
struct Successors: Sendable {
  struct Target: Sendable {
    let index: Int
    let base: Rational
    let earlierBase: Rational

    init(from stream: StreamInfo, to earlier: StreamInfo) {
      index = earlier.index
      base = stream.timeBase
      earlierBase = earlier.timeBase
    }
  }

  let targets: [Int: Target]
  /// A number that no stream has.
  let none: Int

  /// Gives a packet the number and the time base that its stream had.
  func renumber(_ packet: UnsafeMutablePointer<AVPacket>) {
    guard let target = targets[Int(packet.pointee.stream_index)] else {
      packet.pointee.stream_index = Int32(clamping: none)
      return
    }
    packet.pointee.stream_index = Int32(clamping: target.index)
    av_packet_rescale_ts(packet, target.base.av, target.earlierBase.av)
  }
}
