internal import VStreamDetection
internal import VStreamInference
public import VStreamMedia
internal import VStreamPipeline
public import VStreamScene
public import VStreamTracking

/// What an object detector finds, and how. Names are ML Kit's where it has them.
public struct ObjectDetectorOptions: Hashable, Sendable {
  /// Whether pictures are frames of one stream, in their order, whose objects are tracked and have IDs, or each stands for
  /// itself.
  public var detectorMode: DetectionMode
  /// Whether several objects are found, or only the most prominent one.
  public var shouldEnableMultipleObjects = true
  /// At most so many objects are reported of a picture, the most prominent; `nil` for all.
  public var maximumObjects: Int?
  /// Whether objects say what they are; else every label is `object`.
  public var shouldEnableClassification = true
  /// Whether objects say what kind of thing they are, coarsely (`DetectedObject.category`): fashion good, food, home good,
  /// place, plant or unknown, as ML Kit does.
  public var shouldEnableCategories = false
  /// Only these classes, by name; `nil` for all that the model knows.
  public var classes: [String]?
  /// Whether parts of the picture are looked at as well as the whole, for small objects; up to seven times the work.
  public var isAccurate = false
  /// The model: a name of the catalogue, or a file.
  public var model = ModelCatalogue.standardObjectModel.name
  /// When objects get IDs, and for how long they keep them.
  public var tracking = TrackerOptions()
  /// Threads that the network uses; 0 leaves OpenVINO the choice.
  public var threads = 0
  /// OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  public var device = "CPU"

  /// - Parameter detectorMode: whether pictures are frames of one stream, or each stands for itself.
  public init(detectorMode: DetectionMode = .stream) { self.detectorMode = detectorMode }

  var limit: Int? { shouldEnableMultipleObjects ? maximumObjects : 1 }
}

/// Finds objects in pictures, and follows them from frame to frame: a detector with its tracker.
///
///     let detector = try ObjectDetector(ObjectDetectorOptions(detectorMode: .singleImage))
///     let objects = try detector.results(in: VideoFrame(contentsOf: "street.jpg"))
///
/// May be called from any thread; in stream mode one detector is for one stream, its frames in their order, each with a
/// later time.
public final class ObjectDetector: Sendable {
  /// What is found, and how.
  public let options: ObjectDetectorOptions
  private let thread: DedicatedThread<TrackedObjects>

  /// Loads the model, which takes up to a second.
  ///
  /// - Parameter options: what is found, and how.
  /// - Throws: `VStreamError.missingDependency` if OpenVINO or the model is not there; `usage` for a class that the model does
  ///   not know.
  public init(_ options: ObjectDetectorOptions = ObjectDetectorOptions()) throws(VStreamError) {
    self.options = options
    thread = DedicatedThread("objects", try LibraryTerms.run { () throws(VStreamError) in try TrackedObjects(options) })
  }

  /// Finds what is in a picture.
  ///
  /// Blocks the calling thread; where that is one of Swift's own, use `process`.
  /// - Returns: in stream mode the objects that were found in this very frame and have IDs, which they get with the second
  ///   detection (`options.tracking.confirmAfter`); else all above `options.tracking.minimumScore`, the best first.
  /// - Throws: `VStreamError.library` if the picture cannot be looked at.
  public func results(in frame: VideoFrame) throws(VStreamError) -> [DetectedObject] {
    try thread.runHere { (state) throws(VStreamError) in try state.look(at: frame) }
  }

  /// Finds what is in a picture, as `results(in:)` does, on a thread of the detector's own. Calls are answered in their order.
  public func process(_ frame: VideoFrame) async throws(VStreamError) -> [DetectedObject] {
    try await thread.run { (state) throws(VStreamError) in try state.look(at: frame) }
  }
}

/// A detector of objects with the tracker of its stream.
private struct TrackedObjects {
  private let options: ObjectDetectorOptions
  private var stage: ObjectDetectionStage
  private var tracker: Tracker
  private var prominent: ProminentObjects?
  private var categoryCache = TrackCategoryCache()
  /// `nil` if categories are not told.
  private var classifier: CategoryClassifier?

  /// Detections down to this score may continue a track.
  private static let lowestScore = 0.1
  /// What objects are called where nobody asks what they are.
  private static let label = "object"

  init(_ options: ObjectDetectorOptions) throws(VStreamError) {
    self.options = options
    let configuration = ModelConfiguration(device: options.device, threads: options.threads)
    let model = try ObjectModel(path: try ModelCatalogue.objectModelPath(options.model), configuration: configuration)
    let score = min(options.tracking.minimumScore, Self.lowestScore)
    stage = try ObjectDetectionStage(
      model,
      options: ObjectDetectionOptions(
        minimumScore: options.detectorMode == .stream ? score : options.tracking.minimumScore,
        classes: try options.classes.map { (names) throws(VStreamError) in try model.labels.indices(of: names) },
        isTiled: options.isAccurate))
    tracker = Tracker(options.tracking)
    if options.shouldEnableCategories {
      classifier = try CategoryClassifier(CategoryModel(device: options.device))
    }
    prominent = options.limit.map(ProminentObjects.init(limit:))
  }

  mutating func look(at frame: VideoFrame) throws(VStreamError) -> [DetectedObject] {
    var objects: [DetectedObject]
    do {
      objects = try stage.objects(in: frame, timer: UntimedSteps())
      if options.detectorMode == .stream { objects = tracker.update(objects, at: frame.time.seconds) }
      objects = prominent?.select(objects, in: frame.size) ?? objects
      objects = try categorised(objects, in: frame)
    } catch {
      throw VStreamError(any: error)
    }
    guard !options.shouldEnableClassification else { return objects }
    return objects.map { object in
      var object = object
      (object.label, object.classIndex) = (Self.label, 0)
      return object
    }
  }

  /// The objects with their categories, if they are asked for.
  private mutating func categorised(_ objects: [DetectedObject], in frame: VideoFrame) throws -> [DetectedObject] {
    guard var classifier else { return objects }
    defer { self.classifier = classifier }
    categoryCache.forget(tracker.events.filter { $0.kind == .exit }.map(\.id))
    return try categoryCache.categorise(objects, isDetected: true) { box in
      try classifier.category(of: box, in: frame, timer: UntimedSteps())
    }
  }
}
