internal import VStreamDetection
public import VStreamMedia
public import VStreamScene

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
  /// What it detects: `DetectedObject`, `DetectedFace` or `DetectedPose`.
  associatedtype Found: Observation

  /// Detects in a frame, which is upright and has its time.
  ///
  /// Called on one thread of the run at a time. Detections without `id`, in pixels of the frame; those with scores from 0.1 on may
  /// continue a track, and those with at least the tracker's `minimumScore` start one. Objects of one class have one `classIndex`,
  /// from 0, and one label. Detections without an area or with a score that is no number are ignored.
  /// - Throws: any error ends the run.
  mutating func detect(in frame: VideoFrame) throws -> [Found]
}

/// A user's detector as a stage of a run.
struct FrameDetectorStage<Detector: FrameDetector>: FrameDetecting {
  private var detector: Detector

  init(_ detector: Detector) { self.detector = detector }

  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Observations {
    let found = try timer.inferring { try detector.detect(in: frame) }
    var observations = Observations()
    observations[Detector.Found.self] = found.filter { !$0.box.isEmpty && $0.score.isFinite }.sorted {
      $0.score > $1.score
    }
    return observations
  }
}
