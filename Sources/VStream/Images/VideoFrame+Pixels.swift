public import VStreamCore
internal import VStreamDetection
public import VStreamMedia
internal import VStreamSystem

public import struct FoundationEssentials.URL

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

  /// The image of a face: rotated upright, in RGB, with a margin around it, at most 512 pixels wide and high; black beyond the
  /// frame's edges.
  ///
  /// - Returns: `nil` for a face that is not in the frame.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be read.
  public func crop(of face: DetectedFace) throws(VStreamError) -> VideoFrame? {
    FaceCrop.isPossible(of: face, in: size) ? try FaceCrop.image(of: face, in: self) : nil
  }

  /// Reads an image, or the first frame of a video, upright; see `init(contentsOf:)`.
  public init(contentsOf url: URL) throws(VStreamError) { try self.init(contentsOf: url.location) }
}
