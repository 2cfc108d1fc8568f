internal import CVStreamLibAV

/// A way of laying out pixels in memory, by FFmpeg's names (`yuv420p`, `nv12`, `yuv420p10le`, …).
public struct PixelFormat: Hashable, Sendable, CustomStringConvertible {
  let rawValue: Int32

  init(_ format: AVPixelFormat) { rawValue = format.rawValue }
  init(rawValue: Int32) { self.rawValue = rawValue }

  /// - Returns: `nil` if FFmpeg knows no format of that name.
  public init?(name: String) {
    let format = av_get_pix_fmt(name)
    guard format != AV_PIX_FMT_NONE else { return nil }
    self.init(format)
  }

  var av: AVPixelFormat { AVPixelFormat(rawValue) }

  public var description: String {
    av_get_pix_fmt_name(av).map { String(cString: $0) } ?? "unknown(\(rawValue))"
  }

  /// This format, or the one that loses least of those that have a layout.
  public var addressable: PixelFormat {
    if layout != nil { return self }
    let names = [
      "yuv420p", "yuv422p", "yuv444p", "yuv420p10", "yuv444p12", "gbrp", "gbrp16", "gray", "gray16",
    ]
    let candidates = names.compactMap { PixelFormat(name: $0)?.av } + [AV_PIX_FMT_NONE]
    return PixelFormat(avcodec_find_best_pix_fmt_of_list(candidates, av, 0, nil))
  }

  /// Where the components of a pixel lie; `nil` for formats whose pixels cannot be addressed one by one in whole bytes
  /// of this machine's order (hardware surfaces, palettes, bit streams, floats).
  public var layout: PixelLayout? {
    let number = Int(rawValue)
    return Self.layouts.indices.contains(number) ? Self.layouts[number] : PixelLayout(av)
  }

  /// Of the formats that were known when this was built, by their numbers: every step that looks at a frame asks.
  private static let layouts = (0..<AV_PIX_FMT_NB.rawValue).map { PixelLayout(AVPixelFormat($0)) }
}

/// Where the components of a pixel lie in a frame's planes.
public struct PixelLayout: Hashable, Sendable {
  /// What the components mean, in their order.
  public enum Model: Hashable, Sendable {
    /// Luma alone.
    case gray
    /// Luma, blue difference, red difference.
    case yuv
    /// Red, green, blue.
    case rgb
  }

  /// One component of a pixel.
  public struct Component: Hashable, Sendable {
    /// Which plane it lies in.
    public let plane: Int
    /// Bytes from one sample to the next.
    public let step: Int
    /// Bytes from the row's start to the first sample.
    public let offset: Int
    /// Bits that a stored value is shifted to the left.
    public let shift: Int
    /// Significant bits.
    public let depth: Int
    /// Samples are spaced 2^`shiftX` pixels apart across, 2^`shiftY` down.
    public let shiftX: Int
    public let shiftY: Int
  }

  public let model: Model
  /// Colour components, without alpha: 1 or 3.
  public let components: [Component]
  /// Chroma samples are spaced 2^`chromaShiftX` pixels apart across, 2^`chromaShiftY` down.
  public let chromaShiftX: Int
  public let chromaShiftY: Int
  /// Significant bits of the first component; more than 8 are stored in two bytes.
  public let depth: Int
  /// Whether every component has a plane of its own, its samples side by side.
  public let isPlanar: Bool
  /// The component that says how opaque the pixel is; `nil` for none.
  public let alpha: Component?

  init?(_ format: AVPixelFormat) {
    guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return nil }
    let unaddressable =
      UInt64(
        AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_FLOAT
          | AV_PIX_FMT_FLAG_BAYER)
    guard descriptor.flags & unaddressable == 0 else { return nil }
    let name = String(cString: descriptor.name)
    guard !name.hasPrefix("xyz") else { return nil }

    let hasAlpha = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
    let colours = Int(descriptor.nb_components) - (hasAlpha ? 1 : 0)
    guard colours == 1 || colours == 3 else { return nil }
    let isRGB = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
    let described = [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2, descriptor.comp.3]
    let all = described.prefix(Int(descriptor.nb_components)).enumerated().map { index, component in
      let isChroma = !isRGB && index > 0 && index < colours
      return Component(
        plane: Int(component.plane), step: Int(component.step), offset: Int(component.offset),
        shift: Int(component.shift), depth: Int(component.depth),
        shiftX: isChroma ? Int(descriptor.log2_chroma_w) : 0, shiftY: isChroma ? Int(descriptor.log2_chroma_h) : 0)
    }
    let isBigEndian = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_BE) != 0
    // Samples narrower than a byte each (rgb565, …) share bytes; big-endian ones would have to be swapped.
    guard all.allSatisfy({ $0.depth >= 8 && $0.depth <= 16 && $0.depth + $0.shift <= 16 }),
      Set(all.map(\.depth)).count == 1, !isBigEndian,
      all.allSatisfy({ $0.step >= ($0.depth + $0.shift > 8 ? 2 : 1) }), Self.areApart(all)
    else { return nil }
    let components = Array(all.prefix(colours))

    self.model = colours == 1 ? .gray : isRGB ? .rgb : .yuv
    self.components = components
    self.chromaShiftX = isRGB ? 0 : Int(descriptor.log2_chroma_w)
    self.chromaShiftY = isRGB ? 0 : Int(descriptor.log2_chroma_h)
    self.depth = components[0].depth
    self.isPlanar =
      Set(components.map(\.plane)).count == colours
      && components.allSatisfy { $0.offset == 0 && $0.step == ($0.depth + $0.shift > 8 ? 2 : 1) }
    self.alpha = hasAlpha ? all.last : nil
  }

  /// Whether no two components share a byte.
  private static func areApart(_ components: [Component]) -> Bool {
    let bytes = components.flatMap { component in
      (0..<(component.depth + component.shift > 8 ? 2 : 1)).map { [component.plane, component.offset + $0] }
    }
    return Set(bytes).count == bytes.count
  }

  /// Bytes that one sample takes, 1 or 2.
  public var bytesPerSample: Int { depth + components[0].shift > 8 ? 2 : 1 }
}
