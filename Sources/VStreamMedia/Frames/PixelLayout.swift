internal import CVStreamLibAV
internal import VStreamCore

/// Where the components of a pixel lie in a frame's planes.
package struct PixelLayout: Hashable, Sendable {
  /// The meaning of the components, in their order.
  package enum Model: Hashable, Sendable {
    /// Luma only.
    case gray
    /// Luma, blue difference, red difference.
    case yuv
    /// Red, green, blue.
    case rgb
  }

  /// One component of a pixel.
  package struct Component: Hashable, Sendable {
    /// Index of the plane that contains it.
    package let plane: Int
    /// Bytes from one sample to the next.
    package let step: Int
    /// Bytes from the start of a row to its first sample.
    package let offset: Int
    /// The left shift of stored values, in bits.
    package let shift: Int
    /// Significant bits.
    package let depth: Int
    /// Horizontally each sample covers 2^`shiftX` pixels, vertically 2^`shiftY`.
    package let shiftX: Int
    package let shiftY: Int
  }

  package let model: Model
  /// Colour components, without alpha: 1 or 3.
  package let components: [Component]
  /// Horizontally each chroma sample covers 2^`chromaShiftX` pixels, vertically 2^`chromaShiftY`.
  package let chromaShiftX: Int
  package let chromaShiftY: Int
  /// Significant bits of the first component; more than 8 are stored in two bytes.
  package let depth: Int
  /// Whether every component has its own plane, with nothing between its samples.
  package let isPlanar: Bool
  /// The opacity component; `nil` for none.
  package let alpha: Component?

  /// - Returns: `nil` for formats whose samples cannot be addressed.
  init?(_ format: AVPixelFormat) {
    guard let descriptor = av_pix_fmt_desc_get(format)?.pointee, Self.isAddressable(descriptor) else { return nil }
    let hasAlpha = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
    let colours = Int(descriptor.nb_components) - (hasAlpha ? 1 : 0)
    guard colours == 1 || colours == 3 else { return nil }
    let isRGB = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
    let all = Self.components(of: descriptor, chroma: isRGB ? 0..<0 : 1..<max(1, colours))
    // Samples of less than a byte (rgb565, …) share bytes.
    guard Self.areEvenlySpaced(all), all.allSatisfy({ $0.depth >= 8 && $0.depth <= 16 && $0.depth + $0.shift <= 16 }),
      Set(all.map(\.depth)).count == 1, all.allSatisfy({ $0.step >= $0.byteCount }), !Self.shareBytes(all)
    else { return nil }
    let components = Array(all.prefix(colours))
    self.model = colours == 1 ? .gray : isRGB ? .rgb : .yuv
    self.components = components
    self.chromaShiftX = isRGB ? 0 : Int(descriptor.log2_chroma_w)
    self.chromaShiftY = isRGB ? 0 : Int(descriptor.log2_chroma_h)
    self.depth = components[0].depth
    self.isPlanar =
      Set(components.map(\.plane)).count == colours
      && components.allSatisfy { $0.offset == 0 && $0.step == $0.byteCount }
    self.alpha = hasAlpha ? all.last : nil
  }

  /// Whether samples are unsigned integers in this machine's byte order, of luma, RGB or alpha.
  private static func isAddressable(_ descriptor: AVPixFmtDescriptor) -> Bool {
    let excluded =
      UInt64(
        AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_FLOAT
          | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_BE)
    return descriptor.flags & excluded == 0 && !String(cString: descriptor.name).hasPrefix("xyz")
  }

  /// All components, alpha last.
  ///
  /// - Parameter chroma: The components that may be subsampled.
  private static func components(of descriptor: AVPixFmtDescriptor, chroma: Range<Int>) -> [Component] {
    let described = [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2, descriptor.comp.3]
    return described.prefix(Int(descriptor.nb_components)).enumerated().map { index, component in
      let isChroma = chroma.contains(index)
      return Component(
        plane: Int(component.plane), step: Int(component.step), offset: Int(component.offset),
        shift: Int(component.shift), depth: Int(component.depth),
        shiftX: isChroma ? Int(descriptor.log2_chroma_w) : 0, shiftY: isChroma ? Int(descriptor.log2_chroma_h) : 0)
    }
  }

  /// Whether the samples of each component are at equal distances in their row: in packed formats the distance of chroma
  /// samples is that of the pixels they cover, which is not so in uyyvyy411.
  private static func areEvenlySpaced(_ components: [Component]) -> Bool {
    let luma = components[0]
    return components.allSatisfy { $0.plane != luma.plane || $0.step == luma.step << $0.shiftX }
  }

  /// Whether two components have a byte in common.
  private static func shareBytes(_ components: [Component]) -> Bool {
    let bytes = components.flatMap { component in
      (0..<component.byteCount).map { [component.plane, component.offset + $0] }
    }
    return Set(bytes).count < bytes.count
  }

  /// Bytes of one sample, 1 or 2.
  package var bytesPerSample: Int { components[0].byteCount }
}

extension PixelLayout.Component {
  /// Bytes of one sample, 1 or 2.
  fileprivate var byteCount: Int { depth + shift > 8 ? 2 : 1 }

  /// The number of samples that cover a frame, in a row and in a column.
  func extent(of size: PixelSize) -> PixelSize {
    PixelSize(
      width: (size.width + (1 << shiftX) - 1) >> shiftX, height: (size.height + (1 << shiftY) - 1) >> shiftY)
  }
}
