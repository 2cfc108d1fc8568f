internal import ArgumentParser
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene

struct ObjectOptionGroup: DetectorOptionGroup {
  static let kind = DetectionKind.objects

  @Option(
    help: ArgumentHelp("Object model: a name ('vstream models' lists them) or a file.", valueName: "name|path"))
  var objectModel = ModelCatalogue.standardObjectModel.name

  @Option(help: ArgumentHelp("Detect only these classes, for example person,car.", valueName: "list"))
  var classes: String?

  @Option(
    help: ArgumentHelp(
      "Maximum number of objects a frame: the most prominent, by size, position and score. (default: all)",
      valueName: "n"))
  var maxObjects: Int?

  @Flag(help: "Record each object's coarse category: fashion good, food, home good, place, plant or unknown.")
  var categories = false

  @Flag(help: "Run the detector on tiles of each frame as well, for small objects; up to seven times the work.")
  var accurate = false

  @Option(
    help: ArgumentHelp(
      "Minimum score that starts a track; detections down to 0.1 may continue one.", valueName: "score"))
  var minScore = 0.5

  static var rules: [OptionRule] {
    let standard = ModelCatalogue.standardObjectModel.name
    let model = GivenOption("--object-model") { $0.objects.objectModel == standard ? nil : $0.objects.objectModel }
    return [GivenOption("--accurate", \.objects.accurate), model].map { option in
      .excludes(
        option, RecordOptionGroup.fromRecords, "no detector runs with --from-records", remedy: "omit \(option.name)")
    }
  }

  /// The classes of the model, where they are known before it is loaded.
  var knownClasses: ClassList? { ModelCatalogue.all.contains { $0.name == objectModel } ? .coco : nil }

  /// The classes to detect; `nil` for all.
  func classNames() throws(VStreamError) -> [String]? {
    guard let names = classes.map(OptionText.list) else { return nil }
    if names.isEmpty { throw usageError("--classes", "''", "is empty", remedy: "omit it for all classes") }
    return names
  }

  func apply(to configuration: inout PipelineConfiguration, _ run: RunContext) throws(VStreamError) {
    if let maxObjects, maxObjects < 1 {
      throw usageError("--max-objects", "\(maxObjects)", "is not a number of objects", remedy: "give 1 or more")
    }
    configuration.maximumObjects = maxObjects
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

  func detector(for use: DetectorUse, _ run: RunContext) throws(VStreamError) -> DetectorFactory {
    if let names = run.classes, let knownClasses { _ = try knownClasses.indices(of: names) }
    var redacted = run.redactedClasses
    // Persons without a face are redacted by their heads.
    let person = "person"
    if use != .verification, run.use(of: .faces) != .annotation, knownClasses != nil,
      run.classes?.contains(person) != false
    {
      redacted.insert(person)
    }
    return .objects(
      model: try modelPath(), classes: run.classes, requiring: redacted.sorted(),
      minimumScore: try OptionText.score("--min-score", minScore), isTiled: accurate,
      isExhaustive: !redacted.isEmpty, isSecondSearch: use == .verification, device: run.device)
  }

  /// The file of a model that is named in the catalogue, or is a file itself.
  private func modelPath() throws(VStreamError) -> String {
    if let path = try ModelCatalogue.locateObjectModel(objectModel) { return path }
    let names = ModelCatalogue.objectModels.map(\.name).joined(separator: ", ")
    if objectModel.contains("/") || objectModel.contains(".") {
      throw VStreamError(
        .missingDependency, "there is no model file '\(objectModel)' (\(.objectModel))", setting: .objectModel,
        value: objectModel, subject: objectModel, remedy: "models by name: \(names)")
    }
    throw usageError("--object-model", objectModel, "is neither a known model nor a file", remedy: "known: \(names)")
  }

  func recorded(_ run: RunContext) -> [RecordedOption] {
    guard run.kinds.contains(.objects) else { return [] }
    var options = [RecordedOption("objectModel", .text(MediaInput(objectModel).fileName))]
    if categories { options.append(RecordedOption("categories", .flag(true))) }
    if accurate { options.append(RecordedOption("accurate", .flag(true))) }
    if let maxObjects { options.append(RecordedOption("maxObjects", .integer(maxObjects))) }
    if let classes = run.classes { options.append(RecordedOption("classes", .list(classes))) }
    options.append(RecordedOption("minScore", .number(minScore)))
    return options
  }
}
