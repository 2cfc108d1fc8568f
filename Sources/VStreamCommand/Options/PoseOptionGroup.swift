internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamPipeline
internal import VStreamReporting

struct PoseOptionGroup: DetectorOptionGroup {
  static let kind = DetectionKind.poses

  @Option(
    help: ArgumentHelp(
      "base runs the landmark network once for each person; accurate twice, and searches for people on every frame. "
        + "(default: base)", valueName: "base|accurate"), completion: .list(["base", "accurate"]))
  var poseMode: String?

  @Option(help: ArgumentHelp("Maximum number of poses detected at once. (default: 1)", valueName: "n"))
  var maxPoses: Int?

  static var rules: [OptionRule] {
    detectionRules([
      GivenOption("--pose-mode", \.poses.poseMode), GivenOption("--max-poses") { $0.poses.maxPoses.map { "\($0)" } },
    ])
  }

  func detector(for purpose: DetectionPurpose, _ run: RunContext) throws(VStreamError) -> DetectorSpec {
    var options = try options()
    options.minimumScore = run.detectorScore
    options.device = run.device
    return DetectorSpec(.poses(options))
  }

  func options() throws(VStreamError) -> PoseDetectorOptions {
    var options = PoseDetectorOptions()
    if let poseMode { options.performanceMode = try OptionText.value("--pose-mode", poseMode, "is not a mode") }
    if let maxPoses { options.maxPoses = maxPoses }
    try options.check()
    return options
  }

  func recorded(_ run: RunContext) throws(VStreamError) -> [RecordedOption] {
    guard run.kinds.contains(.poses) else { return [] }
    return try options().recorded.map { RecordedOption($0.name, $0.value) }
  }
}
