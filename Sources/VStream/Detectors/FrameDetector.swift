public import VStreamCore
internal import VStreamDetection
internal import VStreamInference
public import VStreamMedia
internal import VStreamPipeline
internal import VStreamTracking

/// A detector of your own. Its results are tracked, drawn, recorded, counted and redacted as those of the built-in detectors.
///
///     struct LampDetector: FrameDetector {
///       mutating func detect(in frame: VideoFrame) throws -> [DetectedObject] {
///         let pixels = try frame.pixels(as: .rgb)
///         return lamps(in: pixels, frame.size).map { DetectedObject(classIndex: 0, label: "lamp", score: $0.score, box: $0.box) }
///       }
///     }
///     var options = VideoPipeline.Options()
///     options.use { LampDetector() }
public protocol FrameDetector: SendableMetatype {
  /// The detections' type: `DetectedObject`, `DetectedFace` or `DetectedPose`.
  associatedtype Found: Detection

  /// Detects in a frame, which is upright and has its time.
  ///
  /// Called on one thread of the run at a time. Detections without `id`, in pixels of the frame; those with scores from 0.1 on may
  /// continue a track, and those with at least the tracker's `minimumScore` start one. Objects of one class have one `classIndex`,
  /// from 0, and one label. Detections without an area are ignored.
  /// - Throws: any error ends the run, and so does a detection whose score is not from 0 to 1, or whose box is no box of any frame.
  mutating func detect(in frame: VideoFrame) throws -> [Found]
}

/// A user's detector as a stage of a run.
struct FrameDetectorStage<Detector: FrameDetector>: FrameDetecting {
  private var detector: Detector

  init(_ detector: Detector) { self.detector = detector }

  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    let found: [Detector.Found]
    do {
      found = try timer.inferring { try detector.detect(in: frame) }
    } catch let error as VStreamError {
      throw error
    } catch {
      throw VStreamError(
        .library, "the detector \(String(describing: Detector.self)) failed: \(Message(String(describing: error)))",
        cause: error)
    }
    return Detections(try found.compactMap(Self.checked).sorted { $0.score > $1.score })
  }

  /// No frame has a pixel as far from its corner, in pixels.
  private static var farthest: Double { 1e6 }

  /// A detection without an ID; `nil` if it has no area.
  ///
  /// - Throws: `VStreamError.usage` for invalid numbers: if ignored, subjects would stay unredacted.
  private static func checked(_ found: Detector.Found) throws(VStreamError) -> Detector.Found? {
    func invalid(_ what: Message) -> VStreamError {
      VStreamError(
        .usage, "the detector \(String(describing: Detector.self)) returned \(what)", remedy: "correct the detector")
    }
    guard (0...1).contains(found.score) else { throw invalid("a score of \(found.score), which is not from 0 to 1") }
    let box = found.box
    guard [box.x, box.y, box.width, box.height].allSatisfy({ $0.magnitude < farthest }) else {
      throw invalid("a box that is in no frame: \(box.x), \(box.y), \(box.width) × \(box.height)")
    }
    if box.isEmpty { return nil }
    var checked = found
    checked.id = nil
    return checked
  }
}

/// A detector and the annotation step of its stream.
struct StreamDetector {
  private var detector: any FrameDetecting
  private var annotation: AnnotationStep
  private var categories: CategoryStep?
  private var lastTime = -Double.infinity
  /// `nil` for single images.
  private var shots: ShotDetector?

  /// - Parameters:
  ///   - kind: the detected kind.
  ///   - mode: how its frames are related.
  ///   - tracking: of streams.
  init(
    _ detector: any FrameDetecting, _ kind: DetectionKind, mode: DetectionMode, tracking: TrackerOptions,
    maximumObjects: Int? = nil, categories: CategoryStep? = nil
  ) {
    _ = DebugBuild.warning
    self.detector = detector
    self.categories = categories
    shots = mode == .stream ? ShotDetector() : nil
    // The detector's own minimum score applies to single images.
    annotation = AnnotationStep(
      AnnotationOptions(
        mode: mode, kinds: [kind: .init(tracker: tracking, minimumScore: -.infinity)], maximumObjects: maximumObjects))
  }

  /// - Returns: in stream mode the observations with IDs; otherwise all, by descending score.
  mutating func detect(in frame: VideoFrame) throws(VStreamError) -> Detections {
    do {
      var frame = frame
      if let shot = try shots?.next(frame) { frame.shot = shot }
      var found = try detector.detect(in: frame, timer: UntimedSteps())
      found.shot = frame.shot
      // Frames without times are tracked as if they followed each other at once.
      lastTime = max(frame.time.seconds, lastTime.nextUp)
      var result = annotation.annotate(ResolvedDetections(found: found), at: lastTime, in: frame.size)
      try categories?.categorise(&result, in: frame, timer: UntimedSteps())
      return result.found
    } catch {
      throw VStreamError(any: error)
    }
  }
}

extension DetectionMode {
  /// Images that a detector processes side by side: of a stream one, as its frames are in order.
  var imagesInFlight: Int { self == .stream ? 1 : min(4, PipelineConfiguration.processorCount) }
}

extension ModelConfiguration {
  /// For a detector that infers each image on one thread: its networks are small, and more threads would wait for each other.
  static func sequential(device: String, mode: DetectionMode) -> ModelConfiguration {
    ModelConfiguration(
      device: device, streams: mode.imagesInFlight, threads: mode.imagesInFlight, precision: .float32)
  }
}
