internal import CVStreamLibAV
public import VStreamCore

/// A frame of a stream, with its time: a reference to pixels that are copied only when they are written to while another
/// frame shares them.
public struct VideoFrame: Sendable {
  private var storage: FrameStorage
  /// Seconds per tick of `time`.
  private let timeBase: Rational
  /// The number of times that its pixels were copied because another frame shared them when they were written to.
  package private(set) var copyCount = 0
  /// The number of its shot in the stream, from 0: cuts lie between shots. A shot may go on after another one, as after a flash.
  package var shot = 0
  /// Whether it has another time than its packet, or was converted to the stream's size, format, orientation or scan.
  package var isAltered = false

  init(takingOwnershipOf frame: UnsafeMutablePointer<AVFrame>, timeBase: Rational) {
    storage = FrameStorage(takingOwnershipOf: frame)
    self.timeBase = timeBase
  }

  /// A frame of uninitialised pixels.
  ///
  /// - Throws: `VStreamError.library` if there is no memory or the format does not support the size.
  package init(format: PixelFormat, size: PixelSize, time: Time) throws(VStreamError) {
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

  /// A frame without pixels, with size, format and time only, for steps that need no pixels.
  ///
  /// - Throws: `VStreamError.library` if there is no memory.
  package init(withoutPixels size: PixelSize, format: PixelFormat, time: Time) throws(VStreamError) {
    guard let frame = av_frame_alloc() else { throw outOfMemory("frame") }
    frame.pointee.format = format.rawValue
    frame.pointee.width = Int32(clamping: size.width)
    frame.pointee.height = Int32(clamping: size.height)
    frame.pointee.pts = time.ticks
    self.init(takingOwnershipOf: frame, timeBase: time.base)
  }

  /// Whether it was made with pixels.
  package var hasPixels: Bool { av.pointee.data.0 != nil }

  /// An image of RGB pixels, at time 0.
  ///
  /// - Parameters:
  ///   - rgb: Red, green and blue of each pixel, row by row.
  ///   - profile: The ICC profile of the colours; a profile of another colour space than RGB is ignored.
  /// - Throws: `VStreamError.library` if there is no memory, or the number of values does not match the size.
  package init(rgb: [UInt8], size: PixelSize, profile: [UInt8] = []) throws(VStreamError) {
    guard rgb.count == size.width * size.height * 3 else {
      throw VStreamError(.library, "\(rgb.count) bytes are not an RGB image of \(size)")
    }
    try self.init(format: PixelFormat(AV_PIX_FMT_RGB24), size: size, time: Time(ticks: 0, base: .milliseconds))
    // The header of a profile names its colour space.
    if profile.dropFirst(16).starts(with: "RGB ".utf8) { try attach(profile) }
    let rowBytes = size.width * 3
    try withMutablePlanes { planes in
      guard let base = planes.bases[0] else { return }
      rgb.withUnsafeBytes { rows in
        guard let from = rows.baseAddress else { return }
        for row in 0..<size.height {
          (base + row * planes.strides[0]).copyMemory(from: from + row * rowBytes, byteCount: rowBytes)
        }
      }
    }
  }

  var av: UnsafeMutablePointer<AVFrame> { storage.frame }

  /// In pixels.
  public var size: PixelSize { PixelSize(width: Int(av.pointee.width), height: Int(av.pointee.height)) }

  /// How its pixels are stored.
  public var format: PixelFormat { PixelFormat(rawValue: av.pointee.format) }

  /// The size of its pixels in bytes, without padding.
  package var byteCount: Int {
    Int(max(0, av_image_get_buffer_size(format.av, av.pointee.width, av.pointee.height, 1)))
  }

  /// The presentation time.
  public var time: Time { Time(ticks: av.pointee.pts, base: timeBase) }

  /// The duration in ticks of `time`'s base; 0 if unknown.
  package var durationTicks: Int64 { CVStreamLibAV_duration(av) }

  /// Whether odd and even lines are from two different times.
  public var isInterlaced: Bool { CVStreamLibAV_isInterlaced(av) != 0 }

  /// The orientation that the frame itself has in its side data, as those of photos and some cameras do; `nil` for
  /// none.
  package var orientation: Orientation? {
    guard let data = av_frame_get_side_data(av, AV_FRAME_DATA_DISPLAYMATRIX)?.pointee, data.size >= 36 else {
      return nil
    }
    return UnsafeRawBufferPointer(start: data.data, count: 36).withMemoryRebound(to: Int32.self) {
      Orientation(matrix: Array($0))
    }
  }

  /// Width ÷ height of its pixels; 1 if unknown.
  var pixelAspect: Double {
    let aspect = av.pointee.sample_aspect_ratio
    return aspect.num > 0 && aspect.den > 0 ? Double(aspect.num) / Double(aspect.den) : 1
  }

  /// The frame's size with square pixels; `nil` if they nearly are.
  ///
  /// The longer side of the pixels is stretched, and for very long ones the other side reduced: to twice as many pixels at most.
  package var squarePixelSize: PixelSize? {
    let ratio = min(pixelElongation, Self.longestPixel)
    guard ratio > Self.nearlySquare else { return nil }
    let long = min(ratio, (2 * ratio).squareRoot())
    let (x, y) = pixelAspect > 1 ? (long, long / ratio) : (long / ratio, long)
    return PixelSize(
      width: max(1, Int((Double(size.width) * x).rounded())), height: max(1, Int((Double(size.height) * y).rounded())))
  }

  /// The longer side of the pixels in their shorter ones.
  package var pixelElongation: Double { max(pixelAspect, 1 / pixelAspect) }

  private static let nearlySquare = 1.1
  private static let longestPixel = 16.0

  /// Removes the private data that the input's encoder added to the frame, in any form.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  mutating func removeUserData() throws(VStreamError) {
    guard av_frame_get_side_data(av, AV_FRAME_DATA_SEI_UNREGISTERED) != nil else { return }
    try makeReferenceUnique()
    av_frame_remove_side_data(av, AV_FRAME_DATA_SEI_UNREGISTERED)
  }

