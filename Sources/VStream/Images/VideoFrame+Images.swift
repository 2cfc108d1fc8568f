public import VStreamCore
public import VStreamMedia

/// Images from files and from memory.
extension VideoFrame {
  /// Reads an image, or the first frame of a video, upright.
  ///
  /// Blocks the calling thread.
  /// - Parameter path: JPEG, PNG, WebP, HEIF, TIFF, …, or any video.
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  public init(contentsOf path: String) throws(VStreamError) {
    self = try FirstFrame.read(MediaInput(path))
  }

  /// The pixel layout of an image in memory; 8 bits a component.
  public enum PixelBytes: String, CaseIterable, Hashable, Sendable {
    /// Red, green, blue.
    case rgb
    /// Blue, green, red.
    case bgr
    /// Red, green, blue, alpha.
    case rgba
    /// Blue, green, red, alpha, as phone cameras deliver them.
    case bgra
    /// Luma only, full range.
    case gray
    /// A luma plane, then a plane of interleaved blue and red differences, each for 2 × 2 pixels.
    case nv12
    /// A luma plane, then planes of blue and of red differences, each for 2 × 2 pixels.
    case i420
  }

  /// Creates a frame from pixels in memory, which are copied.
  ///
  /// Planes are contiguous: the stride of `nv12`'s second plane is that of the first, those of `i420`'s are half of it,
  /// rounded up.
  /// - Parameters:
  ///   - bytes: row by row from the top.
  ///   - layout: how pixels are stored.
  ///   - size: of the image as it is stored, before it is rotated.
  ///   - stride: bytes from one row of the first plane to the next; `nil` for contiguous rows.
  ///   - orientation: how the image is stored; the frame is upright.
  ///   - seconds: its stream time. Frames of a stream have ascending times; a still needs none.
  /// - Throws: `VStreamError.usage` if there are too few bytes for that size, or the time is no number; `missingDependency` if it
  ///   has to be rotated and libavfilter is not installed.
  public init(
    _ bytes: RawSpan, as layout: PixelBytes, size: PixelSize, stride: Int? = nil,
    orientation: ImageOrientation = .up, seconds: Double = 0
  ) throws(VStreamError) {
    guard seconds.magnitude < 1e9 else {
      throw VStreamError(
        .usage, "\(seconds) is not a time of a frame", remedy: "give the seconds since the stream's start")
    }
    let time = Time(seconds: seconds)
    let frame = try VideoFrame(copying: bytes, formatNamed: layout.formatName, size: size, stride: stride, time: time)
    self = orientation == .up ? frame : try frame.applying(orientation.orientation)
  }

  /// Creates a frame from pixels in memory, which are copied; see `init(_:as:size:stride:orientation:seconds:)`.
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
  var formatName: String {
    switch self {
    case .rgb: "rgb24"
    case .bgr: "bgr24"
    case .rgba, .bgra, .gray, .nv12: rawValue
    case .i420: "yuv420p"
    }
  }
}

extension Time {
  /// A time rounded to the nearest microsecond.
  fileprivate init(seconds: Double) {
    self.init(ticks: Int64(Int(clamping: seconds * 1e6)), base: .microseconds)
  }
}
