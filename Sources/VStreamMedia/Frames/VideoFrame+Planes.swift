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

extension Int {
  /// The remainder of a division, from 0 to below the divisor.
  fileprivate func modulo(_ divisor: Int) -> Int { ((self % divisor) + divisor) % divisor }
}

extension AVFrame {
  fileprivate var planes: [UnsafeMutablePointer<UInt8>?] { [data.0, data.1, data.2, data.3] }
  /// Bytes from a row of each plane to the next.
  fileprivate var lines: [Int32] { [linesize.0, linesize.1, linesize.2, linesize.3] }
}

extension UnsafePointer<AVFrame> {
  fileprivate var strides: InlineArray<4, Int> {
    let lines = pointee.linesize
    return [Int(lines.0), Int(lines.1), Int(lines.2), Int(lines.3)]
  }

  fileprivate var size: PixelSize { PixelSize(width: Int(pointee.width), height: Int(pointee.height)) }
}

extension VideoFrame {
  /// Blends transparent pixels with medium grey: each component moves towards its middle value, as far as the pixel is
  /// transparent. The alpha channel itself stays.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  mutating func blendOverGray() throws(VStreamError) {
    guard let layout = format.layout, let alpha = layout.alpha else { return }
    let frame = size
    try withMutablePlanes { planes in
      for component in layout.components {
        let (samples, gray) = (component.extent(of: frame), 1 << (component.depth - 1))
        let (columns, rows) = (frame.width / max(1, samples.width), frame.height / max(1, samples.height))
        for y in 0..<samples.height {
          for x in 0..<samples.width {
            let opacity = planes.value(
              alpha, min(frame.width - 1, x * columns), min(frame.height - 1, y * rows), layout)
            let most = (1 << alpha.depth) - 1
            if opacity == most { continue }
            let value = planes.value(component, x, y, layout)
            planes.set(gray + (value - gray) * opacity / most, component, x, y, layout)
          }
        }
      }
    }
  }
}

extension VideoFrame.MutablePlanes {
  fileprivate func sample(_ component: PixelLayout.Component, _ x: Int, _ y: Int) -> UnsafeMutableRawPointer? {
    bases[component.plane].map { $0 + y * strides[component.plane] + component.offset + x * component.step }
  }

  fileprivate func value(_ component: PixelLayout.Component, _ x: Int, _ y: Int, _ layout: PixelLayout) -> Int {
    guard let sample = sample(component, x, y) else { return 0 }
    let stored = layout.bytesPerSample == 2 ? Int(sample.load(as: UInt16.self)) : Int(sample.load(as: UInt8.self))
    return stored >> component.shift
  }

  fileprivate func set(
    _ value: Int, _ component: PixelLayout.Component, _ x: Int, _ y: Int, _ layout: PixelLayout
  ) {
    let (sample, stored) = (sample(component, x, y), value << component.shift)
    if layout.bytesPerSample == 2 {
      sample?.storeBytes(of: UInt16(truncatingIfNeeded: stored), as: UInt16.self)
    } else {
      sample?.storeBytes(of: UInt8(truncatingIfNeeded: stored), as: UInt8.self)
    }
  }
}

extension VideoFrame {
  /// The frame enlarged by repeating its last column and row.
  ///
  /// - Parameter size: Not smaller than the frame's.
  /// - Throws: `VStreamError.library` if there is no memory, or the format has no layout.
  func padded(to size: PixelSize) throws(VStreamError) -> VideoFrame {
    guard let layout = format.layout else {
      throw VStreamError(.library, "frames of format \(format) cannot be padded to \(size)")
    }
    var result = try VideoFrame(format: format, size: size, time: time)
    try requireLibAV(.library, "padding") { av_frame_copy_props(result.av, av) }
    try result.withMutablePlanes { target in
      withPlanes { source in
        for component in layout.components {
          Self.pad(component, bytes: layout.bytesPerSample, from: source, to: target)
        }
      }
    }
    return result
  }

