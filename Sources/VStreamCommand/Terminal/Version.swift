internal import VStreamInference
internal import VStreamMedia

/// What `--version` says.
enum Version {
  static let number = "0.1.0"

  /// vstream's, libav's and OpenVINO's versions, a line each.
  static var text: String {
    (["vstream \(number)"] + LibAV.versions + ["OpenVINO \(OpenVINO.version ?? "not found")"]).joined(separator: "\n")
  }
}
