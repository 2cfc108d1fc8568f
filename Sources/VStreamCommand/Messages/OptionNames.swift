internal import VStreamCore
internal import VStreamInference

/// Names settings by the command's options, in the messages of all modules.
enum OptionNames {
  /// The options of settings that the library names otherwise.
  private static let options: [Setting: String] = [
    .objectModel: "--object-model", .overwrite: "--overwrite", .realtime: "--realtime", .reconnect: "--reconnect",
    .minimumScore: "--min-score", .maximumObjects: "--max-objects", .searchInterval: "--face-search",
    .redact: "--redact", .draw: "--draw", .bitrate: "--bitrate", .mode: "--mode", .zone: "--zone", .line: "--line",
    .fps: "--fps", .encoderOption: "--encoder-option", .events: "--events",
    .recordDetections: "--record-detections", .minimumIoU: "--min-iou", .lookBack: "--look-back",
  ]

  /// `--pixel-format` for `pixelFormat`.
  static func option(for setting: Setting) -> String {
    if let option = options[setting] { return option }
    return "--" + setting.name.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
  }

  /// A setting's name in messages: its option, and the short form that users know better.
  static func name(of setting: Setting) -> String {
    setting == .overwrite ? "\(option(for: setting)) (-y)" : option(for: setting)
  }
}

extension VStreamError {
  /// Problem and advice on one line, in the command's words.
  var commandText: String {
    let isOpenVINO = code == .missingDependency && subject == OpenVINO.subject
    return text(naming: OptionNames.name) + (isOpenVINO ? "; --detect none runs without it" : "")
  }
}

extension Message {
  /// The line in the command's words.
  var commandText: String { text(naming: OptionNames.name) }
}

/// Wrong usage of an option: `--min-score 7.0: is not a score; give more than 0, at most 1`.
///
/// - Parameter value: empty for an option that is wrong whatever its value.
func usageError(_ option: String, _ value: String, _ problem: String, remedy: String) -> VStreamError {
  let shown = value.isEmpty ? option : "\(option) \(ShownLocation.text(value))"
  return VStreamError(.usage, "\(shown): \(problem)", remedy: "\(remedy)")
}
