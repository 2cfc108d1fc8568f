internal import VStreamScene

/// A file format of single images.
public enum ImageFormat: String, CaseIterable, Hashable, Sendable {
  case jpeg = "jpg"
  case png

  private var encoder: String { self == .jpeg ? "mjpeg" : "png" }

  /// A frame as an image file, with the frame's ICC profile.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  func file(of frame: VideoFrame) throws(VStreamError) -> [UInt8] {
    let encoder = try VideoEncoder(
      try VideoCodec(encoder: encoder), settings: EncoderSettings(codec: encoder, threads: 1), first: frame,
      frameRate: nil, rules: ContainerRules())
    let packets = try encoder.encode(frame) + encoder.finish()
    guard let packet = packets.first else { throw VStreamError(.library, "\(self.encoder) made no image") }
    var data = ImageMetadata()
    data.profile = frame.colorProfile
    return data.embedded(in: packet.bytes, width: frame.size.width, height: frame.size.height)
  }
}