  /// The frame in the middle of a larger black one.
  ///
  /// - Parameter size: Not smaller than the frame's.
  /// - Throws: `VStreamError.library` if there is no memory, or libav defines no black for the format.
  func centred(on size: PixelSize) throws(VStreamError) -> VideoFrame {
    var result = try VideoFrame(format: format, size: size, time: time)
    try requireLibAV(.library, "a black frame") { av_frame_copy_props(result.av, av) }
    let range = color.isFullRange(format: format) ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
    var planes = result.av.pointee.planes
    let strides = result.av.pointee.lines.map { Int($0) }
    try requireLibAV(.library, "a black frame") {
      av_image_fill_black(&planes, strides, format.av, range, Int32(size.width), Int32(size.height))
    }
    try result.place(self, left: (size.width - self.size.width) / 2, top: (size.height - self.size.height) / 2)
    return result
  }

  /// Copies the pixels of a frame of the same format to a position in this one, which is rounded down to a whole chroma
  /// sample. Pixels beyond the edges are omitted.
  ///
  /// - Throws: `VStreamError.library` if there is no memory for a copy of the pixels.
  package mutating func place(_ picture: VideoFrame, left: Int, top: Int) throws(VStreamError) {
    try makeWritable()
    let (gridX, gridY) = (1 << (format.layout?.chromaShiftX ?? 0), 1 << (format.layout?.chromaShiftY ?? 0))
    let (x, y) = (left - left.modulo(gridX), top - top.modulo(gridY))
    let width = min(picture.size.width + min(0, x), size.width - max(0, x))
    let height = min(picture.size.height + min(0, y), size.height - max(0, y))
    guard width > 0, height > 0 else { return }
    func shifted(_ frame: AVFrame, x: Int, y: Int) -> [UnsafeMutablePointer<UInt8>?] {
      frame.planes.enumerated().map { plane, base in
        let column = Int(av_image_get_linesize(format.av, Int32(x), Int32(plane)))
        let row = (plane == 1 || plane == 2 ? y / gridY : y) * Int(frame.lines[plane])
        return base.map { $0 + row + (x == 0 ? 0 : column) }
      }
    }
    var to = shifted(av.pointee, x: max(0, x), y: max(0, y))
    var strides = av.pointee.lines
    var from = shifted(picture.av.pointee, x: max(0, -x), y: max(0, -y)).map { $0.map { UnsafePointer($0) } }
    av_image_copy(&to, &strides, &from, picture.av.pointee.lines, format.av, Int32(width), Int32(height))
  }

  /// Copies one component sample by sample, which is fast enough: only frames of odd sizes are padded.
  private static func pad(
    _ component: PixelLayout.Component, bytes: Int, from source: borrowing Planes, to target: borrowing MutablePlanes
  ) {
    guard let from = source.bases[component.plane], let to = target.bases[component.plane] else { return }
    let (lastColumn, lastRow) = last(component, source.size)
    let (endColumn, endRow) = last(component, target.size)
    for y in 0...endRow {
      let fromRow = from + min(y, lastRow) * source.strides[component.plane] + component.offset
      let toRow = to + y * target.strides[component.plane] + component.offset
      for x in 0...endColumn {
        (toRow + x * component.step).copyMemory(
          from: fromRow + min(x, lastColumn) * component.step, byteCount: bytes)
      }
    }
  }

  /// The column and row of a component's last sample.
  private static func last(_ component: PixelLayout.Component, _ size: PixelSize) -> (column: Int, row: Int) {
    ((size.width - 1) >> component.shiftX, (size.height - 1) >> component.shiftY)
  }
}

