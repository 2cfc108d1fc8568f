public import VStreamMedia
public import VStreamScene

/// Pictures to be looked at, from files and from memory.
extension VideoFrame {
  /// Reads a picture, or the first frame of a video, upright.
  ///
  /// Blocks the calling thread.
  /// - Parameter path: JPEG, PNG, WebP, HEIF, TIFF, …, or any video.
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  public init(contentsOf path: String) throws(VStreamError) {
    self = try LibraryTerms.run { () throws(VStreamError) in try FirstFrame.read(MediaInput(path)) }
  }

  /// How the bytes of a picture in memory are laid out; 8 bits each.
  public enum PixelBytes: String, CaseIterable, Hashable, Sendable {
    /// Red, green, blue.
    case rgb
    /// Blue, green, red.
    case bgr
    /// Red, green, blue, alpha.
    case rgba
    /// Blue, green, red, alpha, as cameras of phones give them.
    case bgra
    /// Luma alone, of all of its range.
    case gray
    /// Luma, then blue and red differences by turns for each 2 × 2 pixels.
    case nv12
    /// Luma, then blue differences, then red differences, each for 2 × 2 pixels.
    case i420
  }

  /// Makes a frame of pixels in memory, which are copied.
  ///
  /// Planes follow each other without a gap: `nv12`'s second has rows of the first one's stride, those of `i420` of half of
  /// it, rounded up.
  /// - Parameters:
  ///   - bytes: row by row from the top.
  ///   - size: of the picture as it lies in memory.
  ///   - stride: bytes from one row of the first plane to the next; `nil` for rows without a gap.
  ///   - orientation: how it is turned to stand upright, which it then does.
  ///   - seconds: when it was taken, on the stream's own clock. Frames of a stream have rising times; a still has none.
  /// - Throws: `VStreamError.usage` if there are too few bytes for that size; `missingDependency` if it is to be turned and
  ///   libavfilter is not installed.
  public init(
    _ bytes: RawSpan, as layout: PixelBytes, size: PixelSize, stride: Int? = nil,
    orientation: ImageOrientation = .up, seconds: Double = 0
  ) throws(VStreamError) {
    let time = Time(seconds: seconds)
    let frame = try VideoFrame(copying: bytes, formatNamed: layout.formatName, size: size, stride: stride, time: time)
    self = orientation == .up ? frame : try frame.applying(orientation.orientation)
  }

  /// Makes a frame of pixels in memory, which are copied; see `init(_:as:size:stride:orientation:seconds:)`.
  public init(
    _ bytes: [UInt8], as layout: PixelBytes, size: PixelSize, stride: Int? = nil, orientation: ImageOrientation = .up,
    seconds: Double = 0
  ) throws(VStreamError) {
    try self.init(
      bytes.span.bytes, as: layout, size: size, stride: stride, orientation: orientation, seconds: seconds)
  }
}

extension VideoFrame.PixelBytes {
  /// FFmpeg's name.
  fileprivate var formatName: String {
    switch self {
    case .rgb: "rgb24"
    case .bgr: "bgr24"
    case .rgba, .bgra, .gray, .nv12: rawValue
    case .i420: "yuv420p"
    }
  }
}

extension Time {
  /// A moment in whole microseconds.
  fileprivate init(seconds: Double) {
    self.init(ticks: Int64(Int(clamping: seconds * 1e6)), base: .microseconds)
  }
}
