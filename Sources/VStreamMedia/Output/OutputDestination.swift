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
    /// Each picture a file of its own, written as `PATH.part` and renamed.
    case images
  }

  /// As the user named it.
  public let location: String
  /// FFmpeg's name of the container format.
  public let format: String
  public let style: Style
  /// FFmpeg's options for the muxer.
  public let options: [(key: String, value: String)]
  public let rules: ContainerRules
  /// Seconds that opening and each write may take; `nil` for 10 with URLs and no limit with files and pipes.
  public var timeout: Double?
  /// Whether files that exist may be replaced.
  let overwrites: Bool

  /// - Parameters:
  ///   - location: a path, a URL, or `-` for standard output.
  ///   - format: FFmpeg's name of the container; `nil` to tell it from the location, `nut` for standard output.
  ///   - options: FFmpeg's options for the muxer; looked at when the output is opened.
  ///   - overwrite: whether an existing file may be replaced.
  /// - Throws: `VStreamError`: `usage` if the format is unknown; `cannotCreateOutput` if the file exists or its folder
  ///   cannot be written to.
  public init(
    _ location: String, format: String? = nil, options: [(key: String, value: String)] = [], overwrite: Bool
  ) throws(VStreamError) {
    self.options = options
    overwrites = overwrite
    let path = MediaInput.path(location)
    let isFile = path != "-" && !MediaInput(path).isURL
    var isSpecial = false
    if isFile { isSpecial = try FileCheck.isSpecial(path) }
    self.location = isFile ? FileCheck.resolved(path) : path
    let found = try Self.format(format, location: path, isSpecial: isSpecial)
    self.format = String(cString: found.pointee.name)
    try Self.requireVideo(found, location: path)
    rules = Self.rules(of: found)
    guard isFile, !isSpecial else {
      style = .direct
      return
    }
    if self.format == "image2" || (format == nil && self.format == "webp") {
      style = .images
      let first = self.path(number: try firstNumber())
      try FileCheck.requireCreatable(first, overwrite: overwrite)
      try FileCheck.requireNoPart(first + ".part", overwrite: overwrite)
      return
    }
    let isPattern = av_filename_number_test(path) == 1
    if !isPattern { try FileCheck.requireCreatable(path, overwrite: overwrite) }
    if found.pointee.flags & AVFMT_NOFILE != 0 {
      style = .direct
    } else {
      style = Self.fragmentable.contains(self.format) ? .fragmentedPart : .part
      try FileCheck.requireNoPart(self.location + ".part", overwrite: overwrite)
    }
  }

  private static let fragmentable: Set = ["mp4", "mov", "ipod", "3gp", "3g2", "ismv", "psp", "f4v"]

  private static func format(
    _ named: String?, location: String, isSpecial: Bool
  ) throws(VStreamError) -> UnsafePointer<AVOutputFormat> {
    if named == nil, let scheme = LiveSink.format(of: location), let found = av_guess_format(scheme, nil, nil) {
      return UnsafePointer(found)
    }
    if let found = av_guess_format(named ?? (location == "-" ? "nut" : nil), named == nil ? location : nil, nil) {
      return UnsafePointer(found)
    }
    if named == nil, isSpecial, let nut = av_guess_format("nut", nil, nil) { return UnsafePointer(nut) }
    throw VStreamError(
      .usage,
      named.map { "'\($0)' is not an output format that FFmpeg has (--output-format)" }
        ?? "the format of the output cannot be told from the name '\(location)'",
      remedy: "end the name in .mp4, .mkv or .mov, or name the format with --output-format")
  }

  private static func rules(of format: UnsafePointer<AVOutputFormat>) -> ContainerRules {
    let name = String(cString: format.pointee.name)
    var rules = ContainerRules()
    rules.hasGlobalHeader = format.pointee.flags & AVFMT_GLOBALHEADER != 0
    rules.isConstantRate = ["avi", "yuv4mpegpipe", "ogg", "ogv"].contains(name)
    rules.keepsOrder = name == "nut"
    rules.isCutInPieces = ["hls", "dash", "segment", "stream_segment"].contains(name)
    return rules
  }

  /// Whether somebody in a network looks on: a URL. Not the playlist of HLS in a file.
  public var isLive: Bool { MediaInput(location).isURL }

  /// Whether another program takes what is written: standard output, a FIFO or socket.
  public var isPipe: Bool { location == "-" || (!isLive && PipeInput.isPipe(location)) }

  /// Seconds that opening and each write may take; `nil` for no limit.
  var limit: Double? { timeout ?? (isLive ? MediaInput.standardTimeout : nil) }

  /// Whether subtitle scripts (ASS) can be a track of the output itself.
  public var holdsScripts: Bool { format == "matroska" }

  /// The file beside the output that holds its subtitle script: the output's name with the end `.ass`; `nil` where the output
  /// is no single file.
  public var scriptPath: String? {
    guard [.part, .fragmentedPart].contains(style) else { return nil }
    let folder = location.lastIndex(of: "/").map { location[...$0] } ?? ""
    let name = location[folder.endIndex...]
    let stem = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : name[..<$0] } ?? name
    return "\(folder)\(stem).ass"
  }

  /// The file that is written to until the end.
  public var partPath: String? { style == .part || style == .fragmentedPart ? location + ".part" : nil }

  /// What libav opens.
  var url: String {
    if location == "-" { return "pipe:1" }
    if let partPath { return "file:" + partPath }
    return MediaInput(location).isURL ? location : "file:" + location
  }

  /// Whether the file that is first written has to play when it is cut short, or its place cannot be sought in.
  var isFragmented: Bool {
    style == .fragmentedPart || (style == .direct && Self.fragmentable.contains(format))
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

  /// A path with the link that it may be followed to the file behind it.
  static func resolved(_ path: String) -> String {
    let real = realpath(path, nil)
    defer { free(real) }
    guard let real, isLink(path) else { return path }
    return String(cString: real)
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// - Throws: `VStreamError.cannotCreateOutput` if an earlier run left an unfinished file, which may be all there is of
  ///   its output.
  public static func requireNoPart(_ path: String, overwrite: Bool) throws(VStreamError) {
    guard !overwrite, access(path, F_OK) == 0 else { return }
    throw VStreamError(
      .cannotCreateOutput, "'\(path)' is there, of a run that did not end or is not over",
      remedy: "rename it if it is wanted; --overwrite (-y) replaces it")
  }

  /// Whether two paths name one place, existing or not.
  public static func refersToSameFile(_ one: String, _ other: String) -> Bool {
    one == other || isSameFile(one, other) || place(of: one) == place(of: other)
  }

  /// The path of a file whose folders are named as they are, without links; the file itself need not be there. The path
  /// as it is where there is no such folder.
  public static func place(of path: String) -> String {
    let cut = path.lastIndex(of: "/")
    let folder = realpath(cut.map { String(path[...$0]) } ?? ".", nil)
    defer { free(folder) }
    let name = cut.map { path[path.index(after: $0)...] } ?? path[...]
    return folder.map { "\(String(cString: $0))/\(name)" } ?? path
  }

  /// What tells a file from what is later written in its place, or into it.
  public struct FileVersion: Hashable, Sendable {
    fileprivate let device: UInt
    fileprivate let number: UInt
    fileprivate let size: Int
    fileprivate let seconds: Int
    fileprivate let nanoseconds: Int
  }

  /// - Returns: `nil` if there is no such file.
  public static func version(of path: String) -> FileVersion? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return FileVersion(
      device: UInt(status.st_dev), number: UInt(status.st_ino), size: Int(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
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

  /// Makes a folder if it is not there.
  ///
  /// - Throws: `VStreamError.cannotCreateOutput`. The C function is `mkdir`.
  public static func makeFolder(_ path: String) throws(VStreamError) {
    guard mkdir(path, 0o755) != 0 else { return }
    let reason = errno
    var status = stat()
    if reason == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    throw VStreamError(
      .cannotCreateOutput,
      "the folder '\(path)' cannot be created: "
        + (reason == EEXIST ? "it is there, and no folder" : "\(String(cString: strerror(reason)))"))
  }

  /// Gives a file that is not whole the name of one, `.part`; nothing happens if it is not there.
  public static func setAside(_ path: String) {
    guard isRegular(path) else { return }
    rename(path, path + ".part")
  }

  /// Removes a file; nothing happens if there is none.
  public static func remove(_ path: String) {
    if isRegular(path) { unlink(path) }
  }

  private static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether two paths name one and the same file that exists.
  public static func isSameFile(_ one: String, _ other: String) -> Bool {
    var first = stat()
    var second = stat()
    guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino && first.st_mode & S_IFMT == S_IFREG
  }
}
