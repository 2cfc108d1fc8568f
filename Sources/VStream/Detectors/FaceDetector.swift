public import VStreamCore
public import VStreamDetection
public import VStreamMedia
internal import VStreamPipeline

/// Detects faces in images, and tracks them from frame to frame.
///
///     var options = FaceDetectorOptions()
///     options.landmarkMode = .all
///     let detector = try FaceDetector(options)
///     for face in try detector.results(in: frame) { print(face.id ?? 0, face.box, face.position(of: .noseBase) ?? "") }
///
/// May be called from any thread. In stream mode one detector is for the frames of one stream, in their order, each with a
/// later time.
public final class FaceDetector: Sendable {
  /// The detection settings.
  public let options: FaceDetectorOptions
  private let threads: DedicatedThreads<StreamDetector>

  /// Loads the models, which takes about 0.1 s.
  ///
  /// - Parameter options: the detection settings.
  /// - Throws: `VStreamError.missingDependency` if OpenVINO or a model is missing; `usage` for numbers that have no meaning.
  public init(_ options: FaceDetectorOptions = FaceDetectorOptions()) throws(VStreamError) {
    try options.check()
    self.options = options
    let mode = options.detectorMode
    let models = try FaceModels(for: options, configuration: .sequential(device: options.device, mode: mode))
    threads = try DedicatedThreads("faces", count: mode.imagesInFlight) { () throws(VStreamError) in
      StreamDetector(
        try FaceDetectionStage(models, options: options), .faces, mode: mode, tracking: options.trackerOptions)
    }
  }

  /// Detects the faces in an image.
  ///
  /// Blocks the calling thread; use `process` on Swift's cooperative threads.
  /// - Returns: in stream mode the faces that were detected in this frame and have IDs, which they get with the second
  ///   detection; otherwise all, by descending score.
  /// - Throws: `VStreamError.library` if the image's pixels cannot be read.
  public func results(in frame: VideoFrame) throws(VStreamError) -> [DetectedFace] {
    try threads.runHere { (state) throws(VStreamError) in try state.detect(in: frame).faces ?? [] }
  }

  /// Detects the faces in an image as `results(in:)` does, on a thread of the detector. Those of
  /// a stream are served in their order; single images are processed side by side.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before its turn: the detector has not seen the image then;
  ///   otherwise `VStreamError` as `results(in:)`.
  public func process(_ frame: VideoFrame) async throws -> [DetectedFace] {
    try await threads.runUnlessCancelled { (state) throws(VStreamError) in try state.detect(in: frame).faces ?? [] }
  }
}
