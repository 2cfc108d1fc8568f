internal import CVStreamLibAV
public import VStreamScene

/// A picture of a stream: a cheap reference to pixels that are copied when, and only when, they are written to while
/// somebody else holds them.
public struct VideoFrame: Sendable {
  private var storage: FrameStorage
  /// Seconds per tick of `time`.
  private let timeBase: Rational
  /// How often its pixels were copied because they were to be changed while somebody else held them.
  public private(set) var copyCount = 0

  init(takingOwnershipOf frame: UnsafeMutablePointer<AVFrame>, timeBase: Rational) {
    storage = FrameStorage(takingOwnershipOf: frame)
    self.timeBase = timeBase
  }

  /// A black-free, uninitialised picture of its own memory.
  ///
  /// - Throws: `VStreamError.library` if there is no memory or the format has no such size.
  public init(format: PixelFormat, size: PixelSize, time: Time) throws(VStreamError) {
    guard let frame = av_frame_alloc() else { throw outOfMemory("frame") }
    let owner = FrameStorage(takingOwnershipOf: frame)
    frame.pointee.format = format.rawValue
    frame.pointee.width = Int32(clamping: size.width)
    frame.pointee.height = Int32(clamping: size.height)
    frame.pointee.pts = time.ticks
    try requireLibAV(.library, "no memory for a frame of \(size)") { av_frame_get_buffer(frame, 0) }
    storage = owner
    timeBase = time.base
  }

  /// A picture of RGB pixels, of no particular time.
  ///
  /// - Parameters:
  ///   - rgb: red, green and blue of each pixel, row by row.
  ///   - profile: the ICC profile that tells what the colours are; one of other colours than RGB is left out.
  /// - Throws: `VStreamError.library` if there is no memory, or the numbers are not of that size.
  public init(rgb: [UInt8], size: PixelSize, profile: [UInt8] = []) throws(VStreamError) {
    guard rgb.count == size.width * size.height * 3 else {
      throw VStreamError(.library, "\(rgb.count) bytes are no RGB picture of \(size)")
    }
    try self.init(format: PixelFormat(AV_PIX_FMT_RGB24), size: size, time: Time(ticks: 0, base: .milliseconds))
    // A profile names its kind of colours in its header.
    if profile.dropFirst(16).starts(with: "RGB ".utf8) { try attach(profile) }
    // Nobody else holds it yet.
    withPlanes { planes in
      guard let base = planes.bases[0] else { return }
      rgb.withUnsafeBytes { rows in
        for row in 0..<size.height {
          let line = UnsafeRawBufferPointer(rebasing: rows[(row * size.width * 3)..<((row + 1) * size.width * 3)])
          UnsafeMutableRawBufferPointer(start: base + row * planes.strides[0], count: line.count).copyMemory(from: line)
        }
      }
    }
  }

  var av: UnsafeMutablePointer<AVFrame> { storage.frame }

  public var size: PixelSize { PixelSize(width: Int(av.pointee.width), height: Int(av.pointee.height)) }

  public var format: PixelFormat { PixelFormat(rawValue: av.pointee.format) }

  /// The memory that its pixels take, in bytes.
  public var byteCount: Int {
    Int(max(0, av_image_get_buffer_size(format.av, av.pointee.width, av.pointee.height, 1)))
  }

  /// When the frame is shown.
  public var time: Time { Time(ticks: av.pointee.pts, base: timeBase) }

  /// For how long the frame is shown, in ticks of `time`'s base; 0 if the stream does not say.
  public var durationTicks: Int64 { av.pointee.pkt_duration }

  /// Whether its lines are of two moments.
  public var isInterlaced: Bool { av.pointee.interlaced_frame != 0 }

  /// How it is to be turned to stand upright, where the frame itself says so: photos and some cameras do.
  public var orientation: Orientation? {
    guard let data = av_frame_get_side_data(av, AV_FRAME_DATA_DISPLAYMATRIX)?.pointee, data.size >= 36 else {
      return nil
    }
    return UnsafeRawBufferPointer(start: data.data, count: 36).withMemoryRebound(to: Int32.self) {
      Orientation(matrix: Array($0))
    }
  }

