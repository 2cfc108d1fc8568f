internal import CVStreamLibAV
public import VStreamScene

/// A piece of one stream as it lies in a file: coded, with its times. Never changed once its maker gave it
/// away.
///
/// Unchecked because the pointer is not Sendable; sound because nothing writes to the packet once it is shared.
public final class Packet: @unchecked Sendable {
  let av: UnsafeMutablePointer<AVPacket>
  /// Seconds per tick of the packet's times.
  public let timeBase: Rational

  init(takingOwnershipOf packet: UnsafeMutablePointer<AVPacket>, timeBase: Rational) {
    av = packet
    self.timeBase = timeBase
  }

  /// A packet that is the whole file of a picture.
  ///
  /// - Parameter photo: what the file says beside its pixels.
  /// - Throws: `VStreamError.library` if memory runs out.
  convenience init(
    picture: [UInt8], of photo: ImageMetadata, stream: Int, ticks: Int64, timeBase: Rational
  ) throws(VStreamError) {
    guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
    self.init(takingOwnershipOf: packet, timeBase: timeBase)
    try requireLibAV(.library, "packet") { av_new_packet(packet, Int32(clamping: picture.count)) }
    picture.withUnsafeBytes { bytes in
      guard let from = bytes.baseAddress, let to = packet.pointee.data else { return }
      UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: min(bytes.count, Int(packet.pointee.size)))
    }
    packet.pointee.stream_index = Int32(stream)
    packet.pointee.pts = ticks
    packet.pointee.dts = ticks
    packet.pointee.duration = 1
    packet.pointee.flags = AV_PKT_FLAG_KEY
    try Self.orient(packet, by: photo)
  }

  /// Has a picture's frame say how it is to be turned, as libav does by itself for JPEG alone.
  static func orient(_ packet: UnsafeMutablePointer<AVPacket>, by photo: ImageMetadata?) throws(VStreamError) {
    guard let orientation = photo?.orientation, orientation != .upright else { return }
    let matrix = orientation.matrix
    let size = matrix.count * MemoryLayout<Int32>.size
    guard let data = av_packet_new_side_data(packet, AV_PKT_DATA_DISPLAYMATRIX, size) else {
      throw outOfMemory("packet")
    }
    matrix.withUnsafeBytes { bytes in
      if let from = bytes.baseAddress { UnsafeMutableRawPointer(data).copyMemory(from: from, byteCount: size) }
    }
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

  /// For how long it is shown; 0 if the stream does not say.
  var durationSeconds: Double { Double(max(0, av.pointee.duration)) * timeBase.value }
  /// From decoding to showing; `nil` if the stream does not say.
  var delaySeconds: Double? {
    guard let presentationTime, let decodingTime else { return nil }
    return presentationTime.seconds - decodingTime.seconds
  }

  /// The coded bytes, copied.
  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: av.pointee.data, count: max(0, byteCount))) }

  private func time(_ ticks: Int64) -> Time? {
    ticks == CVStreamLibAV_NOPTS ? nil : Time(ticks: ticks, base: timeBase)
  }
}
