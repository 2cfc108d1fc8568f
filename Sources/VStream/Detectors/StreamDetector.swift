internal import VStreamCore
internal import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamTracking

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
  mutating func detect(in frame: VideoFrame) throws(VStreamError) -> Observations {
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

extension ModelConfiguration {
  /// For a detector that infers one frame after the other: its networks are small, and more threads would wait for each other.
  static func sequential(device: String) -> ModelConfiguration {
    ModelConfiguration(device: device, threads: 1, precision: .float32)
  }
}
