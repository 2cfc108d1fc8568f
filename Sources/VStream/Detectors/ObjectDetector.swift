public import VStreamCore
internal import VStreamDetection
internal import VStreamInference
public import VStreamMedia
internal import VStreamPipeline
public import VStreamTracking

/// The settings of an object detector. Names are ML Kit's where it has them.
public struct ObjectDetectorOptions: Hashable, Sendable {
  /// Whether images are consecutive frames of one stream, whose objects are tracked and have IDs, or are independent.
  public var detectorMode: DetectionMode
  /// Whether several objects are reported, or only the most prominent one.
  public var shouldEnableMultipleObjects = true
  /// The number of objects that are reported in an image, the most prominent ones; `nil` for all.
  public var maximumObjects: Int?
  /// Whether labels are the classes' names; otherwise every label is `object`.
  public var shouldEnableClassification = true
  /// Whether objects have ML Kit's coarse categories (`DetectedObject.category`): fashion good, food, home good, place,
  /// plant or unknown.
  public var shouldEnableCategories = false
  /// The names of the classes to detect; `nil` for all of the model's.
  public var classes: [String]?
  /// How often the network is run on parts of a stream's images, where it gains most; `nil` for once, on the whole of each.
  /// Single images are searched wholly, `accurate` also in tiles.
  public var accuracy: DetectionAccuracy? = .balanced
  /// The model: a name in the catalogue, a path, or the name of a file that `vstream models get` fetched. By default the
  /// built-in one, whatever `vstream models use` chose for the command.
  public var model = ModelCatalogue.standardObjectModel.name
  /// The score that starts a track, and the lowest that is reported of single images; `nil` for the model's, usually 0.5.
  public var minimumScore: Double?
  /// When objects get IDs, and for how long they keep them. Its `minimumScore` is not used: this type's own is.
  public var tracking = TrackerOptions()
  /// Threads that inference uses; 0 lets OpenVINO decide. In a pipeline, its own number applies.
  public var threads = 0
  /// OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  public var device = "CPU"

  /// - Parameter detectorMode: whether images are frames of one stream, or are independent.
  public init(detectorMode: DetectionMode = .stream) { self.detectorMode = detectorMode }

  /// - Throws: `VStreamError.usage` for a number that has no meaning.
  func check() throws(VStreamError) {
    if let maximumObjects { try NumberLimit.count(of: "objects").check(maximumObjects, of: .maximumObjects) }
    if let minimumScore { try NumberLimit.score.check(minimumScore, of: .minimumScore) }
    try tracking.check()
    try NumberLimit.threads.check(threads, of: .threads)
    if classes?.isEmpty == true {
      throw VStreamError(.usage, "\(.classes) is empty", setting: .classes, remedy: "use nil for all classes")
    }
  }

  /// - Throws: `VStreamError.missingDependency` if the model's description is invalid.
  func trackerOptions() throws(VStreamError) -> TrackerOptions {
    var options = tracking
    if let minimumScore {
      options.minimumScore = minimumScore
    } else {
      options.minimumScore = try ModelCatalogue.score(ofObjectModel: model)
    }
    return options
  }

  var limit: Int? { shouldEnableMultipleObjects ? maximumObjects : 1 }
}

/// Detects objects in images, and tracks them from frame to frame.
///
///     let detector = try ObjectDetector(ObjectDetectorOptions(detectorMode: .singleImage))
///     let objects = try detector.results(in: VideoFrame(contentsOf: "street.jpg"))
///
/// May be called from any thread. In stream mode one detector is for the frames of one stream, in their order, each with a
/// later time.
public final class ObjectDetector: Sendable {
  /// The detection settings.
  public let options: ObjectDetectorOptions
  private let threads: DedicatedThreads<StreamDetector>

  /// Loads the model, which takes up to a second.
  ///
  /// - Parameter options: the detection settings.
  /// - Throws: `VStreamError.missingDependency` if OpenVINO or the model is missing; `usage` for a class that the model does
  ///   not have, and for numbers that have no meaning.
  public init(_ options: ObjectDetectorOptions = ObjectDetectorOptions()) throws(VStreamError) {
    try options.check()
    self.options = options
    let mode = options.detectorMode
    let configuration = ModelConfiguration(
      device: options.device, streams: mode.imagesInFlight, threads: options.threads)
    let model = try ObjectModel(path: try ModelCatalogue.objectModelPath(options.model), configuration: configuration)
    // Loaded here, so that a missing model is reported at once.
    let categories = options.shouldEnableCategories ? try CategoryModel(device: options.device) : nil
    threads = try DedicatedThreads("objects", count: mode.imagesInFlight) { () throws(VStreamError) in
      try StreamDetector(options, model, configuration, categories)
    }
  }

  /// Detects the objects in an image.
  ///
  /// Blocks the calling thread; use `process` on Swift's cooperative threads.
  /// - Returns: in stream mode the objects that have IDs, which they get with the second detection
  ///   (`options.tracking.confirmAfter`), and were detected in this frame, or not searched for (`isPredicted`); otherwise all
  ///   whose score is at least `options.minimumScore`, by descending score.
  /// - Throws: `VStreamError.library` if the image's pixels cannot be read.
  public func results(in frame: VideoFrame) throws(VStreamError) -> [DetectedObject] {
    try threads.runHere { [options] (state) throws(VStreamError) in try state.objects(in: frame, options) }
  }

  /// Detects the objects in an image as `results(in:)` does, on a thread of the detector. Those of
  /// a stream are served in their order; single images are processed side by side.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before its turn: the detector has not seen the image then;
  ///   otherwise `VStreamError` as `results(in:)`.
  public func process(_ frame: VideoFrame) async throws -> [DetectedObject] {
    try await threads.runUnlessCancelled { [options] (state) throws(VStreamError) in
      try state.objects(in: frame, options)
    }
  }
}

extension StreamDetector {
  /// Detections down to this score may continue a track.
  private static var lowestScore: Double { 0.1 }

  fileprivate init(
    _ options: ObjectDetectorOptions, _ model: ObjectModel, _ configuration: ModelConfiguration,
    _ categories: CategoryModel?
  ) throws(VStreamError) {
    let tracking = try options.trackerOptions()
    let minimum = tracking.minimumScore
    let detection = ObjectDetectionOptions(
      minimumScore: options.detectorMode == .stream ? min(minimum, Self.lowestScore) : minimum,
      classes: try options.classes.map { (names) throws(VStreamError) in try model.labels.indices(of: names) },
      isTiled: options.accuracy == .accurate)
    let stage: any FrameDetecting
    if options.detectorMode == .stream, let accuracy = options.accuracy {
      stage = PlannedObjectDetection(
        model, resize: { try model.resized(to: $0, configuration: configuration) }, options: detection,
        budget: .perFrame(accuracy.passes), tracking: tracking, framesInFlight: 1)
    } else {
      stage = try ObjectDetectionStage(model, options: detection)
    }
    self.init(
      stage, .objects, mode: options.detectorMode, tracking: tracking, maximumObjects: options.limit,
      categories: categories.map { model in CategoryStep { try CategoryClassifier(model) } })
  }

  /// The objects in a frame, all with the same label if classes are disabled.
  fileprivate mutating func objects(
    in frame: VideoFrame, _ options: ObjectDetectorOptions
  ) throws(VStreamError) -> [DetectedObject] {
    let objects = try detect(in: frame).objects ?? []
    guard !options.shouldEnableClassification else { return objects }
    return objects.map { object in
      var object = object
      (object.label, object.classIndex) = ("object", 0)
      return object
    }
  }
}
