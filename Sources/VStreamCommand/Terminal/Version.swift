internal import VStreamInference
internal import VStreamMedia
internal import VStreamReporting

/// The text of `--version`.
enum Version {
  static let number = ProgramVersion.number

  /// vstream's, libav's and OpenVINO's versions, each on a line.
  static var text: String {
    (["vstream \(number)"] + LibAV.versions + ["OpenVINO \(OpenVINO.version ?? "not found")"]).joined(separator: "\n")
  }
}
