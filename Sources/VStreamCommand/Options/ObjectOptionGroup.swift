internal import ArgumentParser
internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting

struct ObjectOptionGroup: DetectorOptionGroup {
  static let kind = DetectionKind.objects

  @Option(
    help: ArgumentHelp(
      "Object model: a name ('vstream models' lists them) or a file. (default: what 'vstream models use' chose, else "
        + "\(ModelCatalogue.standardObjectModel.name))", valueName: "name|path"),
    completion: .words { ModelCatalogue.objectModels.map(\.name) + ModelCatalogue.fetchedObjectModels })
  var objectModel: String?

  @Option(
    help: ArgumentHelp("Detect only these classes, for example person,car.", valueName: "list"),
    completion: .commaSeparated { ClassList.coco.names })
  var classes: String?

  @Option(
    help: ArgumentHelp(
      "Maximum number of objects a frame: the most prominent, by size, position and score. (default: all)",
      valueName: "n"))
  var maxObjects: Int?

  @Flag(help: "Record each object's coarse category: fashion good, food, home good, place, plant or unknown.")
  var categories = false

  @Option(
    help: ArgumentHelp(
      "fast, balanced or accurate: as much as 0.33, 1 or 2.7 runs of the object network a frame, on average, each on the part "
        + "of the frame where it gains most. (default: balanced)", valueName: "accuracy"),
    completion: .list(["fast", "balanced", "accurate"]))
  var accuracy: String?

  @Option(
    help: ArgumentHelp(
      "Runs of the object network a frame, on average, 0.1 to 20; smaller inputs count less.", valueName: "n"))
  var passes: Double?

  @Flag(help: "The same as --accuracy accurate.")
  var accurate = false

  @Option(
    help: ArgumentHelp(
      "Minimum score that starts a track; detections down to 0.1 may continue one. Faces and poses are detected from 0.5 on, "
        + "or from a lower score. (default: the model's, usually 0.5)",
      valueName: "score"))
  var minScore: Double?

  static var rules: [OptionRule] {
    [accurate, accuracy, passes, model].map { option in
      .excludes(
        option, RecordOptionGroup.fromRecords, "no detector runs with --from-records", remedy: "omit \(option.name)")
    } + [
      .excludes(accurate, accuracy, "is the same as --accuracy accurate", remedy: "omit one of them"),
      .excludes(accurate, passes, "is a number of passes, as --passes is", remedy: "omit one of them"),
      .excludes(accuracy, passes, "is a number of passes, as --passes is", remedy: "omit one of them"),
    ]
      + [lowerAccuracy, passes].map { option in
        .excludes(
          option, DetectionOptionGroup.detectEvery, "--detect-every runs the detector on whole frames",
          remedy: "omit one of them")
      }
  }

  private static let model = GivenOption("--object-model", \.objects.objectModel)
  private static let accurate = GivenOption("--accurate", \.objects.accurate)
  private static let accuracy = GivenOption("--accuracy", \.objects.accuracy)
  /// `accurate` adds tiles to whole frames.
  private static let lowerAccuracy = GivenOption("--accuracy") {
    $0.objects.accuracy == DetectionAccuracy.accurate.rawValue ? nil : $0.objects.accuracy
  }
  private static let passes = GivenOption("--passes") { $0.objects.passes.map { "\($0)" } }

  private var isAccurate: Bool { accurate || accuracy == DetectionAccuracy.accurate.rawValue }

  /// Runs of the network a frame, on average; `nil` where whole frames are detected.
  func budget(_ run: RunContext) throws(VStreamError) -> Double? {
    let named: DetectionAccuracy =
      try accuracy.map { (text) throws(VStreamError) in
        try OptionText.value("--accuracy", text, "is no accuracy")
      } ?? (accurate ? .accurate : .balanced)
    let range = 0.1...20
    if let passes, !range.contains(passes) {
      throw usageError("--passes", "\(passes)", "is not a number of passes", remedy: "give 0.1 to 20")
    }
    if run.command.records.fromRecords != nil { return run.replayedRecords?.passes }
    let isStream = run.command.detection.mode != DetectionMode.singleImage.rawValue
    if !isStream || run.command.detection.detectEvery != nil || run.purpose(of: .objects) != .annotation { return nil }
    return passes ?? named.passes
  }

