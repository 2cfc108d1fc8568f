internal import CVStreamLibAV
internal import VStreamCore

/// Owns a decoder or encoder of a converted stream.
final class CodecContext {
  let av: UnsafeMutablePointer<AVCodecContext>
  private let codec: UnsafePointer<AVCodec>

  /// An encoder that is not open yet.
  init(_ codec: UnsafePointer<AVCodec>) throws(VStreamError) {
    guard let allocated = avcodec_alloc_context3(codec) else { throw outOfMemory("codec") }
    av = allocated
    self.codec = codec
  }

  /// An open decoder.
  ///
  /// - Throws: `VStreamError.library` if there is none for the stream.
  convenience init(decoding stream: StreamInfo) throws(VStreamError) {
    guard let codec = avcodec_find_decoder(stream.parameters.av.pointee.codec_id) else {
      throw VStreamError(.library, "no decoder for stream \(stream.label)")
    }
    try self.init(codec)
    try requireLibAV(.library, "the decoder of stream \(stream.label)") {
      avcodec_parameters_to_context(av, stream.parameters.av)
    }
    av.pointee.pkt_timebase = stream.timeBase.av
    try open()
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = av
    avcodec_free_context(&context)
  }

  func open() throws(VStreamError) {
    try requireLibAV(.library, "\(String(cString: codec.pointee.name)) cannot be opened") {
      avcodec_open2(av, codec, nil)
    }
  }

  /// A stream as this open encoder encodes it.
  func output(of stream: StreamInfo) throws(VStreamError) -> StreamInfo {
    guard let parameters = avcodec_parameters_alloc() else { throw outOfMemory("stream parameters") }
    var owned: UnsafeMutablePointer<AVCodecParameters>? = parameters
    defer { avcodec_parameters_free(&owned) }
    try requireLibAV(.library, "stream parameters") { avcodec_parameters_from_context(parameters, av) }
    return stream.encoded(
      as: try CodecParameters(copying: parameters), timeBase: Rational(av.pointee.time_base) ?? stream.timeBase)
  }

  /// The encoded packets that are ready.
  func receivePackets(stream: Int, timeBase: Rational) throws(VStreamError) -> [Packet] {
    var packets: [Packet] = []
    while true {
      guard let packet = av_packet_alloc() else { throw outOfMemory("packet") }
      let owner = Packet(takingOwnershipOf: packet, timeBase: timeBase)
      guard case .value = try libav(.library, "the encoder failed", { avcodec_receive_packet(av, packet) }) else {
        return packets
      }
      packet.pointee.stream_index = Int32(clamping: stream)
      packets.append(owner)
    }
  }
}
