internal import CVStreamLibAV
internal import VStreamCore

/// The number of a codec tag of four letters, such as `hvc1`.
func codecTag(_ name: String) -> UInt32 { name.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

/// Owns a copy of a stream's AVCodecParameters.
///
/// Unchecked because the pointer is not Sendable; sound because nothing writes to the parameters after `init`.
final class CodecParameters: @unchecked Sendable {
  let av: UnsafeMutablePointer<AVCodecParameters>

  /// - Throws: `VStreamError.library` if memory runs out.
  init(copying source: UnsafePointer<AVCodecParameters>) throws(VStreamError) {
    guard let copy = avcodec_parameters_alloc() else { throw outOfMemory("stream parameters") }
    av = copy
    try requireLibAV(.library, "stream parameters") { avcodec_parameters_copy(copy, source) }
  }

  /// A copy with another header.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  convenience init(copying source: CodecParameters, extradata: [UInt8]) throws(VStreamError) {
    try self.init(copying: source.av)
    try av.setExtradata(extradata)
  }

  /// The codec's header, or the contents of an attachment.
  var extradata: [UInt8] {
    let coded = av.pointee
    guard let bytes = coded.extradata, coded.extradata_size > 0 else { return [] }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(coded.extradata_size)))
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVCodecParameters>? = av
    avcodec_parameters_free(&pointer)
  }
}

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
