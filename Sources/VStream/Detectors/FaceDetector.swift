public import VStreamDetection
public import VStreamMedia
internal import VStreamPipeline
public import VStreamScene
public import VStreamTracking

/// Finds faces in pictures, and follows them from frame to frame: a detector with its tracker.
///
///     var options = FaceDetectorOptions()
///     options.landmarkMode = .all
///     let detector = try FaceDetector(options)
///     for face in try detector.results(in: frame) { print(face.id ?? 0, face.box, face.position(of: .noseBase) ?? "") }
///
/// May be called from any thread; in stream mode one detector is for one stream, its frames in their order, each with a
/// later time.
public final class FaceDetector: Sendable {
  /// What is found, and how.
  public let options: FaceDetectorOptions
  private let thread: DedicatedThread<StreamTracker<FaceDetectionStage, DetectedFace>>

  /// Loads the models, which takes a tenth of a second.
  ///
  /// - Parameters:
  ///   - options: what is found, and how.
  ///   - tracking: when faces get IDs, and for how long they keep them.
  ///   - device: OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  /// - Throws: `VStreamError.missingDependency` if OpenVINO or a model is not there.
  public init(
    _ options: FaceDetectorOptions = FaceDetectorOptions(), tracking: TrackerOptions = TrackerOptions(),
    device: String = "CPU"
  ) throws(VStreamError) {
    self.options = options
    let detector = try LibraryTerms.run { () throws(VStreamError) in
      try FaceDetectionStage(
        try FaceModels(for: options, configuration: .oneByOne(device: device)), options: options)
    }
    thread = DedicatedThread(
      "faces", StreamTracker(detector, \.faces, tracking: options.detectorMode == .stream ? tracking : nil))
  }

  /// Finds the faces in a picture.
  ///
  /// Blocks the calling thread; where that is one of Swift's own, use `process`.
  /// - Returns: in stream mode the faces that were found in this very frame and have IDs, which they get with the second
  ///   detection; else all, the best first.
  /// - Throws: `VStreamError.library` if the picture cannot be looked at.
  public func results(in frame: VideoFrame) throws(VStreamError) -> [DetectedFace] {
    try thread.runHere { (state) throws(VStreamError) in try state.look(at: frame) }
  }

  /// Finds the faces in a picture, as `results(in:)` does, on a thread of the detector's own. Calls are answered in their
  /// order.
  public func process(_ frame: VideoFrame) async throws(VStreamError) -> [DetectedFace] {
    try await thread.run { (state) throws(VStreamError) in try state.look(at: frame) }
  }
}
