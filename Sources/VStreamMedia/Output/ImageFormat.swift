internal import CVStreamLibAV
package import VStreamCore

/// A file format of single images.
package enum ImageFormat: String, CaseIterable, Hashable, Sendable {
  case jpeg = "jpg"
  case png

  private var encoder: String { self == .jpeg ? "mjpeg" : "png" }

  /// A frame as an image file, with the frame's ICC profile.
  ///
  /// - Throws: `VStreamError.library` if the encoder fails.
  package func file(of frame: VideoFrame) throws(VStreamError) -> [UInt8] {
    // JPEG has full-range samples only, which the encoder makes of RGB.
    let source =
      self == .png ? frame : try FrameConverter(size: frame.size, format: PixelFormat(AV_PIX_FMT_RGB24)).convert(frame)
    let encoder = try VideoEncoder(
      try VideoCodec(encoder: encoder), settings: EncoderSettings(codec: encoder, threads: 1), first: source,
      frameRate: nil, rules: ContainerRules())
    let packets = try encoder.encode(source) + encoder.finish()
    guard let packet = packets.first else { throw VStreamError(.library, "\(self.encoder) made no image") }
    var data = ImageMetadata()
    data.profile = frame.colorProfile
    return data.embedded(in: packet.bytes, width: frame.size.width, height: frame.size.height)
  }
}
