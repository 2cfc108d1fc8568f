internal import CVStreamLibAV
package import VStreamCore

extension VideoCodec {
  /// The format to which frames of a source are converted right after decoding: the requested format, the source's own, or the
  /// one with the smallest loss.
  ///
  /// Frames are converted twice at most: they are analysed and drawn on in the encoded format. Where the
  /// encoder accepts no format that can be drawn on (palettes, packed bits), `VideoEncoder` converts to
  /// `encoderFormat(of:)` as well.
  ///
  /// - Parameters:
  ///   - wanted: the requested format; `nil` for none.
  ///   - needsPixels: whether frames are analysed or drawn on, which needs a format with a layout.
  /// - Throws: `VStreamError.usage` if the encoder does not accept the requested format, or if it accepts only frames in
  ///   graphics memory.
  package func target(
    for frame: VideoFrame, wanted: PixelFormat?, needsPixels: Bool = true
  ) throws(VStreamError) -> FrameTarget {
    try target(for: frame.format, requested: wanted, needsPixels: needsPixels)
  }

  func target(
    for source: PixelFormat, requested: PixelFormat?, needsPixels: Bool
  ) throws(VStreamError) -> FrameTarget {
    let format = try frameFormat(for: source, requested: requested, needsPixels: needsPixels)
    // The yuvj formats are full range. A request for the same format without the j means limited range, as players expect.
    let dropsRange = requested != nil && source.description.hasPrefix("yuvj")
    // Motion JPEG is full range by its standard, which FFmpeg expects in the format's name.
    if name == "mjpeg", let full = PixelFormat(name: format.description.replacingPrefix("yuv4", with: "yuvj4")) {
      return FrameTarget(format: full, range: .full)
    }
    return FrameTarget(format: format, range: dropsRange ? .limited : .unchanged)
  }

  private func frameFormat(
    for source: PixelFormat, requested: PixelFormat?, needsPixels: Bool
  ) throws(VStreamError) -> PixelFormat {
    let accepted = pixelFormats
    if let requested {
      guard accepted.isEmpty || accepted.contains(requested) else {
        throw .unsupported(
          .pixelFormat, requested.description, by: name, alternatives: accepted.map(\.description))
      }
      return requested
    }
    if accepted.isEmpty || accepted.contains(source), !needsPixels || source.layout != nil { return source }
    let drawable = accepted.filter { $0.layout != nil }
    guard !drawable.isEmpty else { return source.addressable }
    let nearest = Self.nearest(to: source, among: drawable)
    // An encoder of palettes (GIF) may also accept grey, which would drop the colours.
    let losesColour = nearest.layout?.model == .gray && source.addressable.layout?.model != .gray
    return losesColour ? source.addressable : nearest
  }

  /// The encoder's format for frames of a format that it may not accept.
  ///
  /// - Throws: `VStreamError.usage` if the encoder accepts only frames in graphics memory.
  func encoderFormat(of format: PixelFormat) throws(VStreamError) -> PixelFormat {
    let accepted = pixelFormats
    if accepted.isEmpty || accepted.contains(format) { return format }
    let isHardware = accepted.allSatisfy { format in
      av_pix_fmt_desc_get(format.av).map { $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) != 0 } ?? false
    }
    if isHardware {
      throw VStreamError(
        .usage, "\(name) accepts only frames in graphics memory (\(.codec))", setting: .codec, value: name,
        remedy: "use an encoder for frames in main memory, for example libx264")
    }
    return Self.nearest(to: format, among: accepted)
  }

  private static func nearest(to source: PixelFormat, among formats: [PixelFormat]) -> PixelFormat {
    let hasAlpha: Int32 = source.hasAlpha ? 1 : 0
    var loss: Int32 = 0
    return PixelFormat(
      avcodec_find_best_pix_fmt_of_list(formats.map(\.av) + [AV_PIX_FMT_NONE], source.av, hasAlpha, &loss))
  }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}
