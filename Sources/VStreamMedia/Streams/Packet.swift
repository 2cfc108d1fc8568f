internal import CVStreamLibAV
package import VStreamCore

/// Encoded data of one stream, with its times. Only the type that makes a packet changes it, before it passes it on.
///
/// Unchecked because the pointer is not Sendable; sound because nothing writes to the packet once it is shared.
package final class Packet: @unchecked Sendable {
  let av: UnsafeMutablePointer<AVPacket>
  /// Seconds per tick of the packet's times.
  package let timeBase: Rational
  /// `nil` if it does not come from a live input.
  let arrival: Arrival?

  init(takingOwnershipOf packet: UnsafeMutablePointer<AVPacket>, timeBase: Rational, arrival: Arrival? = nil) {
    av = packet
    self.timeBase = timeBase
    self.arrival = arrival
  }

  /// A packet that is a whole image file.
  ///
  /// - Parameter metadata: The file's metadata, whose orientation the decoded frame gets.
  /// - Throws: `VStreamError.library` if memory runs out.
  convenience init(
    imageFile bytes: [UInt8], metadata: ImageMetadata, stream: Int, ticks: Int64, timeBase: Rational
  ) throws(VStreamError) {
    let packet = try Self.allocate(copying: bytes)
    self.init(takingOwnershipOf: packet, timeBase: timeBase)
    packet.pointee.stream_index = Int32(stream)
    packet.pointee.pts = ticks
    packet.pointee.dts = ticks
    packet.pointee.duration = 1
    packet.pointee.flags = AV_PKT_FLAG_KEY
    try Self.attach(metadata.orientation, to: packet)
  }

  /// A libav packet of some bytes, which the caller frees.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  static func allocate(copying bytes: [UInt8]) throws(VStreamError) -> UnsafeMutablePointer<AVPacket> {
    guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
    guard !LibAVCode(av_new_packet(packet, Int32(clamping: bytes.count))).isFailure else {
      var unused: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&unused)
      throw outOfMemory("packet")
    }
    bytes.withUnsafeBytes { source in
      guard let from = source.baseAddress, let to = packet.pointee.data else { return }
      UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: min(source.count, Int(packet.pointee.size)))
    }
    return packet
  }

  /// Adds the display matrix that the decoded frame is to have. libav reads the orientation only of JPEG itself.
  static func attach(
    _ orientation: Orientation, to packet: UnsafeMutablePointer<AVPacket>
  ) throws(VStreamError) {
    guard orientation != .upright else { return }
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

  /// Index of the stream that the packet belongs to.
  package var streamIndex: Int { Int(av.pointee.stream_index) }
  /// Number of encoded bytes.
  package var byteCount: Int { Int(av.pointee.size) }
  /// Whether decoding can start here.
  package var isKey: Bool { av.pointee.flags & AV_PKT_FLAG_KEY != 0 }
  /// Whether its frame is decoded and not shown, as one before the start of an edit list.
  package var isHidden: Bool { av.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
  /// Whether the demuxer marked the packet as damaged.
  package var isCorrupt: Bool { av.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }
  /// The presentation time; `nil` if the stream does not specify it.
  package var presentationTime: Time? { time(av.pointee.pts) }
  /// The decoding time; `nil` if the stream does not specify it.
  package var decodingTime: Time? { time(av.pointee.dts) }

  /// The duration; 0 if the stream does not specify it.
  var durationSeconds: Double { Double(max(0, av.pointee.duration)) * timeBase.value }
  /// Presentation time minus decoding time; `nil` if the stream does not specify both.
  var delaySeconds: Double? {
    guard let presentationTime, let decodingTime else { return nil }
    return presentationTime.seconds - decodingTime.seconds
  }

  /// A copy of the encoded bytes.
  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: av.pointee.data, count: max(0, byteCount))) }

  private func time(_ ticks: Int64) -> Time? {
    ticks == CVStreamLibAV_NOPTS ? nil : Time(ticks: ticks, base: timeBase)
  }

  /// Its duration in ticks without the samples at its end that are not played.
  func playedDuration(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Int64 {
    // Bytes 4 to 7 of the side data, little endian, are samples to be discarded.
    let padding = sideData(AV_PKT_DATA_SKIP_SAMPLES)?.dropFirst(4).prefix(4).reversed().reduce(0) {
      $0 << 8 | Int64($1)
    }
    let samples = Int64(av_get_audio_frame_duration2(parameters, av.pointee.size))
    guard let padding, padding > 0, samples > padding, parameters.pointee.sample_rate > 0 else {
      return av.pointee.duration
    }
    let played = av_rescale_q(
      samples - padding, AVRational(num: 1, den: parameters.pointee.sample_rate), timeBase.av)
    return min(av.pointee.duration, max(1, played))
  }

  func sideData(_ kind: AVPacketSideDataType) -> [UInt8]? {
    var count = 0
    guard let data = av_packet_get_side_data(av, kind, &count) else { return nil }
    return Array(UnsafeBufferPointer(start: data, count: count))
  }
}
