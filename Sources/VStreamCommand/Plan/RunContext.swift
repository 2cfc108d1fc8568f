internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamTracking

/// The values that a run's option groups share, each determined once.
///
/// Not thread-safe; lives while the run is planned.
final class RunContext {
  let command: AnnotateCommand
  let kinds: Set<DetectionKind>
  /// The classes of objects to detect; `nil` for all.
  let classes: [String]?
  /// OpenVINO's name of the device.
  let device: String
  /// `nil` for as many as there are processors.
  let threads: Int?
  let input: MediaInput
  private var cachedDestination: OutputDestination?
  private var cachedReplay: RecordReader?
  private var cachedObjectModel: String?

  /// - Throws: `VStreamError.usage` for options that cannot be combined, or whose values are invalid.
  init(_ command: AnnotateCommand) throws(VStreamError) {
    self.command = command
    threads = try command.running.threadCount()
    input = try command.source.input(command.input)
    kinds = try command.detection.kinds(redacting: command.redaction.kinds)
    for rule in command.rules { try rule.check(command) }
    classes = try command.objects.classNames()
    device = try command.detection.deviceName()
  }

  /// Classes that are redacted, in lower case.
  var redactedClasses: Set<String> {
    guard command.redaction.redact != nil else { return [] }
    return Set(command.redaction.names.filter { DetectionKind(redactionName: $0) == .objects })
  }

  /// Whether records or saved faces show the angles of heads.
  var recordsFaces: Bool { !command.records.records.isEmpty || command.crops.saveFaces != nil }

  func purpose(of kind: DetectionKind) -> DetectionPurpose {
    command.redaction.kinds?.contains(kind) == true
      ? .redaction : .annotation
  }

  /// Where the video goes; `nil` for `-o null`. Checks the file system on the first call.
  func destination() throws(VStreamError) -> OutputDestination? {
    let output = command.output
    if output.isNull { return nil }
    if let cachedDestination { return cachedDestination }
    let made = try OutputDestination(
      output.output, format: output.outputFormat,
      options: try OptionText.keysAndValues("--output-option", output.outputOption), overwrite: output.overwrite)
    cachedDestination = made
    return made
  }

  /// The reader of the replayed records, which opens them and reads their header on the first call.
  func replay(_ options: ReplayOptions) throws(VStreamError) -> RecordReader {
    if let cachedReplay { return cachedReplay }
    let opened = try options.open()
    cachedReplay = opened
    return opened
  }

  /// The object model's name or path: as given, else of the replayed records, else the default.
  ///
  /// - Throws: `VStreamError.missingDependency` if the default is a model that is missing.
  func objectModel() throws(VStreamError) -> String {
    if let given = command.objects.objectModel { return given }
    if let cachedObjectModel { return cachedObjectModel }
    let isReplay = command.records.fromRecords != nil
    let name =
      isReplay
      ? replayedRecords?.objectModel ?? ModelCatalogue.standardObjectModel.name : try DefaultObjectModel.name()
    cachedObjectModel = name
    return name
  }

  /// The classes of the object model, where they are known before it is loaded; `nil` for a model of the user's own.
  func knownClasses() throws(VStreamError) -> ClassList? {
    ModelCatalogue.objectModel(named: try objectModel()).map { _ in .coco }
  }

  /// The score that starts a track of objects: as given, else of the replayed records, else of the model.
  func objectScore() throws(VStreamError) -> Double {
    if let given = command.objects.minScore { return given }
    let usual = TrackerOptions().minimumScore
    let score =
      command.records.fromRecords != nil
      ? replayedRecords?.minimumScore ?? usual : try ModelCatalogue.score(ofObjectModel: objectModel())
    return command.redaction.redact == nil ? score : RedactionOptions.score(ofModel: score)
  }

  /// The lowest score of a detected face or person: that of objects, and at most the usual one.
  var detectorScore: Double {
    min(command.objects.minScore ?? 1, TrackerOptions().minimumScore)
  }

  /// The records that are replayed; `nil` without records, and if they cannot be read, which their own check reports.
  var replayedRecords: RecordReader? {
    command.records.fromRecords.flatMap { try? replay(ReplayOptions(path: $0)) }
  }
}
