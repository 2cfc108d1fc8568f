public import VStreamDetection
internal import VStreamInference
internal import VStreamScene
public import VStreamTracking

/// The models of runs that share a `DetectorPool`: each is loaded once, whatever the runs detect with it.
public final class SharedModels: Sendable {
  private let objects = Lock<[String: Result<ObjectModel, VStreamError>]>([:])
  private let faces = Lock<[FaceDetectorOptions: DetectorFactory]>([:])
  private let poses = Lock<[PoseDetectorOptions: DetectorFactory]>([:])

  public init() {}

  /// Detects objects of a live stream.
  ///
  /// - Parameters:
  ///   - path: the model's file.
  ///   - classes: the classes to detect; `nil` for all of the model's.
  ///   - required: the classes for which frames are searched again, with a margin.
  ///   - tracking: options of the tracker; detections down to 0.1 may continue a track.
  ///   - passes: runs of the network in a second of the stream, on average; `nil` for the whole of each frame.
  public func objectDetector(
    model path: String, classes: [String]?, requiring required: Set<String> = [], tracking: TrackerOptions,
    passesPerSecond passes: Double?
  ) -> DetectorFactory {
    DetectorFactory(tracking: .objects) { [self] requirements, threads in
      let model = try objectModel(path, threads: threads)
      if requirements.checksModels {
        _ = try CheckedModelFile.files(of: path)
        try DrawnPerson.require(by: model, at: path)
      }
      let options = ObjectDetectionOptions(
        minimumScore: min(0.1, tracking.minimumScore), classes: try classes.map { try model.labels.indices(of: $0) },
        margin: required.isEmpty
          ? nil
          : .init(
            classes: try model.labels.indices(of: required.sorted()), minimumScore: tracking.minimumScore,
            isAlways: false))
      guard let passes else { return { try ObjectDetectionStage(model, options: options) } }
      return { try TimedObjectDetection(model, options: options, passesPerSecond: passes, tracking: tracking) }
    }
  }

  /// Detects faces of a live stream.
  ///
  /// - Parameter passes: frames in a second of the stream that are searched at most; `nil` for all.
  public func faceDetector(_ options: FaceDetectorOptions, passesPerSecond passes: Double?) -> DetectorFactory {
    faces.withLock { known in
      let factory = known[options] ?? .faces(options)
      known[options] = factory
      return factory
    }.searching(framesPerSecond: passes)
  }

  /// Detects poses of a live stream.
  ///
  /// - Parameter passes: frames in a second of the stream that are searched at most; `nil` for all.
  public func poseDetector(_ options: PoseDetectorOptions, passesPerSecond passes: Double?) -> DetectorFactory {
    poses.withLock { known in
      let factory = known[options] ?? .poses(options)
      known[options] = factory
      return factory
    }.searching(framesPerSecond: passes)
  }

  /// Those who need a model while it is being loaded wait for it.
  private func objectModel(_ path: String, threads: Int) throws(VStreamError) -> ObjectModel {
    try objects.withLock { known in
      if case .success? = known[path], let found = known[path] { return found }
      let loaded = Result { () throws(VStreamError) in
        try ObjectModel(path: path, configuration: ModelConfiguration(streams: threads, threads: threads))
      }
      known[path] = loaded
      return loaded
    }.get()
  }
}
