internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamTracking

/// The detectors of all cameras: their threads, and the models, each loaded once.
final class CameraDetectors: Sendable {
  let pool: DetectorPool
  private let models = DetectorModels()

  init(threads: Int) { pool = DetectorPool(threads: threads) }

  func stop() { pool.stop() }

  /// Waits until the threads have ended, after `stop`.
  ///
  /// - Returns: `false` if that takes longer than `seconds`.
  func waitUntilStopped(seconds: Double) -> Bool { pool.waitUntilEnded(seconds: seconds) }

  /// Checks that the detectors of a configuration's cameras can be made, without loading models.
  ///
  /// - Throws: `VStreamError` for the first camera that fails.
  func check(_ configuration: ServeConfiguration) throws(VStreamError) {
    for camera in configuration.cameras { _ = try self.configuration(of: camera.settings, observer: nil) }
  }

  /// The configuration of a camera's next run.
  ///
  /// - Throws: `VStreamError`: `missingDependency` for a missing model, `usage` for classes that the model does not have, or an
  ///   address that cannot be opened.
  func configuration(
    of camera: CameraConfiguration, observer: (any RunObserver)?
  ) throws(VStreamError) -> PipelineConfiguration {
    for input in [camera.input, camera.shownInput] { try input?.check() }
    var configuration = PipelineConfiguration(
      input: camera.input, fontPath: LabelFont.path, threads: Self.decoderThreads)
    configuration.mode = .stream
    // A file takes the place of a camera, and starts again when it ends.
    configuration.isRealtime = true
    configuration.late = .drop
    configuration.reconnectSeconds = .infinity
    configuration.endsIfInputChanges = true
    configuration.isFirstOfProcess = false
    configuration.tracker.lostAfterSeconds = camera.lostAfter
    configuration.tracker.confirmAfter = camera.confirmAfter
    configuration.maximumObjects = camera.maxObjects
    configuration.counted = camera.counted
    configuration.detectorPool = (
      pool, PoolShare(passesPerSecond: camera.redact == nil ? camera.passesPerSecond : 25, weight: camera.weight)
    )
    configuration.models = models
    configuration.observer = observer
    configuration.masks = camera.masks
    configuration.redaction = camera.redact.map { RedactionOptions($0, labels: Set(camera.redactWhat)) }
    if camera.redact != nil { configuration.hold = Self.redactedHold }
    for kind in DetectionKind.allCases where camera.kinds.contains(kind) {
      configuration.detectors.append(try detector(of: kind, camera, &configuration))
    }
    return configuration
  }

  /// Seconds for which a frame waits for its redacted regions.
  private static let redactedHold = 0.3

  /// A camera's stream is decoded by one thread: the cameras share the processors.
  private static let decoderThreads = 1

  private func detector(
    of kind: DetectionKind, _ camera: CameraConfiguration, _ configuration: inout PipelineConfiguration
  ) throws(VStreamError) -> DetectorSpec {
    // Redacted kinds are searched for in every frame. Objects are in parts of all frames, and a record states for the whole
    // of its frame whether that was searched.
    let isSearchedAlways = camera.redactedKinds.contains(kind) || (kind != .objects && camera.kinds.contains(.objects))
    let passes = isSearchedAlways ? nil : camera.passesPerSecond
    switch kind {
    case .objects: return try objectDetector(camera, passesPerSecond: passes, &configuration)
    case .faces:
      var options = FaceDetectorOptions()
      options.angleMode = .none
      if camera.redactedKinds.contains(.faces) { options.search(for: .redaction) }
      return DetectorSpec(.faces(options), framesPerSecond: passes)
    case .poses: return DetectorSpec(.poses(PoseDetectorOptions()), framesPerSecond: passes)
    }
  }

  private func objectModel(of camera: CameraConfiguration) throws(VStreamError) -> String {
    guard let name = camera.objectModel else { return try DefaultObjectModel.name() }
    return name
  }

  private func objectDetector(
    _ camera: CameraConfiguration, passesPerSecond passes: Double?, _ configuration: inout PipelineConfiguration
  ) throws(VStreamError) -> DetectorSpec {
    let name = try objectModel(of: camera)
    let named = camera.redactedClasses
    let classes = camera.classes.map { $0 + named.filter { !(camera.classes ?? []).contains($0) } }
    let isKnown = ModelCatalogue.objectModel(named: name) != nil
    if isKnown { _ = try ClassList.coco.indices(of: named + (classes ?? [])) }
    var score: Double
    if let set = camera.minScore {
      score = set
    } else {
      score = try ModelCatalogue.score(ofObjectModel: name)
      if camera.redact != nil { score = RedactionOptions.score(ofModel: score) }
    }
    let required = RedactionOptions.searchedClasses(
      for: camera.redact == nil ? [] : camera.redactWhat, among: classes, isKnown: isKnown)
    configuration.objectScore = score
    var tracking = configuration.tracker
    tracking.minimumScore = score
    return DetectorSpec(
      .objects(
        ObjectSearch(
          model: try ModelCatalogue.objectModelPath(name), classes: classes, requiring: required.sorted(),
          tracking: tracking, budget: required.isEmpty ? passes.map { .perSecond($0) } : nil)))
  }
}

extension CameraConfiguration {
  var redactedKinds: Set<DetectionKind> {
    redact == nil ? [] : Set(redactWhat.map(DetectionKind.init(redactionName:)))
  }

  /// The classes of objects that are redacted.
  var redactedClasses: [String] {
    redactedKinds.contains(.objects) ? redactWhat.filter { DetectionKind(redactionName: $0) == .objects } : []
  }

  var kinds: Set<DetectionKind> { detect.union(redactedKinds) }
}
