internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

struct RedactionOptionGroup: RunOptionGroup {
  @Option(
    help: ArgumentHelp(
      "Make what --redact-what names irreversibly unrecognisable: mosaic, blur or fill.", valueName: "style"),
    completion: .list(["mosaic", "blur", "fill"]))
  var redact: String?

  @Option(
    help: ArgumentHelp(
      "What to redact: faces, or classes, for example person,car. (default: faces)", valueName: "list"),
    completion: .commaSeparated { ["faces"] + ClassList.coco.names })
  var redactWhat: String?

  @Option(
    help: ArgumentHelp(
      "Redact objects for this long before their first detection, too; frames are delayed as long. (default: 0.5; 0 when "
        + "live)", valueName: "seconds"))
  var lookBack: Double?

  @Flag(
    help: ArgumentHelp(
      "Keep what is not redacted and may show the same: other video streams, covers, thumbnails, data, attachments."))
  var keepUnredacted = false

  @Flag(help: "Keep tags other than those that describe the media: places, people, devices (Exif, location, artist).")
  var keepMetadata = false

  @Flag(help: "Keep text, which may name places and people: subtitles, captions, timed metadata, chapters' titles.")
  var keepText = false

  @Flag(
    help: "After writing, run the detectors on the output; exit status 1 if something to be redacted is visible.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "Write what was redacted and what --verify found, as JSON; implies --verify.", valueName: "file"),
    completion: .file())
  var receipt: String?

  static let redact = GivenOption("--redact", \.redaction.redact)

  static var rules: [OptionRule] {
    [
      GivenOption("--redact-what", \.redaction.redactWhat),
      GivenOption("--look-back") { $0.redaction.lookBack.map { "\($0)" } },
      GivenOption("--keep-unredacted", \.redaction.keepUnredacted),
      GivenOption("--keep-metadata", \.redaction.keepMetadata),
      GivenOption("--keep-text", \.redaction.keepText), GivenOption("--verify", \.redaction.verify),
      GivenOption("--receipt", \.redaction.receipt),
    ].map { option in
      .requires(option, redact, "has no effect without --redact", remedy: "add, for example, --redact mosaic")
    }
  }

  static var files: [FileOption] { [FileOption("--receipt", \.redaction.receipt)] }

  /// Whether the detectors are run on the output after it is written.
  var verifies: Bool { verify || receipt != nil }

  /// The redacted classes, or faces, in lower case.
  var names: [String] {
    (redactWhat.map(OptionText.list) ?? [DetectedFace.redactionName]).map { $0.lowercased() }
  }

  /// The redacted kinds; `nil` without redaction.
  var kinds: Set<DetectionKind>? { redact == nil ? nil : Set(names.map(DetectionKind.init(redactionName:))) }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    guard let redact else { return }
    let style: RedactionStyle = try OptionText.value("--redact", redact, "is not a redaction style")
    try checkNames(run)
    let seconds = try lookBack.map { (seconds) throws(VStreamError) in try OptionText.seconds("--look-back", seconds) }
    var options = RedactionOptions(style, labels: Set(names), lookBack: seconds.map { .seconds($0) })
    options.omitsImages = !keepUnredacted
    options.keepsDescription = keepMetadata
    options.keepsText = keepText
    options.recordsCoveredEllipses = verifies
    configuration.redaction = options
  }

  /// Checks that the redacted names are detected.
  private func checkNames(_ run: RunContext) throws(VStreamError) {
    let remedy = "name faces, or classes, for example person,car"
    if names.isEmpty { throw usageError("--redact-what", "''", "is empty", remedy: remedy) }
    for name in names {
      let kind = DetectionKind(redactionName: name)
      if !run.kinds.contains(kind) {
        let detected = run.kinds.isEmpty ? "none" : run.kinds.map(\.rawValue).sorted().joined(separator: ",")
        throw usageError(
          "--redact-what", name, "cannot be redacted with --detect \(detected)",
          remedy: "omit --detect, or add \(kind.rawValue) to it")
      }
      if kind != .objects { continue }
      if let known = try run.knownClasses(), !known.names.contains(where: { $0.lowercased() == name }) {
        throw usageError(
          "--redact-what", redactWhat ?? name, "'\(name)' is not a class of this model", remedy: remedy)
      }
      if let classes = run.classes, !classes.contains(where: { $0.lowercased() == name }) {
        throw usageError(
          "--redact-what", redactWhat ?? name, "\(name) is not detected (--classes)", remedy: "add it to --classes")
      }
    }
  }

  /// Checks that an output that is to be verified can be read.
  func checkVerification(_ run: RunContext) throws(VStreamError) {
    guard verifies else { return }
    let location = run.command.output.output
    let isFile = try !FileCheck.isSpecial(location)
    guard let destination = try run.destination(), !destination.isLive, !destination.isPipe, isFile else {
      throw usageError(
        verify ? "--verify" : "--receipt", receipt ?? "", "'\(location)' cannot be read again", remedy: "write a file")
    }
  }

  func recorded(_ run: RunContext) -> [RecordedOption] {
    var options = [
      RecordedOption("redact", .text(redact ?? ""), isForReceipt: true),
      RecordedOption(
        "redactWhat", .list(redactWhat.map(OptionText.list) ?? [DetectedFace.redactionName]), isForReceipt: true),
    ]
    if let lookBack { options.append(RecordedOption("lookBack", .number(lookBack), isForReceipt: true)) }
    options.append(RecordedOption("keepUnredacted", .flag(keepUnredacted), isForReceipt: true))
    if keepMetadata { options.append(RecordedOption("keepMetadata", .flag(true), isForReceipt: true)) }
    if keepText { options.append(RecordedOption("keepText", .flag(true), isForReceipt: true)) }
    return options
  }
}
