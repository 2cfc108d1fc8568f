internal import CVStreamLibAV
internal import VStreamScene

/// The stream of the first connection that each stream of a later connection continues.
struct StreamMapping: Sendable {
  struct Target: Sendable {
    let index: Int
    private let base: Rational
    private let firstBase: Rational

    /// - Parameters:
    ///   - stream: A stream of the later connection.
    ///   - first: The one of the first connection that it continues.
    init(from stream: StreamInfo, to first: StreamInfo) {
      index = first.index
      base = stream.timeBase
      firstBase = first.timeBase
    }

    fileprivate func rescale(_ packet: UnsafeMutablePointer<AVPacket>) {
      av_packet_rescale_ts(packet, base.av, firstBase.av)
    }
  }

  /// By the index in the later connection.
  let targets: [Int: Target]
  /// The index that packets of other streams get, which no stream has.
  let unusedIndex: Int

  /// Gives a packet the index and the time base of the stream that it continues.
  func apply(to packet: UnsafeMutablePointer<AVPacket>) {
    guard let target = targets[Int(packet.pointee.stream_index)] else {
      packet.pointee.stream_index = Int32(clamping: unusedIndex)
      return
    }
    packet.pointee.stream_index = Int32(clamping: target.index)
    target.rescale(packet)
  }
}