  /// The classes to detect; `nil` for all.
  func classNames() throws(VStreamError) -> [String]? {
    guard let names = classes.map(OptionText.list) else { return nil }
    if names.isEmpty { throw usageError("--classes", "''", "is empty", remedy: "omit it for all classes") }
    return names
  }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    if let maxObjects { try NumberLimit.count(of: "objects").check(maxObjects, of: .maximumObjects) }
    configuration.maximumObjects = maxObjects
    if minScore == nil, run.kinds.contains(.objects) { configuration.objectScore = try run.objectScore() }
    _ = try budget(run)
    if let passes {
      configuration.searchEffort = (.passes, "\(passes)")
    } else if accurate || accuracy != nil {
      configuration.searchEffort = (.accuracy, accuracy ?? DetectionAccuracy.accurate.rawValue)
    }
    if categories { configuration.categories = try Self.classifier(run) }
  }

  /// Makes the classifier of categories.
  private static func classifier(_ run: RunContext) throws(VStreamError) -> @Sendable () throws -> CategoryClassifier {
    guard run.kinds.contains(.objects) else {
      throw usageError("--categories", "", "no objects are detected", remedy: "add objects to --detect")
    }
    let device = run.device
    // A missing model is reported before anything is written.
    _ = try ModelCatalogue.efficientNetLite3.requirePath()
    return { try CategoryClassifier(CategoryModel(device: device)) }
  }

  func detector(for purpose: DetectionPurpose, _ run: RunContext) throws(VStreamError) -> DetectorSpec {
    let knownClasses = try run.knownClasses()
    if let names = run.classes, let knownClasses { _ = try knownClasses.indices(of: names) }
    let redacted =
      purpose == .verification
      ? run.redactedClasses
      : RedactionOptions.searchedClasses(
        for: run.command.redaction.redact == nil ? [] : run.command.redaction.names, among: run.classes,
        isKnown: knownClasses != nil)
    var search = ObjectSearch(
      model: try Self.path(of: run.objectModel()), classes: run.classes, requiring: redacted.sorted(),
      tracking: try run.command.tracking.tracker(minimumScore: run.objectScore()),
      budget: redacted.isEmpty ? try budget(run).map { .perFrame($0) } : nil)
    (search.isTiled, search.isVerification, search.device) = (isAccurate, purpose == .verification, run.device)
    return DetectorSpec(.objects(search))
  }

  /// The file of a model that is named in the catalogue, or is a file itself.
  private static func path(of objectModel: String) throws(VStreamError) -> String {
    if let path = try ModelCatalogue.locateObjectModel(objectModel) { return path }
    let names = ModelCatalogue.objectModels.map(\.name).joined(separator: ", ")
    if objectModel.contains("/") || objectModel.contains(".") {
      throw VStreamError(
        .missingDependency, "there is no model file '\(objectModel)' (\(.objectModel))", setting: .objectModel,
        value: objectModel, subject: objectModel, remedy: "models by name: \(names)")
    }
    throw usageError("--object-model", objectModel, "is neither a known model nor a file", remedy: "known: \(names)")
  }

  func recorded(_ run: RunContext) throws(VStreamError) -> [RecordedOption] {
    guard run.kinds.contains(.objects) else { return [] }
    var options = [RecordedOption("objectModel", .text(MediaInput(try run.objectModel()).fileName))]
    if categories { options.append(RecordedOption("categories", .flag(true))) }
    let passes = try budget(run)
    if let passes { options.append(RecordedOption("passes", .number(passes))) }
    if passes == nil, isAccurate || run.replayedRecords?.isAccurate == true {
      options.append(RecordedOption("accurate", .flag(true)))
    }
    if let maxObjects { options.append(RecordedOption("maxObjects", .integer(maxObjects))) }
    if let classes = run.classes { options.append(RecordedOption("classes", .list(classes))) }
    options.append(RecordedOption("minScore", .number(try run.objectScore())))
    return options
  }
}
