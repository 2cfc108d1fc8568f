internal import VStreamInference
internal import VStreamMedia

/// The text of `--version`.
enum Version {
  static let number = "0.1.0"

  /// vstream's, libav's and OpenVINO's versions, each on a line.
  static var text: String {
    (["vstream \(number)"] + LibAV.versions + ["OpenVINO \(OpenVINO.version ?? "not found")"]).joined(separator: "\n")
  }
}