  /// Width ÷ height of its pixels; 1 if it does not say.
  var pixelAspect: Double {
    let aspect = av.pointee.sample_aspect_ratio
    return aspect.num > 0 && aspect.den > 0 ? Double(aspect.num) / Double(aspect.den) : 1
  }

  /// Has the frame no longer say how it is to be turned. Before anyone else holds it.
  func forgetOrientation() { av_frame_remove_side_data(av, AV_FRAME_DATA_DISPLAYMATRIX) }

  /// The ICC profile that tells what its colours are; empty for none.
  public var colorProfile: [UInt8] {
    guard let data = av_frame_get_side_data(av, AV_FRAME_DATA_ICC_PROFILE)?.pointee else { return [] }
    return Array(UnsafeBufferPointer(start: data.data, count: data.size))
  }

  private func attach(_ profile: [UInt8]) throws(VStreamError) {
    guard let data = av_frame_new_side_data(av, AV_FRAME_DATA_ICC_PROFILE, profile.count)?.pointee.data else {
      throw outOfMemory("colour profile")
    }
    profile.withUnsafeBytes { bytes in
      if let from = bytes.baseAddress { UnsafeMutableRawPointer(data).copyMemory(from: from, byteCount: bytes.count) }
    }
  }

  public var color: ColorDescription {
    ColorDescription(
      range: Int32(bitPattern: av.pointee.color_range.rawValue),
      primaries: Int32(bitPattern: av.pointee.color_primaries.rawValue),
      transfer: Int32(bitPattern: av.pointee.color_trc.rawValue),
      space: Int32(bitPattern: av.pointee.colorspace.rawValue),
      chromaLocation: Int32(bitPattern: av.pointee.chroma_location.rawValue))
  }

  /// Lends the planes for reading.
  public func withPlanes<R>(_ body: (borrowing Planes) throws -> R) rethrows -> R {
    try body(Planes(storage.frame))
  }

  /// Lends the planes for writing, after copying them if anyone else may look at them.
  ///
  /// - Throws: `VStreamError.library` if there is no memory for the copy.
  public mutating func withMutablePlanes<R>(_ body: (borrowing Planes) throws -> R) throws -> R {
    if !isKnownUniquelyReferenced(&storage) {
      guard let reference = av_frame_clone(storage.frame) else { throw outOfMemory("copy of a frame") }
      storage = FrameStorage(takingOwnershipOf: reference)
    }
    if av_frame_is_writable(storage.frame) == 0 {
      try requireLibAV(.library, "copy of a frame") { av_frame_make_writable(storage.frame) }
      copyCount += 1
    }
    return try body(Planes(storage.frame))
  }

  /// The planes of a frame, valid only inside the closure that they are lent to.
  public struct Planes: ~Copyable {
    /// First byte of each plane's top row.
    public let bases: InlineArray<4, UnsafeMutableRawPointer?>
    /// Bytes from a row to the one below it; may be negative.
    public let strides: InlineArray<4, Int>
    /// Size of the frame in pixels; of a plane with fewer samples, see `PixelLayout.Component`.
    public let size: PixelSize

    init(_ frame: UnsafeMutablePointer<AVFrame>) {
      let data = frame.pointee.data
      let lines = frame.pointee.linesize
      bases = [.init(data.0), .init(data.1), .init(data.2), .init(data.3)]
      strides = [Int(lines.0), Int(lines.1), Int(lines.2), Int(lines.3)]
      size = PixelSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
    }
  }
}

/// Owns one AVFrame.
///
/// Unchecked because the pointer is not Sendable; sound because the frame is written to only by an owner that is
/// uniquely referenced (`VideoFrame.withMutablePlanes`) or has not been shared yet.
private final class FrameStorage: @unchecked Sendable {
  let frame: UnsafeMutablePointer<AVFrame>

  init(takingOwnershipOf frame: UnsafeMutablePointer<AVFrame>) { self.frame = frame }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = frame
    av_frame_free(&frame)
  }
}
