public import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
public import VStreamScene
internal import VStreamSystem

/// A run from an input to its annotations: reads the frames of a file, camera or stream, passes each frame's annotations to a
/// callback, and, if there is an output, draws them and encodes the video.
///
///     let pipeline = try VideoPipeline(input: "/dev/video0")
///     try await pipeline.run { frame in
///       for object in frame.found.objects ?? [] { print(frame.time.seconds, object.id ?? 0, object.label, object.box) }
///     }
///
/// In files, detectors run on every frame. For live inputs the callback gets every frame in time, with predicted tracks where
/// the detectors are too slow (`FrameAnnotations.source`).
public final class VideoPipeline: Sendable {
  /// What is detected, and where results are written.
  public struct Options: Sendable {
    /// `nil`: objects are not detected. The pipeline's mode and threads apply, and objects always have their class.
    public var objects: ObjectDetectorOptions? = ObjectDetectorOptions()
    /// `nil`: faces are not detected. The pipeline's mode applies.
    public var faces: FaceDetectorOptions?
    /// `nil`: poses are not detected. The pipeline's mode applies.
    public var poses: PoseDetectorOptions?
    /// The path or URL of the annotated video; `nil`: none is written.
    public var output: String?
    /// Whether existing files are replaced.
    public var overwritesOutput = false
    /// Paths of record files; the extension determines the format: `.jsonl`, `.csv`, ….
    public var records: [String] = []
    /// `nil`: single images for photos, otherwise a stream.
    public var mode: DetectionMode?
    /// Detectors run on one frame of this number of frames; tracks are predicted in the frames between.
    public var detectEvery = 1
    /// Whether a file is read at the rate at which it is shown, and treated as live.
    public var isRealtime = false
    /// Seconds for which a lost live input is reconnected; 0: it is not.
    public var reconnectSeconds = 0.0
    /// Whether `frames` have their pixels; drawing then copies each frame that is still in use.
    public var providesImages = false
    /// The number of threads; `nil` for the number of processors.
    public var threads: Int?
    /// The path of the labels' font; `nil` for the default.
    public var fontPath: String?

    /// Objects in every frame, and no output.
    public init() {}
  }

  /// The result of a run.
  public struct Summary: Hashable, Sendable {
    /// Frames that were passed to the callback.
    public let frames: Int
    /// Frames with detections; the others have predicted tracks.
    public let framesDetected: Int
    /// Number of tracks by label; for single images, of detections.
    public let countsByLabel: [String: Int]
    /// Problems that did not end the run, one line each.
    public let warnings: [String]
    /// Whether the run was stopped before its input ended.
    public let wasStopped: Bool
  }

  private let pipeline: Pipeline
  private let providesImages: Bool
  private let thread = DedicatedThread("pipeline", ())

  /// - Parameters:
  ///   - input: a file's path, a URL, a camera (`/dev/video0`), or `-` for standard input.
  ///   - options: what is detected, and where results are written.
  /// - Throws: `VStreamError`: `cannotCreateOutput` if the output exists or cannot be made; `usage` for invalid options.
  public init(input: String, options: Options = Options()) throws(VStreamError) {
    pipeline = Pipeline(try options.configuration(input: input))
    providesImages = options.providesImages
  }

  /// Ends the run early: frames that were read are processed, and the output is closed. May be called from any thread.
  public func stop() { pipeline.stop() }

  /// Runs to the end of the input, or until stopped; once. Blocks the calling thread: use `run` where the caller can wait
  /// asynchronously.
  ///
  /// - Parameter onFrame: called with each frame's annotations, in the frames' order, on a thread of the run, which waits for it.
  /// - Throws: the first `VStreamError` of any stage; what was written before is closed and playable.
  public func runBlocking(
    _ onFrame: @escaping @Sendable (FrameAnnotations) -> Void
  ) throws(VStreamError) -> Summary {
    try runBlocking { annotations, _ in onFrame(annotations) }
  }

