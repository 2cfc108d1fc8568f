internal import CVStreamLibAV
package import VStreamCore
internal import VStreamSystem

#if canImport(Glibc)
  internal import Glibc
#endif

/// The destination of media, checked before anything is written.
package struct OutputDestination: Sendable {
  /// How the output is written.
  package enum Style: Hashable, Sendable {
    /// Written as `PATH.part` and renamed at a clean end.
    case part
    /// Written as `PATH.part` in fragments that play at any time, then remuxed to a fast-start file.
    case fragmentedPart
    /// Written in place, for pipes, devices and URLs.
    case direct
    /// Each frame is a file, written as `PATH.part` and renamed.
    case images
  }

  /// As the user named it.
  package let location: String
  /// The location in messages.
  var shownLocation: String { ShownLocation.text(location) }
  /// FFmpeg's name of the container format.
  package let format: String
  package let style: Style
  /// FFmpeg's options for the muxer.
  package let options: [(key: String, value: String)]
  package let rules: ContainerRules
  /// Seconds that opening and each write may take; `nil` for 10 with URLs and no limit with files and pipes.
  package var timeout: Double?
  /// Whether files that exist may be replaced.
  package let overwrites: Bool

  /// - Parameters:
  ///   - location: a path, a URL, or `-` for standard output.
  ///   - format: FFmpeg's name of the container; `nil` to derive it from the location, `nut` for standard output.
  ///   - options: FFmpeg's options for the muxer; checked when the output is opened.
  ///   - overwrite: whether an existing file may be replaced.
  /// - Throws: `VStreamError`: `usage` if the format is unknown; `cannotCreateOutput` if the file exists or its folder
  ///   cannot be written to.
  package init(
    _ location: String, format: String? = nil, options: [(key: String, value: String)] = [], overwrite: Bool
  ) throws(VStreamError) {
    self.options = options
    overwrites = overwrite
    let path = Self.path(location)
    let isFile = path != "-" && !MediaInput(path).isURL
    if !isFile { _ = try URLCredentials.encoded(path) }
    var isSpecial = false
    if isFile { isSpecial = try FileCheck.isSpecial(path) }
    self.location = isFile ? PathIdentity.resolvingLink(path) : path
    if NumberPattern.isEndless(path) { throw Self.tooManyDigits(path) }
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
      try requireWholeNumbers()
      let first = self.path(number: try firstNumber())
      try FileCheck.requireCreatable(first, overwrite: overwrite)
      try FileCheck.requireNoPart(PartFile.path(for: first), overwrite: overwrite)
      return
    }
    let isPattern = av_filename_number_test(path) == 1
    if !isPattern { try FileCheck.requireCreatable(path, overwrite: overwrite) }
    if found.pointee.flags & AVFMT_NOFILE != 0 {
      style = .direct
      try requireWholeNumbers()
    } else {
      style = Self.mp4Family.contains(self.format) ? .fragmentedPart : .part
      try FileCheck.requireNoPart(PartFile.path(for: self.location), overwrite: overwrite)
      if style == .fragmentedPart {
        try FileCheck.requireNoPart(PartFile.finalPath(for: self.location), overwrite: overwrite)
      }
    }
  }

  /// A location without the prefix `file:`; nothing is written by protocols that join others (`concat:a.mp4`), so that is a
  /// file's name.
  private static func path(_ location: String) -> String {
    let path = MediaInput.path(location)
    return MediaInput(path).readsOtherLocations && !path.contains("://") ? "./" + path : path
  }

  static let mp4Family: Set = ["mp4", "mov", "ipod", "3gp", "3g2", "ismv", "psp", "f4v"]

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
      named.map { "'\($0)' is not an output format of this FFmpeg (\(.outputFormat))" }
        ?? "the output's format cannot be derived from the name '\(ShownLocation.text(location))'",
      setting: .outputFormat, value: named,
      remedy: "end the name in .mp4, .mkv or .mov, or name the format with \(.outputFormat)")
  }

  private static func rules(of format: UnsafePointer<AVOutputFormat>) -> ContainerRules {
    let name = format.name
    var rules = ContainerRules()
    rules.hasGlobalHeader = format.pointee.flags & AVFMT_GLOBALHEADER != 0
    rules.startsAtZero = ["avi", "yuv4mpegpipe"].contains(name) || Container.formatsOfProduction.contains(name)
    rules.isConstantRate = rules.startsAtZero || ["ogg", "ogv"].contains(name)
    rules.needsPresentationOrder = name == "nut"
    rules.earlierTimes = name == "nut" ? .impossible : ["matroska", "webm"].contains(name) ? .unread : .stored
    // Browsers show frames of a single hundredth of a second for ten.
    if name == "gif" { rules.minimumFrameDistance = Rational(1, 100).map { Time(ticks: 2, base: $0) } }
    rules.isSegmented = ["hls", "dash", "segment", "stream_segment"].contains(name)
    return rules
  }

  /// Whether the output is a URL with a receiver in a network. `false` for an HLS playlist in a file.
  package var isLive: Bool { MediaInput(location).isURL }

  /// Whether another program reads the output: standard output, a FIFO or a socket.
  package var isPipe: Bool { location == "-" || (!isLive && PipeInput.isPipe(location)) }

  /// Seconds that opening and each write may take; `nil` for no limit.
  var limit: Double? { timeout ?? (isLive ? MediaInput.standardTimeout : nil) }

  /// Whether subtitle scripts (ASS) can be a track of the output itself.
  package var holdsScripts: Bool { format == "matroska" }

  /// The file of the subtitle script beside the output: the output's name with the extension `.ass`; `nil` where the output
  /// is not a single file.
  package var scriptPath: String? {
    guard [.part, .fragmentedPart].contains(style) else { return nil }
    let folder = location.lastIndex(of: "/").map { location[...$0] } ?? ""
    let name = location[folder.endIndex...]
    let stem = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : name[..<$0] } ?? name
    return "\(folder)\(stem).ass"
  }

  /// The file that is written until the output is complete.
  package var partPath: String? { style == .part || style == .fragmentedPart ? PartFile.path(for: location) : nil }

  /// The URL that libav opens.
  var url: String {
    if location == "-" { return "pipe:1" }
    if let partPath { return "file:" + partPath }
    if isLive { return (try? URLCredentials.encoded(location)) ?? location }
    // Playlists name their segments by it, and no other program expects a scheme there.
    if rules.isSegmented { return location.contains(":") && !location.contains("/") ? "./" + location : location }
    return "file:" + location
  }

  /// Whether the file is written in fragments: it must play when it is cut short, or the output is not seekable.
  var isFragmented: Bool {
    style == .fragmentedPart || (style == .direct && Self.mp4Family.contains(format))
  }
}

