internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamPipeline
internal import VStreamReporting

struct PoseOptionGroup: DetectorOptionGroup {
  static let kind = DetectionKind.poses

  @Option(
    help: ArgumentHelp(
      "base runs the landmark network once for each person; accurate twice, and searches for people on every frame.",
      valueName: "base|accurate"), completion: .list(["base", "accurate"]))
  var poseMode = PoseDetectorOptions.PerformanceMode.base.rawValue

  @Option(help: ArgumentHelp("Maximum number of poses detected at once.", valueName: "n"))
  var maxPoses = 1

  func detector(for purpose: DetectionPurpose, _ run: RunContext) throws(VStreamError) -> DetectorSpec {
    var options = try options()
    options.device = run.device
    return DetectorSpec(.poses(options))
  }

  func options() throws(VStreamError) -> PoseDetectorOptions {
    var options = PoseDetectorOptions()
    options.performanceMode = try OptionText.value("--pose-mode", poseMode, "is not a mode")
    options.maxPoses = maxPoses
    try options.check()
    return options
  }

  func recorded(_ run: RunContext) throws(VStreamError) -> [RecordedOption] {
    guard run.kinds.contains(.poses) else { return [] }
    return try options().recorded.map { RecordedOption($0.name, $0.value) }
  }
}
