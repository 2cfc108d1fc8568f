internal import CVStreamLibAV
internal import VStreamCore

/// The kind of source that media is read from.
package enum InputKind: String, Hashable, Sendable {
  /// Files, and the output of a generator such as FFmpeg's `lavfi`: read as fast as it is processed.
  case file
  /// Standard input, a FIFO, a socket: the output of another program.
  case pipe
  /// Frames that a program makes, as fast as they are processed.
  case frames
  /// A camera or screen, which delivers frames at its own pace.
  case device
  /// A URL.
  case network
}

extension MediaInput {
  /// The kind of the location, for which the file system is read.
  ///
  /// Standard input that is a file, by the shell's `<`, is a file.
  package var kind: InputKind {
    if frames != nil { return .frames }
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
  package static let standardTimeout = 10.0

  /// Whether the location's protocol has a sender that sets the pace, whether or not the receiver keeps up.
  var isPaced: Bool { isURL && ["rtsp", "rtsps", "rtp", "srtp", "udp", "srt", "rist"].contains(scheme) }
}

/// Input formats by name, of libavformat and of libavdevice, which is loaded for a name that libavformat does not have.
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

  /// - Throws: `VStreamError`: `usage` if there is no input format of that name; `missingDependency` if it may be one of
  ///   libavdevice's, which is not installed.
  static func find(_ name: String) throws(VStreamError) -> UnsafePointer<AVInputFormat> {
    if let found = av_find_input_format(name) { return found }
    guard !LibAVCode(CVStreamLibAV_loadDevices()).isFailure else {
      let library = "libavdevice\(CVStreamLibAV_deviceMajor)"
      throw VStreamError(
        .missingDependency, "FFmpeg's libavformat has no format '\(name)', and libavdevice is not installed",
        setting: .inputFormat, value: name,
        remedy: "for a device, install Debian's package: sudo apt-get install \(library)")
    }
    if let found = av_find_input_format(name) { return found }
    throw .unknownValue(
      name, of: .inputFormat, expected: "an input format of FFmpeg",
      remedy: "'ffmpeg -demuxers' and 'ffmpeg -devices' list them")
  }
}
