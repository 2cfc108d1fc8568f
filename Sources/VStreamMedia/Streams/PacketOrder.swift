internal import CVStreamLibAV
internal import VStreamScene

/// Keeps the decoding times of one output stream in the order that its muxer requires: ascending, or, where the container
/// or the kind of stream allows it, equal.
///
/// Equal times are no disorder. Captions may start together, and audio packets shorter than a tick of the container's time
/// base have the same time in it.
struct PacketOrder {
  /// Packets that preceded the packet before them, as in damaged and joined files.
  private(set) var corrected = 0
  /// Ticks by which a packet's decoding time has to exceed the last one's.
  private let minimumStep: Int64
  /// Decoding time of the last packet, in ticks of the output.
  private var last: Int64?

  /// The rule is that of libavformat's `av_write_frame`.
  init(of stream: UnsafePointer<AVStream>, in format: UnsafePointer<AVOutputFormat>) {
    let isSparse = [AVMEDIA_TYPE_SUBTITLE, AVMEDIA_TYPE_DATA].contains(stream.pointee.codecpar.pointee.codec_type)
    minimumStep = isSparse || format.pointee.flags & AVFMT_TS_NONSTRICT != 0 ? 0 : 1
  }

  /// Moves a packet, whose times are in ticks of the output, to the earliest time that the muxer accepts.
  mutating func restore(_ packet: UnsafeMutablePointer<AVPacket>) {
    let time = packet.pointee.dts
    guard time != CVStreamLibAV_NOPTS else { return }
    if let last {
      if time < last { corrected += 1 }
      let earliest = last.limitedSum(minimumStep)
      if time < earliest {
        if packet.pointee.pts != CVStreamLibAV_NOPTS { packet.pointee.pts = max(packet.pointee.pts, earliest) }
        packet.pointee.dts = earliest
      }
    }
    last = packet.pointee.dts
  }
}