extension VideoFrame {
  /// A frame of pixels that are copied from memory. Planes follow each other without a gap; the stride of a subsampled
  /// plane is smaller in proportion.
  ///
  /// - Parameters:
  ///   - name: FFmpeg's name of the format.
  ///   - stride: Bytes from one row of the first plane to the next; `nil` for rows without padding.
  /// - Throws: `VStreamError.usage` if the format, size or stride is invalid, or there are too few bytes.
  package init(
    copying bytes: RawSpan, formatNamed name: String, size: PixelSize, stride: Int?, time: Time
  ) throws(VStreamError) {
    guard let format = PixelFormat(name: name), let layout = format.layout, size.width > 0, size.height > 0,
      size.width <= Self.maximumSide, size.height <= Self.maximumSide, stride ?? 0 <= Self.maximumStride
    else {
      throw VStreamError(
        .usage, "a frame of \(size) in \(name) cannot be created", remedy: "check its format, size and stride")
    }
    let row = Self.planes(of: layout, size, stride: nil).first?.width ?? 0
    if let stride, stride < row {
      throw VStreamError(
        .usage, "a stride of \(stride) bytes is less than a row of \(size.width) pixels in \(name), which takes \(row)",
        remedy: "give the bytes from one row to the next, or none for rows without padding")
    }
    let planes = Self.planes(of: layout, size, stride: stride)
    // The padding of the last row is not required.
    let needed = planes.reduce(0) { $0 + $1.stride * $1.rows } - (planes.last.map { $0.stride - $0.width } ?? 0)
    guard bytes.byteCount >= needed else {
      throw VStreamError(
        .usage, "\(bytes.byteCount) bytes are too few for \(size) in \(name), which takes \(needed)",
        remedy: "check size and stride")
    }
    try self.init(format: format, size: size, time: time)
    if name == "gray" { av.pointee.color_range = AVCOL_RANGE_JPEG }
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

  /// The rows of planes without their padding, plane by plane.
  ///
  /// - Throws: `VStreamError.usage` if the planes do not suit the format and size.
  package static func packed(
    _ planes: [[UInt8]], strides: [Int]?, formatNamed name: String, size: PixelSize
  ) throws(VStreamError) -> [UInt8] {
    guard let layout = PixelFormat(name: name)?.layout, (1...maximumSide).contains(size.width),
      (1...maximumSide).contains(size.height)
    else { throw VStreamError(.usage, "a frame of \(size) in \(name) cannot be created") }
    let expected = Self.planes(of: layout, size, stride: nil)
    guard planes.count == expected.count, strides.map({ $0.count == planes.count }) ?? true else {
      throw VStreamError(
        .usage, "\(planes.count) planes are not those of \(name), which has \(expected.count)",
        remedy: "give each plane, and a stride for each or none")
    }
    var bytes: [UInt8] = []
    for (index, plane) in expected.enumerated() {
      let stride = strides?[index] ?? plane.width
      guard stride >= plane.width, stride <= maximumStride,
        planes[index].count >= stride * (plane.rows - 1) + plane.width
      else {
        throw VStreamError(
          .usage,
          "plane \(index) of \(size) in \(name) has \(plane.rows) rows of \(plane.width) bytes, and "
            + "\(planes[index].count) bytes with a stride of \(stride) are given",
          remedy: "check the plane and its stride")
      }
      for row in 0..<plane.rows { bytes += planes[index][row * stride..<row * stride + plane.width] }
    }
    return bytes
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

  package static let maximumSide = 1 << 15
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
      // Of components that share a plane, those with fewer samples may reach further: a row of pairs of pixels has whole ones.
      let shared = components.filter { $0.plane == plane }
      func width(_ size: PixelSize) -> Int { shared.map { $0.extent(of: size).width * $0.step }.max() ?? 0 }
      return PlaneShape(
        width: width(size), stride: (plane == 0 ? stride : nil) ?? width(padded),
        rows: shared.first?.extent(of: size).height ?? 0)
    }
  }

  /// The frame, rotated and mirrored.
  ///
  /// - Throws: `VStreamError.missingDependency` if libavfilter is not installed.
  package func applying(_ orientation: Orientation) throws(VStreamError) -> VideoFrame {
    let normaliser = FrameNormaliser(orientation: orientation) { (frame) throws(VStreamError) in
      FrameTarget(format: frame.format.addressable)
    }
    let frames = try normaliser.normalise(self) + normaliser.finish()
    guard let frame = frames.first else { throw VStreamError(.library, "no frame came out of the rotation") }
    return frame
  }
}
