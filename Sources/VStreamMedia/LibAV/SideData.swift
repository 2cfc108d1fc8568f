internal import CVStreamLibAV
internal import VStreamCore

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
