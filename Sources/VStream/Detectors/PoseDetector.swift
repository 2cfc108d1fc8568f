public import VStreamDetection
public import VStreamMedia
internal import VStreamPipeline
public import VStreamScene
public import VStreamTracking

/// Finds the poses of people in pictures, and follows them from frame to frame: a detector with its tracker.
///
///     let detector = try PoseDetector()
///     for pose in try detector.results(in: frame) { print(pose.id ?? 0, pose.landmarks) }
///
/// May be called from any thread; in stream mode one detector is for one stream, its frames in their order, each with a
/// later time.
public final class PoseDetector: Sendable {
  /// What is found, and how.
  public let options: PoseDetectorOptions
  private let thread: DedicatedThread<StreamTracker<PoseDetectionStage, DetectedPose>>

  /// Loads the models, which takes a tenth of a second.
  ///
  /// - Parameters:
  ///   - options: what is found, and how.
  ///   - tracking: when people get IDs, and for how long they keep them.
  ///   - device: OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  /// - Throws: `VStreamError.missingDependency` if OpenVINO or a model is not there.
  public init(
    _ options: PoseDetectorOptions = PoseDetectorOptions(), tracking: TrackerOptions = TrackerOptions(),
    device: String = "CPU"
  ) throws(VStreamError) {
    self.options = options
    let detector = try LibraryTerms.run { () throws(VStreamError) in
      try PoseDetectionStage(
        try PoseModels(configuration: .oneByOne(device: device)), options: options)
    }
    thread = DedicatedThread(
      "poses", StreamTracker(detector, \.poses, tracking: options.detectorMode == .stream ? tracking : nil))
  }

  /// Finds the poses in a picture.
  ///
  /// Blocks the calling thread; where that is one of Swift's own, use `process`.
  /// - Returns: in stream mode the poses that were found in this very frame and have IDs, which they get with the second
  ///   detection; else all, the best first.
  /// - Throws: `VStreamError.library` if the picture cannot be looked at.
  public func results(in frame: VideoFrame) throws(VStreamError) -> [DetectedPose] {
    try thread.runHere { (state) throws(VStreamError) in try state.look(at: frame) }
  }

  /// Finds the poses in a picture, as `results(in:)` does, on a thread of the detector's own. Calls are answered in their
  /// order.
  public func process(_ frame: VideoFrame) async throws(VStreamError) -> [DetectedPose] {
    try await thread.run { (state) throws(VStreamError) in try state.look(at: frame) }
  }
}
