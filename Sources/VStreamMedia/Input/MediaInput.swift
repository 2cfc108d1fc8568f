internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The location of an input, and how it is to be opened.
package struct MediaInput: Sendable {
  /// A file's path, a folder of images, a pattern of image names, a URL, or `-` for standard input.
  package var location: String
  /// FFmpeg's name of the format; `nil` for the format to be detected.
  package var format: String?
  /// FFmpeg's options for the demuxer or protocol.
  package var options: [(key: String, value: String)]
  /// Gives the next frame, of a stream that a program makes; `nil` at its end. Called on the thread that reads, which waits.
  package var frames: (@Sendable () throws(VStreamError) -> VideoFrame?)?
  /// The streams that are processed and copied.
  package var map = StreamMap()
  /// Seconds that opening, and each read, may take; `nil` for 10 with URLs and devices and no limit with files and pipes.
  package var timeout: Double?
  /// Seconds that opening may take, if that is less.
  package var openingTimeout: Double?

  package init(
    _ location: String, format: String? = nil, options: [(key: String, value: String)] = [], timeout: Double? = nil
  ) {
    self.location = Self.path(location)
    self.format = format
    self.options = options
    self.timeout = timeout
  }

  /// Frames that a program makes.
  package init(frames: @escaping @Sendable () throws(VStreamError) -> VideoFrame?) {
    self.init("frames")
    self.frames = frames
  }

  /// Checks that the location exists, if it can only be a file.
  ///
  /// - Throws: `VStreamError.inputNotFound` if there is no such file.
  package func requireExists(format: String?) throws(VStreamError) {
    guard location != "-", !isURL, format == nil, frames == nil, access(location, F_OK) != 0, errno == ENOENT,
      !ImageFiles.isPattern(location)
    else { return }
    throw Self.missing(location)
  }

  static func missing(_ location: String) -> VStreamError {
    VStreamError(
      .inputNotFound, "there is no file '\(location)'",
      remedy: location.contains("%")
        ? "the names of numbered images contain one %d or %05d for the number" : "check its name and folder")
  }

  /// The files that are read: those of a folder or pattern, else the location itself.
  ///
  /// - Throws: `VStreamError.inputNotFound` or `unreadableInput` if there are none.
  package func files() throws(VStreamError) -> [String] {
    if frames != nil { return [] }
    guard format == nil, location != "-", !isURL else { return [location] }
    return try ImageFiles(location, options: options)?.paths ?? [location]
  }

  /// A location without the prefix `file:` or `file://`; of `pipe:` and a number the path of that descriptor; of a file whose
  /// name begins like a protocol (`concat:a.mp4`) a path that does not.
  static func path(_ location: String) -> String {
    if protocols.contains(where: location.hasPrefix), !location.contains("://") {
      let folder = location.lastIndex(of: "/").map { String(location[..<$0]) }
      if FileStatus(of: folder ?? location) != nil { return "./" + location }
    }
    if location.hasPrefix("pipe:"), let number = UInt16("0" + location.dropFirst("pipe:".count)) {
      return number <= 1 ? "-" : "/dev/fd/\(number)"
    }
    return ["file://", "file:"].first(where: location.hasPrefix).map { String(location.dropFirst($0.count)) }
      ?? location
  }

  /// The last component of the location, without the folder; of a URL without credentials (`ShownLocation`).
  package var fileName: String {
    guard !isURL else { return ShownLocation.fileName(location) }
    return location.lastIndex(of: "/").map { String(location[location.index(after: $0)...]) } ?? location
  }

  /// Whether `location` starts with a scheme and `://` (`rtsp://…`), or with one of libav's protocols that read other
  /// locations (`concat:a.ts|b.ts`), so that it is not a file.
  package var isURL: Bool {
    guard let end = location.firstIndex(of: ":") else { return false }
    if readsOtherLocations { return true }
    let scheme = location[..<end]
    return location[end...].hasPrefix("://") && !scheme.isEmpty
      && scheme.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
  }

  private static let protocols = ["concat:", "concatf:", "subfile,", "cache:", "async:", "file:"]

  /// Checks the location before it is opened.
  ///
  /// - Throws: `VStreamError.usage` for a user and password that libav would read otherwise.
  package func check() throws(VStreamError) {
    if isURL { _ = try URLCredentials.encoded(location) }
  }

  /// Whether the location names others, joined or in part, by a protocol of libav that has no `//`.
  var readsOtherLocations: Bool {
    location.contains(":")
      && ["concat", "concatf", "subfile", "cache", "async"].contains(location.prefix { $0 != ":" && $0 != "," })
  }

  /// The scheme of a URL, in lower case.
  var scheme: String { location.prefix { $0 != ":" }.lowercased() }

  /// The location in messages (`ShownLocation`).
  package var displayName: String { location == "-" ? "standard input" : "'\(ShownLocation.text(location))'" }
}
