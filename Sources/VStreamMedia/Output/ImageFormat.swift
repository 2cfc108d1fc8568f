internal import VStreamScene

/// A kind of file for single pictures.
public enum ImageFormat: String, CaseIterable, Hashable, Sendable {
  case jpeg = "jpg"
  case png

  private var encoder: String { self == .jpeg ? "mjpeg" : "png" }

  /// A picture as a whole file, with the ICC profile that the frame has.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  func file(of frame: VideoFrame) throws(VStreamError) -> [UInt8] {
    let encoder = try VideoEncoder(
      try VideoCodec(encoder: encoder), settings: EncoderSettings(codec: encoder, threads: 1), first: frame,
      frameRate: nil, rules: ContainerRules())
    let packets = try encoder.encode(frame) + encoder.finish()
    guard let packet = packets.first else { throw VStreamError(.library, "\(self.encoder) made no picture") }
    var data = ImageMetadata()
    data.profile = frame.colorProfile
    return data.put(into: packet.bytes, width: frame.size.width, height: frame.size.height)
  }
}
