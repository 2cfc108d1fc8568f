internal import CVStreamLibAV
public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Where media is to go, looked at before anything is written.
public struct OutputDestination: Sendable {
  /// How the media gets to its place.
  public enum Style: Hashable, Sendable {
    /// Written as `PATH.part` and renamed at a clean end.
    case part
    /// Written as `PATH.part` in fragments that play as they stand, then remuxed to a fast-start file.
    case fragmentedPart
    /// Written where it goes, for pipes, devices and URLs.
    case direct
  }

  /// As the user named it.
  public let location: String
  /// FFmpeg's name of the container format.
  public let format: String
  public let style: Style
  /// Whether the container wants the codec's parameter sets apart from the frames.
  public let usesGlobalHeader: Bool

  /// - Parameters:
  ///   - location: a path, a URL, or `-` for standard output.
  ///   - format: FFmpeg's name of the container; `nil` to tell it from the location, `nut` for standard output.
  ///   - overwrite: whether an existing file may be replaced.
  /// - Throws: `VStreamError`: `usage` if the format is unknown; `cannotCreateOutput` if the file exists or its folder
  ///   cannot be written to.
  public init(_ location: String, format: String? = nil, overwrite: Bool) throws(VStreamError) {
    self.location = location
    let named = format ?? (location == "-" ? "nut" : nil)
    guard let found = av_guess_format(named, named == nil ? location : nil, nil) else {
      throw VStreamError(
        .usage,
        named.map { "'\($0)' is not an output format that FFmpeg has (--output-format)" }
          ?? "the format of the output cannot be told from the name '\(location)'",
        remedy: "end the name in .mp4, .mkv or .mov, or name the format with --output-format")
    }
    self.format = String(cString: found.pointee.name)
    usesGlobalHeader = found.pointee.flags & AVFMT_GLOBALHEADER != 0
    let isFragmentable = ["mp4", "mov", "ipod", "3gp", "3g2", "ismv", "psp", "f4v"].contains(self.format)
    if location == "-" || MediaInput(location).isURL || found.pointee.flags & AVFMT_NOFILE != 0 {
      style = .direct
    } else if try FileCheck.isSpecial(location) {
      style = .direct
    } else {
      try FileCheck.requireCreatable(location, overwrite: overwrite)
      style = isFragmentable ? .fragmentedPart : .part
    }
  }

  /// The file that is written to until the end.
  public var partPath: String? { style == .direct ? nil : location + ".part" }

  /// What libav opens.
  var url: String {
    if location == "-" { return "pipe:1" }
    if let partPath { return "file:" + partPath }
    return MediaInput(location).isURL ? location : "file:" + location
  }

  /// Whether the file that is first written has to play when it is cut short, or its place cannot be sought in.
  var isFragmented: Bool {
    style == .fragmentedPart || (style == .direct && ["mp4", "mov", "ipod", "3gp", "3g2", "f4v"].contains(format))
  }
}

/// Looks at the file system before something is written, for errors that say what is wrong.
public enum FileCheck {
  /// Whether a path names something that exists and is neither a file nor a folder.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput` if it is a folder.
  public static func isSpecial(_ path: String) throws(VStreamError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw VStreamError(.cannotCreateOutput, "'\(path)' is a folder", remedy: "name a file in it")
    }
    return status.st_mode & S_IFMT != S_IFREG
  }

  /// - Throws: `VStreamError.cannotCreateOutput` if the path exists and must not be overwritten, or if its folder is
  ///   missing or cannot be written to.
  public static func requireCreatable(_ path: String, overwrite: Bool) throws(VStreamError) {
    if access(path, F_OK) == 0 {
      guard overwrite else {
        throw VStreamError(.cannotCreateOutput, "'\(path)' exists already", remedy: "--overwrite (-y) replaces it")
      }
      guard access(path, W_OK) == 0 else {
        throw VStreamError(.cannotCreateOutput, "'\(path)' cannot be written to: permission denied")
      }
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(folder, F_OK) == 0 else {
      throw VStreamError(.cannotCreateOutput, "'\(path)' cannot be created: there is no folder '\(folder)'")
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      throw VStreamError(.cannotCreateOutput, "'\(path)' cannot be created: the folder '\(folder)' is not writable")
    }
  }

  /// Whether two paths name one and the same file that exists.
  public static func isSameFile(_ one: String, _ other: String) -> Bool {
    var first = stat()
    var second = stat()
    guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino && first.st_mode & S_IFMT == S_IFREG
  }
}
