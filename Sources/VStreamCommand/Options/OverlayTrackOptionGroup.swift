internal import ArgumentParser
internal import VStreamCore
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline

struct OverlayTrackOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp(
      "Copy the video without re-encoding, and show boxes and labels in a subtitle track that players switch on and off: in "
        + "the .mkv, or beside an .mp4 or .mov as an .ass file.", valueName: "ass"), completion: .list(["ass"]))
  var overlayTrack: String?

  var isGiven: Bool { overlayTrack != nil }

  static var rules: [OptionRule] {
    let overlayTrack = GivenOption("--overlay-track", \.overlayTrack.overlayTrack)
    let encoding = [
      GivenOption("--codec", \.output.codec), GivenOption("--preset", \.output.preset),
      GivenOption("--crf") { $0.output.crf.map { "\($0)" } }, GivenOption("--bitrate", \.output.bitrate),
      GivenOption("--pixel-format", \.output.pixelFormat), GivenOption("--scale", \.output.scale),
      GivenOption("--fps", \.output.fps), OutputOptionGroup.encodeChanged,
      GivenOption("--encoder-option") { $0.output.encoderOption.first },
    ].map { option in
      OptionRule.excludes(
        overlayTrack, option, "the video is copied, so \(option.name) has nothing to encode", remedy: "omit one of them"
      )
    }
    let cuts = [GivenOption("--start", \.source.start), GivenOption("--duration", \.source.duration)].map { option in
      OptionRule.excludes(
        overlayTrack, option,
        "the video is copied, and starts and ends at its key frames, so \(option.name) cannot cut it",
        remedy: "cut it first: ffmpeg -ss START -i INPUT -t DURATION -c copy CUT.mkv")
    }
    return encoding + [
      .excludes(
        overlayTrack, RedactionOptionGroup.redact, "the video is copied, and would show what --redact hides",
        remedy: "omit one of them")
    ] + cuts + [
      .excludes(
        overlayTrack, GivenOption("-o null") { $0.output.isNull ? "" : nil },
        "an overlay track requires an output video", remedy: "name an .mkv, .mp4 or .mov")
    ]
  }

  /// The file beside the output that is written too; `nil` if there is none.
  func scriptPath(_ run: RunContext) throws(VStreamError) -> String? {
    guard isGiven, let destination = try run.destination() else { return nil }
    return destination.holdsScripts ? nil : destination.scriptPath
  }

  /// Shows boxes, labels and IDs, or those of them that `--draw` names.
  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    guard let overlayTrack else { return }
    guard overlayTrack == "ass" else {
      throw usageError("--overlay-track", overlayTrack, "is not a subtitle format", remedy: "use ass")
    }
    if run.kinds.isEmpty {
      throw usageError("--overlay-track", "", "with --detect none nothing is shown", remedy: "omit one of them")
    }
    try requireHolds(run.destination())
    configuration.overlay = OverlayOptions(elements: try elements(run.command.drawing))
  }

  private func elements(_ drawing: DrawingOptionGroup) throws(VStreamError) -> Set<OverlayOptions.Element> {
    guard let elements = try drawing.elements() else { return OverlayScript.elements }
    let remedy = "use boxes, labels, ids"
    if elements.isEmpty {
      throw usageError("--overlay-track", "", "with --draw none nothing is shown", remedy: remedy)
    }
    if let other = elements.subtracting(OverlayScript.elements).map(\.rawValue).min() {
      throw usageError(
        "--draw", drawing.draw ?? "", "'\(other)' cannot be shown by subtitles (--overlay-track)", remedy: remedy)
    }
    return elements
  }

  private func requireHolds(_ destination: OutputDestination?) throws(VStreamError) {
    guard let destination, !destination.holdsScripts else { return }
    guard destination.scriptPath != nil, !destination.rules.isSegmented else {
      let problem =
        destination.style == .images
        ? "images are re-encoded, not copied" : "\(destination.format) does not hold such subtitles"
      throw usageError("--overlay-track", "", problem, remedy: "write an .mkv, or use --output-format matroska")
    }
  }
}
