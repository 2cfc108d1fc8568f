internal import CVStreamLibAV
public import VStreamScene

/// Frames made of pixels in memory, and turned.
extension VideoFrame {
  /// A frame of pixels in memory, which are copied. Planes follow each other without a gap; the rows of those with fewer
  /// samples are as much shorter as their samples are fewer.
  ///
  /// - Parameters:
  ///   - name: FFmpeg's name of the format.
  ///   - stride: bytes from one row of the first plane to the next; `nil` for rows without a gap.
  /// - Throws: `VStreamError.usage` if there are too few bytes for that size.
  public init(
    copying bytes: RawSpan, formatNamed name: String, size: PixelSize, stride: Int?, time: Time
  ) throws(VStreamError) {
    guard let format = PixelFormat(name: name), let layout = format.layout, size.width > 0, size.height > 0,
      size.width <= Self.longestSide, size.height <= Self.longestSide, (0...Self.longestRow).contains(stride ?? 0)
    else {
      throw VStreamError(
        .usage, "a picture of \(size) in \(name) cannot be made", remedy: "see to its size and stride")
    }
    let planes = Self.planes(of: layout, size, stride: stride)
    // What follows the last row of the last plane is not looked at.
    let needed = planes.reduce(0) { $0 + $1.stride * $1.rows } - (planes.last.map { $0.stride - $0.width } ?? 0)
    guard planes.allSatisfy({ $0.stride >= $0.width }), bytes.byteCount >= needed else {
      throw VStreamError(
        .usage, "\(bytes.byteCount) bytes are no picture of \(size) in \(name), which takes \(needed)",
        remedy: "see to size and stride")
    }
    try self.init(format: format, size: size, time: time)
    // Nobody else holds it yet.
    withPlanes { target in
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

  private static let longestSide = 1 << 15
  private static let longestRow = 1 << 20

  /// Bytes of a plane's row, from row to row, and rows.
  private typealias PlaneShape = (width: Int, stride: Int, rows: Int)

  /// - Parameter stride: of the first plane; others have as many pixels a row, at their own spacing.
  private static func planes(of layout: PixelLayout, _ size: PixelSize, stride: Int?) -> [PlaneShape] {
    let components = layout.components + (layout.alpha.map { [$0] } ?? [])
    let pixels = stride.map { $0 / max(1, components[0].step) } ?? size.width
    let count = (components.map(\.plane).max() ?? 0) + 1
    return (0..<count).map { plane in
      // Components that share a plane have the same step and spacing.
      guard let component = components.first(where: { $0.plane == plane }) else { return (0, 0, 0) }
      func columns(_ pixels: Int) -> Int { (pixels + (1 << component.shiftX) - 1) >> component.shiftX }
      let rows = (size.height + (1 << component.shiftY) - 1) >> component.shiftY
      let length = plane == 0 ? stride : nil
      return (columns(size.width) * component.step, length ?? columns(pixels) * component.step, rows)
    }
  }

  /// The frame, turned.
  ///
  /// - Throws: `VStreamError.missingDependency` if libavfilter is not installed.
  public func turned(_ orientation: Orientation) throws(VStreamError) -> VideoFrame {
    let normaliser = FrameNormaliser(orientation: orientation) { (frame) throws(VStreamError) in
      FrameTarget(format: frame.format.addressable)
    }
    let frames = try normaliser.normalise(self) + normaliser.finish()
    guard let frame = frames.first else { throw VStreamError(.library, "a picture was lost while it was turned") }
    return frame
  }
}

/// The first picture of an input.
public enum FirstFrame {
  /// Reads an input up to its first picture, and turns that upright.
  ///
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  public static func read(_ input: MediaInput) throws(VStreamError) -> VideoFrame {
    let reader = try MediaReader(input)
    defer { reader.close() }
    let decoder = try VideoDecoder(reader.video, threads: 1)
    let normaliser = FrameNormaliser(orientation: reader.video.orientation) { (frame) throws(VStreamError) in
      FrameTarget(format: frame.format.addressable)
    }
    while true {
      let (packet, isEnd) = try next(of: reader)
      for frame in try packet != nil || isEnd ? decoder.decode(packet).frames : [] {
        if let upright = try normaliser.normalise(frame).first { return upright }
      }
      if isEnd { break }
    }
    if let last = try normaliser.finish().first { return last }
    throw VStreamError(
      .unreadableInput, "not one frame of '\(input.location)' could be decoded", remedy: "see that it is whole")
  }

  /// The next packet of the video; neither packet nor end for what is not of it.
  private static func next(of reader: MediaReader) throws(VStreamError) -> (packet: Packet?, isEnd: Bool) {
    switch try reader.next() {
    case .end: (nil, true)
    case .packet(let packet) where packet.streamIndex == reader.video.index: (packet, false)
    case .packet, .damaged: (nil, false)
    }
  }
}