extension OutputDestination {
  /// The error of a disk without space for this output; an empty output is removed.
  func fullDisk(_ code: VStreamError.Code, remedy: Message = "") -> VStreamError {
    let what: Message =
      "\(location == "-" ? "standard output" : "'\(shownLocation)'") cannot be written: the disk is full"
    guard let partPath else {
      return VStreamError(code, what, subject: location, remedy: "free some space and run it again")
    }
    let space = FreeSpace(partPath)
    let problem: Message = "\(what) (\(space))"
    if space.written == 0 { PartFile.remove(partPath) }
    guard space.written ?? 0 > 0 else {
      return VStreamError(code, problem, subject: location, remedy: "free some space there")
    }
    let retry: Message = "free some space and run it again with \(.overwrite)"
    return VStreamError(code, problem, subject: location, remedy: remedy.isEmpty ? retry : "\(remedy); \(retry)")
  }
}

extension OutputDestination {
  /// Whether the output is one image file.
  package var isSingleImage: Bool { style == .images && !isNumbered }

  /// Whether a path is one of the output's image files or part files.
  package func writes(to path: String) -> Bool {
    guard style == .images else { return false }
    let name = path.hasSuffix(".part") ? String(path.dropLast(5)) : path
    if !isNumbered { return PathIdentity.isSameLocation(name, location) }
    guard let number = ImageFiles.trailingNumber(of: name, like: location) else { return false }
    return PathIdentity.isSameLocation(name, self.path(number: number))
  }

  /// Whether the name has a placeholder for a number.
  var isNumbered: Bool { av_filename_number_test(location) == 1 }

  /// - Throws: `VStreamError.usage` for numbers that libav would cut off, so that one file would replace another.
  func requireWholeNumbers() throws(VStreamError) {
    if isNumbered, NumberPattern(location) == nil { throw Self.tooManyDigits(location) }
  }

  static func tooManyDigits(_ location: String) -> VStreamError {
    VStreamError(
      .usage, "'\(ShownLocation.text(location))' has numbers of more than 19 digits", setting: .output, value: location,
      remedy: "use fewer, for example %05d")
  }

  /// The number of the first image.
  ///
  /// - Throws: `VStreamError.usage` for another option than `start_number`, or if that is not a number.
  func firstNumber() throws(VStreamError) -> Int {
    var first = 1
    for (key, value) in options {
      guard key == "start_number", let number = Int(value), (0...1_000_000_000).contains(number) else {
        throw .unsupported(.outputOption, "\(key)=\(value)", by: "an image output", remedy: "use start_number=N")
      }
      first = number
    }
    return first
  }

  /// The file of an image.
  func path(number: Int) -> String {
    guard isNumbered else { return location }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let base = buffer.baseAddress,
        av_get_frame_filename(base, Int32(buffer.count), location, Int32(clamping: number)) == 0
      else { return location }
      return String(cString: base)
    }
  }

  /// The name of an image's file, without its folder; `nil` if the output is not images.
  ///
  /// - Parameter index: from 0, in writing order.
  package func imageName(_ index: Int) -> String? {
    guard style == .images, let first = try? firstNumber() else { return nil }
    return MediaInput(path(number: first + index)).fileName
  }

  /// The name with a placeholder for a number: `out.png` as `out-%05d.png`.
  var numberedExample: String {
    let dot = location.lastIndex(of: ".") ?? location.endIndex
    return NumberPattern.escaped(location[..<dot]) + "-%05d" + NumberPattern.escaped(location[dot...])
  }
}
