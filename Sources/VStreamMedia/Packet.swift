internal import CVStreamLibAV
public import VStreamScene

/// A piece of one stream as it lies in a file: coded, with its times. Never changed once made.
///
/// Unchecked because the pointer is not Sendable; sound because nothing writes to the packet after `init`.
public final class Packet: @unchecked Sendable {
  let av: UnsafeMutablePointer<AVPacket>
  /// Seconds per tick of the packet's times.
  public let timeBase: Rational

  init(takingOwnershipOf packet: UnsafeMutablePointer<AVPacket>, timeBase: Rational) {
    av = packet
    self.timeBase = timeBase
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = av
    av_packet_free(&packet)
  }

  /// Which stream of its file the packet belongs to.
  public var streamIndex: Int { Int(av.pointee.stream_index) }
  /// Number of coded bytes.
  public var byteCount: Int { Int(av.pointee.size) }
  /// Whether a decoder can start here.
  public var isKey: Bool { av.pointee.flags & AV_PKT_FLAG_KEY != 0 }
  /// Whether the container said that the packet is damaged.
  public var isCorrupt: Bool { av.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }
  /// When it is shown; `nil` if the stream does not say.
  public var presentationTime: Time? { time(av.pointee.pts) }
  /// When it is decoded; `nil` if the stream does not say.
  public var decodingTime: Time? { time(av.pointee.dts) }

  private func time(_ ticks: Int64) -> Time? {
    ticks == CVStreamLibAV_NOPTS ? nil : Time(ticks: ticks, base: timeBase)
  }
}
