internal import CVStreamLibAV
internal import VStreamScene

/// Input formats by name, including those of libavdevice, which is loaded for a name that libavformat does not have.
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
