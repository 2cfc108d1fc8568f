internal import CVStreamLibAV
public import VStreamCore

extension VideoFrame {
  /// Lends the planes for reading. Their pointers are valid only inside `body`.
  public func withPlanes<R>(_ body: (borrowing Planes) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) { try body(Planes(av)) }
  }

  /// Lends the planes for writing, after copying the pixels if another frame shares them. Their pointers are valid only
  /// inside `body`.
  ///
  /// - Throws: `VStreamError.library` if there is no memory for the copy, and what `body` throws.
  public mutating func withMutablePlanes<R>(
    _ body: (borrowing MutablePlanes) throws(VStreamError) -> R
  ) throws(VStreamError) -> R {
    try makeWritable()
    return try body(MutablePlanes(av))
  }

  /// The planes of a frame, to be read.
  public struct Planes: ~Copyable {
    /// First byte of each plane's top row.
    public let bases: InlineArray<4, UnsafeRawPointer?>
    /// Bytes from a row to the one below it; may be negative.
    public let strides: InlineArray<4, Int>
    /// Size of the frame in pixels; of a plane with fewer samples, see `PixelLayout.Component`.
    public let size: PixelSize

    fileprivate init(_ frame: UnsafePointer<AVFrame>) {
      let data = frame.pointee.data
      bases = [.init(data.0), .init(data.1), .init(data.2), .init(data.3)]
      strides = frame.strides
      size = frame.size
    }
  }

  /// The planes of a frame whose pixels nobody else holds, to be written to.
  public struct MutablePlanes: ~Copyable {
    /// First byte of each plane's top row.
    public let bases: InlineArray<4, UnsafeMutableRawPointer?>
    /// Bytes from a row to the one below it; may be negative.
    public let strides: InlineArray<4, Int>
    /// Size of the frame in pixels; of a plane with fewer samples, see `PixelLayout.Component`.
    public let size: PixelSize

    fileprivate init(_ frame: UnsafePointer<AVFrame>) {
      let data = frame.pointee.data
      bases = [.init(data.0), .init(data.1), .init(data.2), .init(data.3)]
      strides = frame.strides
      size = frame.size
    }
  }
}

extension UnsafePointer<AVFrame> {
  fileprivate var strides: InlineArray<4, Int> {
    let lines = pointee.linesize
    return [Int(lines.0), Int(lines.1), Int(lines.2), Int(lines.3)]
  }

  fileprivate var size: PixelSize { PixelSize(width: Int(pointee.width), height: Int(pointee.height)) }
}