  /// Removes closed captions.
  ///
  /// - Returns: whether there were any.
  /// - Throws: `VStreamError.library` if memory runs out.
  package mutating func removeCaptions() throws(VStreamError) -> Bool {
    guard av_frame_get_side_data(av, AV_FRAME_DATA_A53_CC) != nil else { return false }
    try makeReferenceUnique()
    av_frame_remove_side_data(av, AV_FRAME_DATA_A53_CC)
    return true
  }

  /// Removes the frame's display matrix, for pixels that are rotated by other means.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  mutating func removeOrientation() throws(VStreamError) {
    guard av_frame_get_side_data(av, AV_FRAME_DATA_DISPLAYMATRIX) != nil else { return }
    try makeReferenceUnique()
    av_frame_remove_side_data(av, AV_FRAME_DATA_DISPLAYMATRIX)
  }

  /// The ICC profile of its colours; empty for none.
  public var colorProfile: [UInt8] {
    guard let data = av_frame_get_side_data(av, AV_FRAME_DATA_ICC_PROFILE)?.pointee else { return [] }
    return Array(UnsafeBufferPointer(start: data.data, count: data.size))
  }

  /// Removes from the ICC profile all but its colours: descriptions and private tags may contain anything.
  ///
  /// - Throws: `VStreamError.library` if memory runs out.
  public mutating func redactColorProfile() throws(VStreamError) {
    let profile = colorProfile
    let cleaned = ColorProfile.cleaned(profile)
    guard cleaned != profile else { return }
    try makeReferenceUnique()
    av_frame_remove_side_data(av, AV_FRAME_DATA_ICC_PROFILE)
    if !cleaned.isEmpty { try attach(cleaned) }
  }

  private func attach(_ profile: [UInt8]) throws(VStreamError) {
    guard let data = av_frame_new_side_data(av, AV_FRAME_DATA_ICC_PROFILE, profile.count)?.pointee.data else {
      throw outOfMemory("colour profile")
    }
    profile.withUnsafeBytes { bytes in
      if let from = bytes.baseAddress { UnsafeMutableRawPointer(data).copyMemory(from: from, byteCount: bytes.count) }
    }
  }

  /// The codes that describe how its samples encode colours.
  package var color: ColorDescription {
    ColorDescription(
      range: Int32(bitPattern: av.pointee.color_range.rawValue),
      primaries: Int32(bitPattern: av.pointee.color_primaries.rawValue),
      transfer: Int32(bitPattern: av.pointee.color_trc.rawValue),
      space: Int32(bitPattern: av.pointee.colorspace.rawValue),
      chromaLocation: Int32(bitPattern: av.pointee.chroma_location.rawValue))
  }

  /// The same pixels at another time.
  ///
  /// - Parameter duration: in ticks of the time's base.
  /// - Throws: `VStreamError.library` if memory runs out.
  package func retimed(to time: Time, duration: Int64) throws(VStreamError) -> VideoFrame {
    guard let reference = av_frame_clone(av) else { throw outOfMemory("frame") }
    reference.pointee.pts = time.ticks
    CVStreamLibAV_setDuration(reference, duration)
    return VideoFrame(takingOwnershipOf: reference, timeBase: time.base)
  }

  /// Gives the frame pixels of its own, if another frame shares them.
  ///
  /// - Throws: `VStreamError.library` if there is no memory for the copy.
  mutating func makeWritable() throws(VStreamError) {
    try makeReferenceUnique()
    if av_frame_is_writable(storage.frame) == 0 {
      try requireLibAV(.library, "copy of a frame") { av_frame_make_writable(storage.frame) }
      copyCount += 1
    }
  }

  /// Gives the frame properties of its own; its pixels stay shared.
  private mutating func makeReferenceUnique() throws(VStreamError) {
    guard !isKnownUniquelyReferenced(&storage) else { return }
    guard let reference = av_frame_clone(storage.frame) else { throw outOfMemory("copy of a frame") }
    storage = FrameStorage(takingOwnershipOf: reference)
  }
}

/// Owns one AVFrame.
///
/// Unchecked because the pointer is not Sendable; sound because the frame is written to only through a `VideoFrame` that
/// holds the only reference to it (`makeReferenceUnique`), or before the frame is shared.
private final class FrameStorage: @unchecked Sendable {
  let frame: UnsafeMutablePointer<AVFrame>

  init(takingOwnershipOf frame: UnsafeMutablePointer<AVFrame>) { self.frame = frame }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = frame
    av_frame_free(&frame)
  }
}
