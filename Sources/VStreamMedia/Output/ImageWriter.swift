internal import CVStreamLibAV
internal import VStreamScene
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// Writes every packet as a file of its own: a photo, or numbered pictures.
final class ImageWriter: MediaSink {
  let omitted: [OmittedStream]
  let outOfOrder = 0
  private let destination: OutputDestination
  private let size: PixelSize
  private let photo: ImageMetadata
  private let isNumbered: Bool
  private var number: Int
  /// The file that was written last, for `discard`.
  private var lastPath: String?
  private var warning: String?

  /// - Throws: `VStreamError.usage` for options other than `start_number`.
  init(
    _ destination: OutputDestination, video: VideoEncoder, first: VideoFrame, leavingOut streams: [StreamInfo],
    photo: ImageMetadata?
  ) throws(VStreamError) {
    self.destination = destination
    size = video.codedSize
    // The picture was turned; a profile in the frame is the same that the file had.
    var upright = photo?.upright ?? ImageMetadata()
    if upright.profile.isEmpty { upright.profile = first.colorProfile }
    self.photo = upright
    isNumbered = destination.isNumbered
    number = try destination.firstNumber()
    omitted = streams.map { OmittedStream(stream: $0, reason: "pictures hold nothing else; an .mkv output does") }
  }

  func writeVideo(_ packet: Packet) throws(VStreamError) {
    if !isNumbered, lastPath != nil {
      throw VStreamError(
        .usage, "'\(destination.location)' is one picture, and the input has more",
        remedy: "number them: \(destination.numberedExample); or take one with --start and --duration")
    }
    let path = destination.path(number: number)
    number += 1
    if isNumbered {
      try FileCheck.requireCreatable(path, overwrite: destination.overwrites)
      try FileCheck.requireNoPart(path + ".part", overwrite: destination.overwrites)
    }
    let file = photo.put(into: packet.bytes, width: size.width, height: size.height)
    if !photo.exif.isEmpty, ImageMetadata(of: file).exif.isEmpty {
      warning =
        "'\(path)' cannot hold the input's Exif (\(photo.exif.count) bytes), which is left out: "
        + "a .jpg output holds 65 kB of it, a .png or .webp output any"
    }
    try PartFile.write(file, for: path)
    lastPath = path
    // One picture gets its name once it is sure that it is the only one.
    if isNumbered { try PartFile.commit(path) }
  }

  func writeCopy(_ packet: Packet) {}

  func finish() throws(VStreamError) -> String? {
    if !isNumbered, let lastPath { try PartFile.commit(lastPath) }
    return warning
  }

  func discard() {
    if !isNumbered, let lastPath { PartFile.discard(lastPath) }
  }
}

extension OutputDestination {
  /// Whether one picture is all that is written.
  public var isSinglePicture: Bool { style == .images && !isNumbered }

  /// Whether a path is one of those that pictures are written to, or first written to.
  public func writes(to path: String) -> Bool {
    guard style == .images else { return false }
    let name = path.hasSuffix(".part") ? String(path.dropLast(5)) : path
    if !isNumbered { return PathIdentity.isSameLocation(name, location) }
    guard let number = ImageFiles.trailingNumber(of: name, like: location) else { return false }
    return PathIdentity.isSameLocation(name, self.path(number: number))
  }

  /// Whether the name holds a place for a picture's number.
  var isNumbered: Bool { av_filename_number_test(location) == 1 }

  /// The number of the first picture.
  ///
  /// - Throws: `VStreamError.usage` for another option than `start_number`, or if it is none.
  func firstNumber() throws(VStreamError) -> Int {
    var first = 1
    for (key, value) in options {
      guard key == "start_number", let number = Int(value), (0...1_000_000_000).contains(number) else {
        throw VStreamError(
          .usage, "--output-option \(key)=\(value) cannot be meant for pictures", remedy: "they take start_number=N")
      }
      first = number
    }
    return first
  }

  /// The file of a picture.
  func path(number: Int) -> String {
    guard isNumbered else { return location }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let base = buffer.baseAddress,
        av_get_frame_filename(base, Int32(buffer.count), location, Int32(clamping: number)) == 0
      else { return location }
      return String(cString: base)
    }
  }

  /// The name with a place for a number: `out.png` as `out-%05d.png`.
  var numberedExample: String {
    let dot = location.lastIndex(of: ".") ?? location.endIndex
    return NumberPattern.escaped(location[..<dot]) + "-%05d" + NumberPattern.escaped(location[dot...])
  }
}
