internal import ArgumentParser
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamScene

struct OverlayTrackOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Copy the video as it is, and show boxes and labels by a subtitle track that players switch on and off: in the .mkv, "
        + "or beside an .mp4 or .mov as an .ass file.", valueName: "ass"))
  var overlayTrack: String?

  var isWanted: Bool { overlayTrack != nil }

  /// The file beside the output that is written too; `nil` if there is none.
  func scriptPath(_ command: AnnotateCommand) throws(VStreamError) -> String? {
    guard isWanted, command.output.output != "null" else { return nil }
    let destination = try command.output.destination()
    return destination.holdsScripts ? nil : destination.scriptPath
  }

  /// What is shown: boxes, labels and IDs, or those of them that `--draw` names.
  ///
  /// - Throws: `VStreamError.usage` for what subtitles cannot show.
  func elements(_ drawing: DrawingOptions) throws(VStreamError) -> OverlayOptions {
    guard let draw = drawing.draw else { return OverlayOptions(elements: OverlayScript.elements) }
    let options = try drawing.overlay(isRedacted: false)
    let remedy = "use boxes, labels, ids"
    if options.elements.isEmpty { throw refusal("with --draw none there is nothing to show", remedy) }
    if let other = options.elements.subtracting(OverlayScript.elements).map(\.rawValue).min() {
      throw usageError("--draw", draw, "'\(other)' cannot be shown by subtitles (--overlay-track)", remedy: remedy)
    }
    return options
  }

  /// - Throws: `VStreamError.usage` for what cannot be had with it.
  func check(_ command: AnnotateCommand, isDetecting: Bool) throws(VStreamError) {
    guard let overlayTrack else { return }
    guard overlayTrack == "ass" else {
      throw usageError("--overlay-track", overlayTrack, "is not a kind of subtitles", remedy: "use ass")
    }
    let output = command.output
    let coding = [
      ("--codec", output.codec), ("--preset", output.preset), ("--crf", output.crf.map { "\($0)" }),
      ("--bitrate", output.bitrate), ("--pixel-format", output.pixelFormat),
    ]
    if let name = coding.first(where: { $0.1 != nil })?.0 {
      throw refusal("the video is copied, so \(name) has nothing to code", "leave out one of the two")
    }
    if command.redaction.redact != nil {
      throw refusal("the video is copied as it is, and would show what --redact hides", "leave out one of the two")
    }
    for (name, value) in [("--start", command.source.start), ("--duration", command.source.duration)]
    where value != nil {
      throw refusal(
        "the video is copied, and begins and ends where its key frames are, so \(name) cannot cut it",
        "cut it first: ffmpeg -ss START -i INPUT -t DURATION -c copy CUT.mkv")
    }
    if !isDetecting { throw refusal("with --detect none there is nothing to show", "leave out one of the two") }
    guard output.output != "null" else {
      throw refusal("-o null writes no video to show it over", "name an .mkv, .mp4 or .mov")
    }
    try check(try output.destination())
  }

  private func check(_ destination: OutputDestination) throws(VStreamError) {
    if destination.holdsScripts { return }
    let isCut = destination.rules.isSegmented
    guard destination.scriptPath != nil, !isCut else {
      let what =
        destination.style == .images ? "pictures have to be coded" : "\(destination.format) holds no such subtitles"
      throw refusal(what, "write an .mkv, or --output-format matroska")
    }
  }

  private func refusal(_ problem: String, _ remedy: String) -> VStreamError {
    VStreamError(.usage, "--overlay-track: \(problem)", remedy: "\(remedy)")
  }
}
