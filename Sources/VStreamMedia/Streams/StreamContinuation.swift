internal import CVStreamLibAV
internal import VStreamCore

/// The streams and timeline of an input whose connection was lost, for the connection that continues it.
package struct StreamContinuation: Sendable {
  let streams: [StreamInfo]
  let video: StreamInfo
  let startSeconds: @Sendable () -> Double

  /// - Parameters:
  ///   - streams: The streams of the first connection.
  ///   - video: The one of them that is processed.
  ///   - startSeconds: Returns the time of the first packet on the input's timeline; called once the connection is open.
  package init(streams: [StreamInfo], video: StreamInfo, startSeconds: @escaping @Sendable () -> Double) {
    self.streams = streams
    self.video = video
    self.startSeconds = startSeconds
  }

  /// Maps the streams of a new connection to those of the first.
  ///
  /// The video continues the video, whatever its codec; each other stream continues the first free one of equal codec,
  /// sample rate and channels.
  func mapping(of found: [StreamInfo], video chosen: StreamInfo) -> StreamMapping {
    var free = streams.filter { $0.index != video.index }
    var targets = [chosen.index: StreamMapping.Target(from: chosen, to: video)]
    for stream in found where stream.index != chosen.index {
      guard let index = free.firstIndex(where: { stream.isEncoded(like: $0) }) else { continue }
      targets[stream.index] = StreamMapping.Target(from: stream, to: free.remove(at: index))
    }
    return StreamMapping(targets: targets, unusedIndex: streams.count)
  }
}

/// Removes the mark of damage from whole packets where MPEG streams are joined: libav takes the counter that starts again for
/// lost data.
///
/// A marked packet is held until two more of its stream follow, as libav's parsers mark the one before the last; if time jumps
/// there, the mark is false.
struct JoinedRecordings {
  private let isExpected: Bool
  /// The last packets of each stream, from a marked one on.
  private var held: [Int: [Packet]] = [:]
  private static let maximumHeld = 2

  /// - Parameter isExpected: Whether the container has such counters; otherwise nothing is held.
  init(isExpected: Bool) { self.isExpected = isExpected }

  /// Takes the next packet, and returns the ready packets of its stream, in their order.
  mutating func take(_ packet: Packet) -> [Packet] {
    guard isExpected else { return [packet] }
    var waiting = held.removeValue(forKey: packet.streamIndex) ?? []
    var ready: [Packet] = []
    if let last = waiting.last, let time = packet.decodingTime, let before = last.decodingTime,
      TimeJump.isJump(to: time.seconds, after: before.seconds, duration: last.durationSeconds)
    {
      for each in waiting { each.av.pointee.flags &= ~AV_PKT_FLAG_CORRUPT }
      swap(&ready, &waiting)
    }
    waiting.append(packet)
    while let first = waiting.first, waiting.count > Self.maximumHeld || !first.isCorrupt {
      ready.append(waiting.removeFirst())
    }
    if !waiting.isEmpty { held[packet.streamIndex] = waiting }
    return ready
  }

  /// Returns the packets that are held, at the end of the input.
  mutating func finish() -> [Packet] {
    defer { held = [:] }
    return held.sorted { $0.key < $1.key }.flatMap(\.value)
  }
}
