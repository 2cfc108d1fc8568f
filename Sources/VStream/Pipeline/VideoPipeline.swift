public import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
public import VStreamScene
internal import VStreamSystem

/// A whole run: frames out of a file, camera or stream, what is found in each handed to a callback, and, if there is an
/// output, drawn and coded.
///
///     let pipeline = try VideoPipeline(input: "/dev/video0")
///     try await pipeline.run { frame in
///       for object in frame.found.objects ?? [] { print(frame.time.seconds, object.id ?? 0, object.label, object.box) }
///     }
///
/// Files are looked at frame by frame; of live inputs the callback hears of every frame in time, with predicted places where
/// the detectors are too slow (`FrameAnnotations.source`).
public final class VideoPipeline: Sendable {
  /// What is looked for, and what becomes of it.
  public struct Options: Sendable {
    /// `nil`: no objects are looked for. The running mode is the pipeline's, and so are the threads; each object says what it
    /// is.
    public var objects: ObjectDetectorOptions? = ObjectDetectorOptions()
    /// `nil`: no faces are looked for. The running mode is the pipeline's.
    public var faces: FaceDetectorOptions?
    /// `nil`: no poses are looked for. The running mode is the pipeline's.
    public var poses: PoseDetectorOptions?
    /// Where annotated video goes, a file or URL; `nil`: nowhere, nothing is drawn or coded.
    public var output: String?
    /// Whether an output that exists is replaced.
    public var overwritesOutput = false
    /// Files that records are written to: `.jsonl`, `.csv`, ….
    public var records: [String] = []
    /// `nil`: photos are single images, all else is a stream.
    public var mode: DetectionMode?
    /// Every so many frames are looked at; those between are predicted.
    public var detectEvery = 1
    /// Whether a file comes at its own pace, and is treated as live.
    public var isRealtime = false
    /// Seconds for which a live input that is lost is tried anew; 0 for not at all.
    public var reconnectSeconds = 0.0
    /// Threads to use in all; `nil` for as many as there are processors.
    public var threads: Int?
    /// The font of labels; `nil` for the usual one.
    public var fontPath: String?

    /// Objects in every frame, and no output.
    public init() {}
  }

  /// What a run leaves.
  public struct Summary: Hashable, Sendable {
    /// Frames that the callback was told of.
    public let frames: Int
    /// Those of them that were looked at in time; the others' places are predicted.
    public let framesDetected: Int
    /// How many objects, faces and poses had IDs, by label; of single images, how many were found.
    public let countsByLabel: [String: Int]
    /// What could be worked around, one line each.
    public let warnings: [String]
    /// Whether `stop` ended it before its input did.
    public let wasStopped: Bool
  }

  private let pipeline: Pipeline
  private let thread = DedicatedThread("pipeline", ())

  /// - Parameters:
  ///   - input: a file's path, a URL, a camera (`/dev/video0`), or `-` for standard input.
  ///   - options: what is looked for, and what becomes of it.
  /// - Throws: `VStreamError`: `cannotCreateOutput` if the output exists or cannot be made; `usage` for what cannot be meant.
  public init(input: String, options: Options = Options()) throws(VStreamError) {
    pipeline = Pipeline(try options.configuration(input: input))
  }

  /// Has the run end early: what was read is drained, and the output closed. From any thread.
  public func stop() { pipeline.stop() }

  /// Runs to the end of the input, or until stopped; once.
  ///
  /// Blocks the calling thread; where that is one of Swift's own, use the asynchronous one.
  /// - Parameter onFrame: told of each frame in its order, on a thread of the run's, which waits for it.
  /// - Throws: the first `VStreamError` of any part; what was written before is closed and playable.
  public func run(_ onFrame: @escaping @Sendable (FrameAnnotations) -> Void) throws(VStreamError) -> Summary {
    do {
      return Summary(try pipeline.run(onFrame: onFrame))
    } catch {
      throw VStreamError(any: error)
    }
  }

  /// Runs to the end of the input, or until stopped, on threads of its own; once. Cancelling the task stops it.
  ///
  /// - Parameter onFrame: told of each frame in its order, on a thread of the run's, which waits for it.
  /// - Throws: the first `VStreamError` of any part; what was written before is closed and playable.
  public func run(_ onFrame: @escaping @Sendable (FrameAnnotations) -> Void) async throws(VStreamError) -> Summary {
    let result = await withTaskCancellationHandler {
      do throws(VStreamError) {
        return Result<Summary, VStreamError>.success(
          try await thread.run { (_) throws(VStreamError) in try self.run(onFrame) })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      stop()
    }
    return try result.get()
  }
}

extension VideoPipeline.Options {
  /// All that a pipeline needs to know.
  func configuration(input: String) throws(VStreamError) -> PipelineConfiguration {
    var configuration = PipelineConfiguration(
      input: MediaInput(input), fontPath: fontPath ?? LabelFont.path,
      threads: threads ?? PipelineConfiguration.processorCount)
    if let objects {
      configuration.detectors.append(
        .objects(
          model: try ModelCatalogue.objectModelPath(objects.model), classes: objects.classes,
          minimumScore: objects.tracking.minimumScore, isTiled: objects.isAccurate, device: objects.device))
      configuration.tracker = objects.tracking
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
    for path in records where try !FileCheck.isSpecial(path) {
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
