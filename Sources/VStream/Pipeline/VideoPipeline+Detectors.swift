internal import VStreamCore
internal import VStreamDetection
internal import VStreamPipeline
internal import VStreamTracking

extension VideoPipeline.Options {
  /// Adds the detectors of the run and the options of their trackers.
  func addDetectors(to configuration: inout PipelineConfiguration) throws(VStreamError) {
    let ownKinds = Set(ownDetectors.map(\.kind))
    if let objects, !ownKinds.contains(.objects) { try add(objects, to: &configuration) }
    if !ownKinds.contains(.faces), let faces = searchedFaces {
      configuration.detectors.append(DetectorSpec(.faces(faces)))
      configuration.trackers[.faces] = faces.trackerOptions
    }
    if let poses, !ownKinds.contains(.poses) {
      configuration.detectors.append(DetectorSpec(.poses(poses)))
      configuration.trackers[.poses] = poses.trackerOptions
    }
    for own in ownDetectors {
      configuration.detectors.append(own.spec)
      configuration.trackers[own.kind] = own.tracking
    }
    configuration.maximumObjects = objects?.limit
    try checkRedaction(configuration.kinds, ownKinds: ownKinds)
  }

  /// How faces are searched for; `nil` if they are neither requested nor redacted. Redaction alone needs only boxes.
  var searchedFaces: FaceDetectorOptions? {
    guard redacts(.faces) else { return faces }
    var options = faces ?? FaceDetectorOptions()
    if faces == nil { options.angleMode = .none }
    options.search(for: .redaction)
    return options
  }

  private func redacts(_ kind: DetectionKind) -> Bool {
    (redaction?.labels ?? []).contains { DetectionKind(redactionName: $0) == kind }
  }

  private func add(_ objects: ObjectDetectorOptions, to configuration: inout PipelineConfiguration) throws(VStreamError)
  {
    var tracking = try objects.trackerOptions()
    if redaction != nil, objects.minimumScore == nil {
      tracking.minimumScore = RedactionOptions.score(ofModel: tracking.minimumScore)
    }
    let required = redactedClasses(objects)
    var search = ObjectSearch(
      model: try ModelCatalogue.objectModelPath(objects.model), classes: objects.classes, requiring: required.sorted(),
      tracking: tracking, budget: passes(of: objects).map { .perFrame($0) })
    (search.isTiled, search.device) = (objects.accuracy == .accurate, objects.device)
    configuration.detectors.append(DetectorSpec(.objects(search)))
    configuration.trackers[.objects] = tracking
    guard objects.shouldEnableCategories else { return }
    _ = try ModelCatalogue.efficientNetLite3.requirePath()
    configuration.categories = { try CategoryClassifier(CategoryModel(device: objects.device)) }
  }

  /// Runs of the object network for a frame, on average; `nil` where whole frames are searched.
  func passes(of objects: ObjectDetectorOptions) -> Double? {
    detectEvery > 1 || !redactedClasses(objects).isEmpty ? nil : objects.accuracy?.passes
  }

  private func redactedClasses(_ objects: ObjectDetectorOptions) -> Set<String> {
    RedactionOptions.searchedClasses(
      for: redaction?.labels ?? [], among: objects.classes,
      isKnown: ModelCatalogue.objectModel(named: objects.model) != nil)
  }

  /// Checks that the redacted names are detected.
  private func checkRedaction(_ kinds: Set<DetectionKind>, ownKinds: Set<DetectionKind>) throws(VStreamError) {
    guard let redaction else { return }
    let remedy: Message = "name faces, or classes that are detected, for example person"
    guard !redaction.labels.isEmpty else {
      throw VStreamError(.usage, "nothing is named to be redacted (\(.redact))", setting: .redact, remedy: remedy)
    }
    for name in redaction.labels.sorted() where !detects(name, kinds, hasOwnObjects: ownKinds.contains(.objects)) {
      let problem: Message = name == DetectionKind.poses.rawValue ? "cannot be redacted" : "is not detected"
      throw VStreamError(
        .usage, "'\(name)' is to be redacted (\(.redact)) and \(problem)", setting: .redact, value: name,
        remedy: remedy)
    }
  }

  /// Whether a kind or class is detected, as far as is known before a model is loaded.
  private func detects(_ name: String, _ kinds: Set<DetectionKind>, hasOwnObjects: Bool) -> Bool {
    let kind = DetectionKind(redactionName: name)
    guard kinds.contains(kind) else { return false }
    guard kind == .objects, !hasOwnObjects, let objects else { return true }
    func isListed(in names: [String]) -> Bool { names.contains { $0.lowercased() == name } }
    let isKnown = ModelCatalogue.objectModel(named: objects.model) == nil || isListed(in: ClassList.coco.names)
    return isKnown && objects.classes.map(isListed) != false
  }
}
