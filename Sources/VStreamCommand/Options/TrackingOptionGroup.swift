internal import ArgumentParser
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamTracking

/// The tracker's options, of a run and of `vstream track`.
struct TrackingOptionGroup: RunOptionGroup {
  @Option(help: ArgumentHelp("Seconds that an object may go undetected and keep its ID.", valueName: "seconds"))
  var lostAfter = 1.0

  @Option(help: ArgumentHelp("Number of matched detections that give an object its ID.", valueName: "n"))
  var confirmAfter = 2

  @Option(
    help: ArgumentHelp(
      "Minimum overlap (IoU) of an object's predicted, enlarged box with its detection.", valueName: "iou"))
  var minIou = 0.2

  func tracker(minimumScore: Double) throws(VStreamError) -> TrackerOptions {
    guard lostAfter >= 0, lostAfter.isFinite else {
      throw usageError("--lost-after", "\(lostAfter)", "is not a time", remedy: "give 0 seconds or more")
    }
    guard confirmAfter >= 1 else {
      throw usageError("--confirm-after", "\(confirmAfter)", "is not a number of detections", remedy: "give 1 or more")
    }
    guard minIou > 0, minIou < 1 else {
      throw usageError("--min-iou", "\(minIou)", "is not an overlap", remedy: "give more than 0 and less than 1")
    }
    return TrackerOptions(
      minimumScore: try OptionText.score("--min-score", minimumScore), lostAfter: lostAfter, confirmAfter: confirmAfter,
      minimumIoU: minIou)
  }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    configuration.tracker = try tracker(minimumScore: run.command.objects.minScore ?? TrackerOptions().minimumScore)
  }

  func recorded(_ run: RunContext) -> [RecordedOption] {
    if run.kinds.isEmpty { return [] }
    return [
      RecordedOption("lostAfter", .number(lostAfter)), RecordedOption("confirmAfter", .integer(confirmAfter)),
      RecordedOption("minIoU", .number(minIou)),
    ]
  }
}
