internal import CVStreamLibAV
public import VStreamCore

extension VideoFrame {
  /// A frame of pixels that are copied from memory. Planes follow each other without a gap; the stride of a subsampled
  /// plane is smaller in proportion.
  ///
  /// - Parameters:
  ///   - name: FFmpeg's name of the format.
  ///   - stride: Bytes from one row of the first plane to the next; `nil` for rows without padding.
  /// - Throws: `VStreamError.usage` if the format, size or stride is invalid, or there are too few bytes.
  public init(
    copying bytes: RawSpan, formatNamed name: String, size: PixelSize, stride: Int?, time: Time
  ) throws(VStreamError) {
    guard let format = PixelFormat(name: name), let layout = format.layout, size.width > 0, size.height > 0,
      size.width <= Self.maximumSide, size.height <= Self.maximumSide, (0...Self.maximumStride).contains(stride ?? 0)
    else {
      throw VStreamError(
        .usage, "a frame of \(size) in \(name) cannot be created", remedy: "check its format, size and stride")
    }
    let planes = Self.planes(of: layout, size, stride: stride)
    // The padding of the last row is not required.
    let needed = planes.reduce(0) { $0 + $1.stride * $1.rows } - (planes.last.map { $0.stride - $0.width } ?? 0)
    guard planes.allSatisfy({ $0.stride >= $0.width }), bytes.byteCount >= needed else {
      throw VStreamError(
        .usage, "\(bytes.byteCount) bytes are too few for \(size) in \(name), which takes \(needed)",
        remedy: "check size and stride")
    }
    try self.init(format: format, size: size, time: time)
    try withMutablePlanes { target in
      bytes.withUnsafeBytes { source in
        var start = 0
        for (index, plane) in planes.enumerated() {
          guard let base = target.bases[index], let from = source.baseAddress else { return }
          for row in 0..<plane.rows {
            (base + row * target.strides[index]).copyMemory(
              from: from + start + row * plane.stride, byteCount: plane.width)
          }
          start += plane.stride * plane.rows
        }
      }
    }
  }

  /// The frame's pixels, plane by plane, row by row without padding.
  ///
  /// - Throws: `VStreamError.library` if the format's planes are not known.
  public func packedBytes() throws(VStreamError) -> [UInt8] {
    guard let layout = format.layout else {
      throw VStreamError(.library, "the pixels of format \(format) cannot be addressed")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    withPlanes { source in
      for (index, plane) in Self.planes(of: layout, size, stride: nil).enumerated() {
        guard let base = source.bases[index] else { continue }
        for row in 0..<plane.rows {
          bytes.append(
            contentsOf: UnsafeRawBufferPointer(start: base + row * source.strides[index], count: plane.width))
        }
      }
    }
    return bytes
  }

  private static let maximumSide = 1 << 15
  private static let maximumStride = 1 << 20

  private struct PlaneShape {
    /// Bytes of a row's pixels.
    let width: Int
    /// Bytes from one row to the next.
    let stride: Int
    let rows: Int
  }

  /// - Parameter stride: That of the first plane; the other planes have as many pixels in a row.
  private static func planes(of layout: PixelLayout, _ size: PixelSize, stride: Int?) -> [PlaneShape] {
    let components = layout.components + (layout.alpha.map { [$0] } ?? [])
    let padded = PixelSize(width: stride.map { $0 / max(1, components[0].step) } ?? size.width, height: size.height)
    let count = (components.map(\.plane).max() ?? 0) + 1
    return (0..<count).map { plane in
      // Components that share a plane have the same step and spacing.
      guard let component = components.first(where: { $0.plane == plane }) else {
        return PlaneShape(width: 0, stride: 0, rows: 0)
      }
      let samples = component.extent(of: size)
      return PlaneShape(
        width: samples.width * component.step,
        stride: (plane == 0 ? stride : nil) ?? component.extent(of: padded).width * component.step,
        rows: samples.height)
    }
  }

  /// The frame, rotated and mirrored.
  ///
  /// - Throws: `VStreamError.missingDependency` if libavfilter is not installed.
  public func applying(_ orientation: Orientation) throws(VStreamError) -> VideoFrame {
    let normaliser = FrameNormaliser(orientation: orientation) { (frame) throws(VStreamError) in
      FrameTarget(format: frame.format.addressable)
    }
    let frames = try normaliser.normalise(self) + normaliser.finish()
    guard let frame = frames.first else { throw VStreamError(.library, "no frame came out of the rotation") }
    return frame
  }
}
