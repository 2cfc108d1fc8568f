public import VStreamCore
public import VStreamDetection
public import VStreamMedia
internal import VStreamPipeline

/// Detects the poses of people in images, and tracks them from frame to frame.
///
///     let detector = try PoseDetector()
///     for pose in try detector.results(in: frame) { print(pose.id ?? 0, pose.landmarks) }
///
/// May be called from any thread. In stream mode one detector is for the frames of one stream, in their order, each with a
/// later time.
public final class PoseDetector: Sendable {
  /// The detection settings.
  public let options: PoseDetectorOptions
  private let threads: DedicatedThreads<StreamDetector>

  /// Loads the models, which takes about 0.1 s.
  ///
  /// - Parameter options: the detection settings.
  /// - Throws: `VStreamError.missingDependency` if OpenVINO or a model is missing; `usage` for numbers that have no meaning.
  public init(_ options: PoseDetectorOptions = PoseDetectorOptions()) throws(VStreamError) {
    try options.check()
    self.options = options
    let mode = options.detectorMode
    let models = try PoseModels(configuration: .sequential(device: options.device, mode: mode))
    threads = try DedicatedThreads("poses", count: mode.imagesInFlight) { () throws(VStreamError) in
      StreamDetector(
        try PoseDetectionStage(models, options: options), .poses, mode: mode, tracking: options.trackerOptions)
    }
  }

  /// Detects the poses in an image.
  ///
  /// Blocks the calling thread; use `process` on Swift's cooperative threads.
  /// - Returns: in stream mode the poses that were detected in this frame and have IDs, which they get with the second
  ///   detection; otherwise all, by descending score.
  /// - Throws: `VStreamError.library` if the image's pixels cannot be read.
  public func results(in frame: VideoFrame) throws(VStreamError) -> [DetectedPose] {
    try threads.runHere { (state) throws(VStreamError) in try state.detect(in: frame).poses ?? [] }
  }

  /// Detects the poses in an image as `results(in:)` does, on a thread of the detector. Those of
  /// a stream are served in their order; single images are processed side by side.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before its turn: the detector has not seen the image then;
  ///   otherwise `VStreamError` as `results(in:)`.
  public func process(_ frame: VideoFrame) async throws -> [DetectedPose] {
    try await threads.runUnlessCancelled { (state) throws(VStreamError) in try state.detect(in: frame).poses ?? [] }
  }
}
