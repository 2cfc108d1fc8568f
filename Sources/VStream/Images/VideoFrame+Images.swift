public import VStreamCore
internal import VStreamDetection
public import VStreamMedia
internal import VStreamSystem

public import struct FoundationEssentials.URL

/// Images from files and from memory.
extension VideoFrame {
  /// Reads an image, or the first frame of a video, upright.
  ///
  /// Blocks the calling thread.
  /// - Parameter path: JPEG, PNG, WebP, HEIF, TIFF, …, or any video.
  /// - Throws: `VStreamError`: `inputNotFound`, `unreadableInput`.
  public init(contentsOf path: String) throws(VStreamError) {
    self = try DecodedFrames.first(of: MediaInput(path))
  }

  /// The pixel layout of an image in memory; 8 bits a component but for `p010`.
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
    /// Luma, blue difference, luma, red difference, for two pixels: of webcams.
    case yuyv
    /// Blue difference, luma, red difference, luma, for two pixels.
    case uyvy
    /// As `nv12`, in the upper 10 of 16 bits, little-endian.
    case p010
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
    let frame = try VideoFrame(copying: bytes, formatNamed: layout.opaqueName, size: size, stride: stride, time: time)
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

  /// Creates a frame from planes of their own, which are copied.
  ///
  /// - Parameters:
  ///   - planes: of `nv12` and `p010` two, of `i420` three, of other layouts one; each row by row from the top.
  ///   - strides: for each plane, bytes from one row to the next; `nil` for rows without padding.
  ///   - layout: how pixels are stored.
  ///   - size: of the image as it is stored, before it is rotated.
  ///   - orientation: how the image is stored; the frame is upright.
  ///   - seconds: its stream time.
  /// - Throws: as `init(_:as:size:stride:orientation:seconds:)`, and `VStreamError.usage` for another number of planes.
  public init(
    planes: [[UInt8]], strides: [Int]? = nil, as layout: PixelBytes, size: PixelSize,
    orientation: ImageOrientation = .up, seconds: Double = 0
  ) throws(VStreamError) {
    let packed = try Self.packed(planes, strides: strides, formatNamed: layout.formatName, size: size)
    try self.init(packed, as: layout, size: size, orientation: orientation, seconds: seconds)
  }
}

extension VideoFrame.PixelBytes {
  /// FFmpeg's name of the format in which alpha is ignored.
  var opaqueName: String { self == .rgba ? "rgb0" : self == .bgra ? "bgr0" : formatName }

  /// FFmpeg's name.
  var formatName: String {
    switch self {
    case .rgb: "rgb24"
    case .bgr: "bgr24"
    case .rgba, .bgra, .gray, .nv12: rawValue
    case .i420: "yuv420p"
    case .yuyv: "yuyv422"
    case .uyvy: "uyvy422"
    case .p010: "p010le"
    }
  }
}

extension Time {
  /// A time rounded to the nearest microsecond.
  fileprivate init(seconds: Double) {
    self.init(ticks: Int64(Int(clamping: seconds * 1e6)), base: .microseconds)
  }
}

/// How an image is stored, by the names of ML Kit, Vision and UIKit: `right` is an image that has to be rotated by 90°
/// clockwise to be upright. The raw values are Exif's.
public enum ImageOrientation: Int, CaseIterable, Hashable, Sendable {
  /// Upright.
  case up = 1
  /// Mirrored horizontally.
  case upMirrored = 2
  /// Rotated by 180°.
  case down = 3
  /// Mirrored vertically.
  case downMirrored = 4
  /// Transposed: rows and columns exchanged.
  case leftMirrored = 5
  /// To be rotated by 90° clockwise: of a phone that is held upright.
  case right = 6
  /// Transposed about the other diagonal.
  case rightMirrored = 7
  /// To be rotated by 90° counter-clockwise.
  case left = 8

  /// The rotation that makes the image upright.
  var orientation: Orientation { Orientation(exif: rawValue) }
}

/// A frame's pixels, image files of it, and parts of it.
extension VideoFrame {
  /// The pixels of the frame in a layout, row by row without padding, and plane by plane.
  ///
  /// - Returns: for `rgb`, for example, `size.width × size.height × 3` bytes; `nv12` and `i420` have the frame's own sample range.
  /// - Throws: `VStreamError.library` if they cannot be converted.
  public func pixels(as layout: PixelBytes) throws(VStreamError) -> [UInt8] {
    guard let format = PixelFormat(name: layout.formatName) else {
      throw VStreamError(.library, "FFmpeg has no format \(layout.formatName)")
    }
    let converter = FrameConverter(size: size, format: format, range: layout == .gray ? .full : .unchanged)
    return try converter.convert(self).packedBytes()
  }

  /// Writes the frame as an image file: `.jpg`, `.jpeg` or `.png`.
  ///
  /// - Parameters:
  ///   - path: of the file.
  ///   - overwrite: whether a file that exists is replaced.
  /// - Throws: `VStreamError`: `usage` for another extension; `cannotCreateOutput`; `inputOutput`.
  public func write(to path: String, overwrite: Bool = false) throws(VStreamError) {
    let name = Path.name(of: path).lowercased()
    guard
      let format = ImageFormat.allCases.first(where: { name.hasSuffix(".\($0.rawValue)") })
        ?? (name.hasSuffix(".jpeg") ? .jpeg : nil)
    else {
      throw VStreamError(
        .usage, "'\(path)' is not the name of an image that can be written", subject: path, remedy: "use .jpg or .png")
    }
    if !overwrite, FileCheck.exists(path) {
      throw VStreamError(
        .cannotCreateOutput, "'\(path)' already exists", subject: path, remedy: "use another name, or overwrite it")
    }
    try FileCheck.requireCreatable(path, overwrite: true)
    try PartFile.write(try format.file(of: self), for: path)
    try PartFile.commit(path)
  }

  /// Writes the frame as an image file; see `write(to:overwrite:)`.
  public func write(to url: URL, overwrite: Bool = false) throws(VStreamError) {
    try write(to: url.location, overwrite: overwrite)
  }

  /// Reads an image, or the first frame of a video, upright; see `init(contentsOf:)`.
  public init(contentsOf url: URL) throws(VStreamError) { try self.init(contentsOf: url.location) }
}
