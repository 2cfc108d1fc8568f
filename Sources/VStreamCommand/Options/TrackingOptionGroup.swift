internal import ArgumentParser
internal import VStreamCore
internal import VStreamPipeline
internal import VStreamReporting
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

  /// The options whose values are not the default ones.
  static var changed: [GivenOption] {
    let usual = TrackerOptions()
    return [
      GivenOption("--lost-after") {
        $0.tracking.lostAfter == usual.lostAfterSeconds ? nil : "\($0.tracking.lostAfter)"
      },
      GivenOption("--confirm-after") {
        $0.tracking.confirmAfter == usual.confirmAfter ? nil : "\($0.tracking.confirmAfter)"
      },
      GivenOption("--min-iou") { $0.tracking.minIou == usual.minimumIoU ? nil : "\($0.tracking.minIou)" },
    ]
  }

  func tracker(minimumScore: Double) throws(VStreamError) -> TrackerOptions {
    let options = TrackerOptions(
      minimumScore: minimumScore, lostAfterSeconds: lostAfter, confirmAfter: confirmAfter, minimumIoU: minIou)
    try options.check()
    return options
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
