internal import CVStreamLibAV

/// A layout of pixels in memory, by FFmpeg's names (`yuv420p`, `nv12`, `yuv420p10le`, …).
public struct PixelFormat: Hashable, Sendable, CustomStringConvertible {
  /// libav's number of the format, which may be one that this program was not built with.
  let rawValue: Int32

  init(_ format: AVPixelFormat) { rawValue = format.rawValue }
  init(rawValue: Int32) { self.rawValue = rawValue }

  /// - Returns: `nil` if FFmpeg has no format of that name.
  public init?(name: String) {
    let format = av_get_pix_fmt(name)
    guard format != AV_PIX_FMT_NONE else { return nil }
    self.init(format)
  }

  var av: AVPixelFormat { AVPixelFormat(rawValue) }

  /// FFmpeg's name of the format.
  public var description: String {
    av_get_pix_fmt_name(av).map { String(cString: $0) } ?? "unknown(\(rawValue))"
  }

  /// Whether frames without a tag use the full sample range, as those of the `yuvj` formats do.
  var impliesFullRange: Bool { description.hasPrefix("yuvj") }

  /// Whether pixels have an alpha component that this program can address (`layout`).
  var hasAlpha: Bool { layout?.alpha != nil }

  /// The format with the same colours and without alpha; `nil` if it has none.
  var opaque: PixelFormat? {
    let name = description
    guard let descriptor = av_pix_fmt_desc_get(av), descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 else {
      return nil
    }
    let names = [
      ("yuva", "yuv"), ("gbrap", "gbrp"), ("ya8", "gray"), ("ya16", "gray16"), ("rgba64", "rgb48"), ("bgra64", "bgr48"),
      ("rgba", "rgb24"), ("argb", "rgb24"), ("bgra", "bgr24"), ("abgr", "bgr24"),
    ]
    guard let (alpha, other) = names.first(where: { name.hasPrefix($0.0) }) else { return nil }
    return PixelFormat(name: other + name.dropFirst(alpha.count))
  }

  /// Whether a conversion to another format loses bits, chroma samples, colours or alpha, as one from RGB to YUV does by
  /// rounding. One from YUV to RGB of the same depth does not.
  package func losesDetail(in other: PixelFormat) -> Bool {
    guard other != self, let alpha = layout.map({ $0.alpha != nil }) else { return other != self }
    let losses = CVStreamLibAV_formatLoss(other.av, av, alpha ? 1 : 0)
    let isRGB = other.layout?.model == .rgb
    return losses & ~(isRGB ? FF_LOSS_COLORSPACE : 0) != 0
  }

  /// This format, or the one with a layout and the least conversion loss.
  package var addressable: PixelFormat {
    if layout != nil { return self }
    let names = [
      "yuv420p", "yuv422p", "yuv444p", "yuv420p10", "yuv444p12", "gbrp", "gbrp16", "gray", "gray16",
    ]
    let candidates = names.compactMap { PixelFormat(name: $0)?.av } + [AV_PIX_FMT_NONE]
    return PixelFormat(avcodec_find_best_pix_fmt_of_list(candidates, av, 0, nil))
  }

  /// Where the components of a pixel lie; `nil` for formats whose samples are not whole bytes in this machine's byte order
  /// (hardware surfaces, palettes, bit streams, floats).
  package var layout: PixelLayout? {
    let number = Int(rawValue)
    return Self.layouts.indices.contains(number) ? Self.layouts[number] : PixelLayout(av)
  }

  /// The layouts of the formats known at build time, by number: several stages ask for that of each frame.
  private static let layouts = (0..<AV_PIX_FMT_NB.rawValue).map { PixelLayout(AVPixelFormat($0)) }
}
