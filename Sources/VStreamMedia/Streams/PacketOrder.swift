internal import CVStreamLibAV
internal import VStreamCore

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
