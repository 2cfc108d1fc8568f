internal import VStreamScene

/// A kind of file for single pictures.
public enum PictureFormat: String, CaseIterable, Hashable, Sendable {
  case jpeg = "jpg"
  case png

  private var encoder: String { self == .jpeg ? "mjpeg" : "png" }

  /// A picture as a whole file.
  ///
  /// - Parameter profile: the ICC profile that tells what its colours are; empty for none.
  /// - Throws: `VStreamError.library` if the encoder fails.
  func file(of frame: VideoFrame, profile: [UInt8]) throws(VStreamError) -> [UInt8] {
    let encoder = try VideoEncoder(
      try VideoCodec(encoder: encoder), settings: EncoderSettings(codec: encoder, threads: 1), first: frame,
      frameRate: nil, rules: ContainerRules())
    let packets = try encoder.encode(frame) + encoder.finish()
    guard let packet = packets.first else { throw VStreamError(.library, "\(self.encoder) made no picture") }
    var data = PhotoData()
    data.profile = profile
    return data.put(into: packet.bytes, width: frame.size.width, height: frame.size.height)
  }
}
