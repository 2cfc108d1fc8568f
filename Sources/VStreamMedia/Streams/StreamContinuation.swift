internal import VStreamScene

/// The streams and timeline of an input whose connection was lost, for the connection that continues it.
public struct StreamContinuation: Sendable {
  let streams: [StreamInfo]
  let video: StreamInfo
  let startSeconds: @Sendable () -> Double

  /// - Parameters:
  ///   - streams: The streams of the first connection.
  ///   - video: The one of them that is processed.
  ///   - startSeconds: Returns the time of the first packet on the input's timeline; called once the connection is open.
  public init(streams: [StreamInfo], video: StreamInfo, startSeconds: @escaping @Sendable () -> Double) {
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
