internal import CVStreamLibAV
internal import VStreamScene

/// The kind of source that media is read from.
public enum InputKind: String, Hashable, Sendable {
  /// Files, and the output of a generator such as FFmpeg's `lavfi`: read as fast as it is processed.
  case file
  /// Standard input, a FIFO, a socket: the output of another program.
  case pipe
  /// A camera or screen, which delivers frames at its own pace.
  case device
  /// A URL.
  case network
}

extension MediaInput {
  /// The kind of the location, for which the file system is read.
  ///
  /// Standard input that is a file, by the shell's `<`, is a file.
  public var kind: InputKind {
    if let format, format == "lavfi" || DeviceFormats.isDevice(format) { return format == "lavfi" ? .file : .device }
    if readsOtherLocations, !location.contains("://") { return .file }
    if isURL { return .network }
    if isCamera { return .device }
    return PipeInput.isPipe(location) ? .pipe : .file
  }

  /// Whether the location is a V4L2 device that is to be read as a camera.
  var isCamera: Bool { !isURL && (format.map(DeviceFormats.isV4L2) ?? true) && Camera.isCamera(location) }

  /// Seconds that opening, and each read, may take: `timeout`, else 10 for URLs and devices; `nil` for no limit.
  var limit: Double? { timeout ?? ([.network, .device].contains(kind) ? Self.standardTimeout : nil) }

  /// Seconds that opening may take.
  var openingLimit: Double? {
    guard let openingTimeout else { return limit }
    return min(openingTimeout, limit ?? .infinity)
  }

  /// The timeout in seconds of URLs and devices, unless another is set.
  public static let standardTimeout = 10.0

  /// Whether the location's protocol has a sender that sets the pace, whether or not the receiver keeps up.
  var isPaced: Bool { isURL && ["rtsp", "rtsps", "rtp", "srtp", "udp", "srt", "rist"].contains(scheme) }
}
