internal import CVStreamLibAV
internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// The kind of place that media comes from.
public enum InputKind: String, Hashable, Sendable {
  /// Files, and what a generator such as FFmpeg's `lavfi` makes: read as fast as they are wanted.
  case file
  /// Standard input, a FIFO, a socket: what another program writes.
  case pipe
  /// A camera, a screen: gives frames at its own pace.
  case device
  /// A URL.
  case network
}

extension MediaInput {
  /// The kind of place that the location names. Looks at the file system.
  ///
  /// Standard input that is a file, as `<` gives it, is a file.
  public var kind: InputKind {
    if let format, format == "lavfi" || DeviceFormats.isDevice(format) { return format == "lavfi" ? .file : .device }
    if isURL { return .network }
    if isCamera { return .device }
    return PipeInput.isPipe(location) ? .pipe : .file
  }

  /// Whether the location is a V4L2 device that is to be read as a camera.
  var isCamera: Bool { !isURL && (format.map(DeviceFormats.isV4L2) ?? true) && Camera.isCamera(location) }

  /// Seconds that opening, and each read, may take: what was asked for, else 10 for URLs and devices; `nil` for no limit.
  var limit: Double? { timeout ?? ([.network, .device].contains(kind) ? Self.standardTimeout : nil) }

  /// Seconds that opening may take.
  var openingLimit: Double? {
    guard let openingTimeout else { return limit }
    return min(openingTimeout, limit ?? .infinity)
  }

  /// Seconds that a URL or device may let wait if nothing else is asked for.
  public static let standardTimeout = 10.0

  /// Whether the location's protocol sends at a pace of its own, whether or not that is fast enough for the receiver.
  var isPaced: Bool {
    isURL
      && ["rtsp", "rtsps", "rtp", "srtp", "udp", "srt", "rist"].contains(location.prefix { $0 != ":" }.lowercased())
  }

  /// The location as messages show it: without a password.
  var shown: String {
    if location == "-" { return "standard input" }
    guard isURL, let start = location.range(of: "://")?.upperBound else { return "'\(location)'" }
    let host = location[start...].prefix { $0 != "/" }
    guard let at = host.lastIndex(of: "@"), let colon = host[..<at].firstIndex(of: ":") else { return "'\(location)'" }
    return "'\(location[..<colon]):…\(location[at...])'"
  }
}

extension String {
  /// Where a piece of text is first found.
  fileprivate func range(of piece: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(piece) { return start..<index(start, offsetBy: piece.count) }
      start = index(after: start)
    }
    return nil
  }
}

/// Input formats, those of libavdevice among them, which is loaded when one is asked for that libavformat has not.
enum DeviceFormats {
  static func isV4L2(_ name: String) -> Bool { ["v4l2", "video4linux2"].contains(name) }

  /// Whether a format is one of libavdevice's, or unknown.
  static func isDevice(_ name: String) -> Bool {
    guard let found = av_find_input_format(name) else { return true }
    guard let category = found.pointee.priv_class?.pointee.category else { return false }
    return [
      AV_CLASS_CATEGORY_DEVICE_VIDEO_INPUT, AV_CLASS_CATEGORY_DEVICE_AUDIO_INPUT, AV_CLASS_CATEGORY_DEVICE_INPUT,
    ].contains(category)
  }

  /// - Throws: `VStreamError`: `usage` if there is no input format of that name; `missingDependency` if libavdevice is
  ///   needed to tell, and not installed.
  static func find(_ name: String) throws(VStreamError) -> UnsafePointer<AVInputFormat> {
    if let found = av_find_input_format(name) { return found }
    guard CVStreamLibAV_loadDevices() == 0 else {
      let library = "libavdevice\(CVStreamLibAV_deviceMajor)"
      throw VStreamError(
        .missingDependency, "'\(name)' is no format of FFmpeg's libavformat, and libavdevice is not installed",
        remedy: "if it is a device, get Debian's package: sudo apt-get install \(library)")
    }
    if let found = av_find_input_format(name) { return found }
    throw VStreamError(
      .usage, "'\(name)' is not an input format that FFmpeg knows (--input-format)",
      remedy: "'ffmpeg -demuxers' and 'ffmpeg -devices' list them")
  }
}
