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

/// Data beside the encoded bytes of a stream or frame: mastering display, content light, display matrix, …
struct SideData: Sendable {
  let type: AVPacketSideDataType
  let bytes: [UInt8]

  /// The first four bytes as a number, such as that of an enumeration; `nil` for shorter data.
  var firstValue: Int32? {
    bytes.count < 4 ? nil : bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
  }

  /// The types that describe what the frames of a stream show, and so stay valid when these are re-encoded.
  static let typesKeptByReencoding: [AVPacketSideDataType] = [
    AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_SPHERICAL,
    AV_PKT_DATA_STEREO3D,
  ]

  static func list(of stream: UnsafeMutablePointer<AVStream>) -> [SideData] {
    var count: Int32 = 0
    let list = CVStreamLibAV_sideData(stream, &count)
    return UnsafeBufferPointer(start: list, count: Int(count)).compactMap { entry in
      guard let data = entry.data else { return nil }
      return SideData(type: entry.type, bytes: Array(UnsafeBufferPointer(start: data, count: Int(entry.size))))
    }
  }

  /// The mastering display and content light of a frame; some codecs carry them in the frames, not in the container.
  static func list(of frame: VideoFrame) -> [SideData] {
    let kinds = [
      (AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
      (AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
    ]
    return kinds.compactMap { ofFrame, ofStream in
      guard let entry = av_frame_get_side_data(frame.av, ofFrame)?.pointee, let data = entry.data else { return nil }
      return SideData(type: ofStream, bytes: Array(UnsafeBufferPointer(start: data, count: entry.size)))
    }
  }

  /// Adds the data to an output stream that has none of its type.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  func add(to stream: UnsafeMutablePointer<AVStream>) throws(VStreamError) {
    guard !Self.list(of: stream).contains(where: { $0.type == type }) else { return }
    guard let target = CVStreamLibAV_addSideData(stream, type, bytes.count) else { throw outOfMemory("side data") }
    bytes.withUnsafeBytes { source in
      if let base = source.baseAddress {
        UnsafeMutableRawPointer(target).copyMemory(from: base, byteCount: bytes.count)
      }
    }
  }
}