  private func runBlocking(
    _ onFrame: @escaping @Sendable (FrameAnnotations, VideoFrame) -> Void
  ) throws(VStreamError) -> Summary {
    do {
      return Summary(try pipeline.run(onFrame: onFrame))
    } catch {
      throw VStreamError(any: error)
    }
  }

  /// Runs to the end of the input, or until stopped; once. Cancelling the task stops it.
  ///
  /// - Parameter onFrame: called with each frame's annotations, in the frames' order, on a thread of the run, which waits for it.
  /// - Throws: the first `VStreamError` of any stage; what was written before is closed and playable.
  public func run(_ onFrame: @escaping @Sendable (FrameAnnotations) -> Void) async throws(VStreamError) -> Summary {
    let result = await withTaskCancellationHandler {
      do throws(VStreamError) {
        return Result<Summary, VStreamError>.success(
          try await thread.run { (_) throws(VStreamError) in try self.runBlocking(onFrame) })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      stop()
    }
    return try result.get()
  }

  /// Starts the run, whose frames the relay gets.
  func start(_ relay: Relay<Frame>) {
    let (pipeline, providesImages) = (self, providesImages)
    Task {
      do throws(VStreamError) {
        _ = try await thread.run { (_) throws(VStreamError) in
          try pipeline.runBlocking { annotations, image in
            relay.put(Frame(annotations: annotations, image: providesImages ? image : nil))
          }
        }
        relay.finish(.success(()))
      } catch {
        relay.finish(.failure(error))
      }
    }
  }
}

extension VideoPipeline.Options {
  /// The configuration of the run.
  func configuration(input: String) throws(VStreamError) -> PipelineConfiguration {
    var configuration = PipelineConfiguration(
      input: MediaInput(input), fontPath: fontPath ?? LabelFont.path,
      threads: threads ?? PipelineConfiguration.processorCount)
    if let objects {
      let tracking = try objects.trackerOptions()
      configuration.detectors.append(
        .objects(
          model: try ModelCatalogue.objectModelPath(objects.model), classes: objects.classes,
          tracking: tracking, passes: detectEvery > 1 ? nil : objects.accuracy?.passes,
          isTiled: objects.accuracy == .accurate, device: objects.device))
      configuration.tracker = objects.tracking
      configuration.objectScore = tracking.minimumScore
      configuration.maximumObjects = objects.limit
      if objects.shouldEnableCategories {
        _ = try ModelCatalogue.efficientNetLite3.requirePath()
        configuration.categories = { try CategoryClassifier(CategoryModel(device: objects.device)) }
      }
    }
    if let faces { configuration.detectors.append(.faces(faces, device: objects?.device ?? "CPU")) }
    if let poses { configuration.detectors.append(.poses(poses, device: objects?.device ?? "CPU")) }
    configuration.mode = mode
    configuration.detectEvery = .every(max(1, detectEvery))
    configuration.isRealtime = isRealtime
    configuration.reconnectSeconds = reconnectSeconds
    configuration.records = records
    configuration.overwritesFiles = overwritesOutput
    let written = records + [output].compactMap { $0.map { MediaInput($0).location } }.filter { $0 != "-" }
    try WrittenPaths.check(written, reading: [MediaInput(input).location])
    for path in records.filter({ $0 != "-" }) where try !FileCheck.isSpecial(path) {
      try FileCheck.requireCreatable(path, overwrite: overwritesOutput)
    }
    guard let output else { return configuration }
    let destination = try OutputDestination(output, overwrite: overwritesOutput)
    let encoder = EncoderSettings(codec: destination.defaultEncoder, threads: threads ?? 0)
    configuration.output = PipelineOutput(
      destination: destination, codec: try VideoCodec(encoder: encoder.codec), encoder: encoder)
    return configuration
  }
}

extension VideoPipeline.Summary {
  init(_ result: PipelineResult) {
    frames = result.statistics.counts.framesOut
    framesDetected = result.statistics.counts.framesDetected
    countsByLabel = result.tracksByLabel
    warnings = result.warnings.map(\.description)
    wasStopped = result.wasStopped
  }
}
