public import VStreamCore
internal import VStreamDetection
internal import VStreamInference
internal import VStreamMedia
internal import VStreamOverlay
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

public import struct FoundationEssentials.URL

/// A run from an input to its annotations: reads the frames of a file, camera, stream or sequence, passes each with its
/// detections to a callback, and, if there is an output, draws them and encodes the video.
///
///     let pipeline = try VideoPipeline(input: "/dev/video0")
///     try await pipeline.run { frame in
///       for object in frame.objects { print(frame.time.seconds, object.id ?? 0, object.label, object.box) }
///     }
///
/// Of files, each frame waits for its detections: faces and poses are searched for on every frame, objects as often as
/// `ObjectDetectorOptions.accuracy` says. For live inputs the callback gets every frame in time, with predicted tracks where
/// the detectors are too slow (`Frame.isPredicted`).
public final class VideoPipeline: Sendable {
  /// The result of a run.
  public struct Summary: Hashable, Sendable, Codable {
    /// Frames that were passed to the callback.
    public let frames: Int
    /// Frames with detections; the others have predicted tracks.
    public let framesDetected: Int
    /// Number of tracks by label; for single images, of detections.
    public let countsByLabel: [String: Int]
    /// The counts of zones and lines; `nil` without any.
    public let counts: RegionCounts?
    /// The number of frames with redaction; `nil` without it.
    public let framesRedacted: Int?
    /// Problems that did not end the run, one line each.
    public let warnings: [String]
    /// Whether the run was stopped before its input ended.
    public let wasStopped: Bool
    /// The file that was written: of a run that was stopped before the end of a file it has `.part` after its name, and plays;
    /// `nil` without one.
    public let outputURL: URL?
  }

  private let pipeline: Pipeline
  private let outcome = Monitor<Outcome>(.none)

  /// How a run ended.
  private enum Outcome {
    /// It has not been started.
    case none
    case running
    case ended(Result<Summary, VStreamError>)
  }
  private let providesImages: Bool
  /// The file of the output; `nil` without one.
  private let output: URL?
  /// `nil` for inputs that are read.
  private let feed: FrameFeed?

  /// - Parameters:
  ///   - input: a file's path, a URL, a camera (`/dev/video0`), or `-` for standard input.
  ///   - output: the path or URL of the annotated video; `nil` for that of the options.
  ///   - options: the detection settings, and the paths of results.
  /// - Throws: `VStreamError`: `cannotCreateOutput` if the output exists or cannot be made; `usage` for invalid options.
  public convenience init(
    input: String, output: String? = nil, options: Options = Options()
  ) throws(VStreamError) {
    try self.init(MediaInput(input), output, options)
  }

  /// - Parameters:
  ///   - input: of a file, or of a stream that FFmpeg can read.
  ///   - output: of the annotated video; `nil` for that of the options.
  ///   - options: the detection settings, and the paths of results.
  /// - Throws: as `init(input:output:options:)`.
  public convenience init(input: URL, output: URL? = nil, options: Options = Options()) throws(VStreamError) {
    try self.init(input: input.location, output: output?.location, options: options)
  }

  /// A run over frames of your own: of a camera's interface, a decoder, or made by the program.
  ///
  /// A frame is asked for when the run has read the one before, so that a sequence that makes frames waits for the detectors. One
  /// that cannot wait drops frames itself, as `AsyncStream` does with `bufferingNewest`.
  ///
  /// - Parameters:
  ///   - frames: upright, each with a later time than the one before. Frames of another size are scaled to that of
  ///     the first.
  ///   - output: the path or URL of the annotated video; `nil` for that of the options.
  ///   - options: the detection settings, and the paths of results.
  /// - Throws: as `init(input:output:options:)`. An error of the sequence ends the run; it is the `cause` of the run's error.
  public convenience init<Frames: AsyncSequence & Sendable>(
    frames: Frames, output: String? = nil, options: Options = Options()
  ) throws(VStreamError) where Frames.Element == VideoFrame {
    let feed = FrameFeed(frames)
    try self.init(MediaInput { () throws(VStreamError) in try feed.next() }, output, options, feed)
  }

  private init(
    _ input: MediaInput, _ output: String?, _ options: Options, _ feed: FrameFeed? = nil
  ) throws(VStreamError) {
    _ = DebugBuild.warning
    var options = options
    if let output { options.output = output }
    let configuration = try options.configuration(input: input)
    pipeline = Pipeline(configuration)
    providesImages = options.providesImages
    self.output = configuration.output.flatMap {
      $0.destination.isPipe || $0.destination.isLive ? nil : URL(filePath: $0.destination.location)
    }
    self.feed = feed
  }

  /// Ends the run early: frames that were read are processed, and the output is closed. May be called from any thread.
  public func stop() {
    pipeline.stop()
    feed?.end()
  }

  /// Runs to the end of the input, or until stopped; once. Blocks the calling thread: use `run` where the caller can wait
  /// asynchronously.
  ///
  /// - Parameter onFrame: called with each frame, in their order, on a thread of the run, which waits for it.
  /// - Throws: the first `VStreamError` of any stage; the output so far is closed and playable.
  public func runBlocking(
    _ onFrame: @escaping @Sendable (Frame) -> Void = { _ in }
  ) throws(VStreamError) -> Summary {
    try begin()
    return try runOnce(onFrame)
  }

  /// - Throws: `VStreamError.usage` if it runs, or has run.
  private func begin() throws(VStreamError) {
    let isFirst = outcome.update { outcome in
      guard case .none = outcome else { return false }
      outcome = .running
      return true
    }
    if !isFirst { throw VStreamError(.usage, "a pipeline runs once", remedy: "make another one for another run") }
  }

  private func runOnce(_ onFrame: @escaping @Sendable (Frame) -> Void) throws(VStreamError) -> Summary {
    let providesImages = providesImages
    let result = Result {
      Summary(
        try pipeline.run(onFrame: { record, image in
          onFrame(Frame(record, size: image.size, image: providesImages ? image : nil))
        }), output: output)
    }.mapError { VStreamError(any: $0) }
    feed?.end()
    outcome.update { $0 = .ended(result) }
    return try result.get()
  }

  /// The result of the run, which was started by `run`, `runBlocking` or the first of its `frames`. Waits until it has ended, when
  /// its output is closed.
  ///
  /// - Throws: the error that the run ended with; `usage` if it has not been started.
  public var summary: Summary {
    get async throws(VStreamError) {
      let outcome = outcome
      let ended = await withCheckedContinuation { continuation in
        SystemThread.start {
          let ended = outcome.wait { state -> Result<Summary, VStreamError>? in
            switch state {
            case .none:
              .failure(VStreamError(.usage, "the pipeline has not been run", remedy: "call run, or take its frames"))
            case .running: nil
            case .ended(let result): result
            }
          }
          continuation.resume(
            returning: ended ?? .failure(VStreamError(.library, "the end of the run is not known")))
        }
      }
      return try ended.get()
    }
  }

  /// Runs to the end of the input, or until stopped; once.
  ///
  /// - Parameters:
  ///   - isolation: the actor of the caller, which `onFrame` may use.
  ///   - onFrame: called with each frame, in their order; the run waits for it.
  /// - Throws: the error of `onFrame`, or `CancellationError` if the task was cancelled; `summary` is the result then. Otherwise the
  ///   first `VStreamError` of any stage. The output so far is closed and playable.
  public func run(
    isolation: isolated (any Actor)? = #isolation, _ onFrame: (Frame) async throws -> Void = { _ in }
  ) async throws -> Summary {
    let iterator = frames.makeAsyncIterator()
    try iterator.start()
    do {
      while let frame = try await iterator.next(isolation: isolation) { try await onFrame(frame) }
      return try await summary
    } catch {
      iterator.end()
      _ = try? await summary
      throw error
    }
  }

  /// Starts the run, whose frames the relay gets.
  ///
  /// - Throws: `VStreamError.usage` if it runs, or has run.
  func start(_ relay: Relay<Frame>) throws(VStreamError) {
    try begin()
    let pipeline = self
    SystemThread.start {
      do throws(VStreamError) {
        _ = try pipeline.runOnce { relay.put($0) }
        relay.finish(.success(()))
      } catch {
        relay.finish(.failure(error))
      }
    }
  }
}

extension VideoPipeline.Summary {
  init(_ result: PipelineResult, output: URL?) {
    frames = result.statistics.counts.framesOut
    framesDetected = result.statistics.counts.framesDetected
    countsByLabel = result.tracksByLabel
    counts = result.counted
    framesRedacted = result.framesRedacted
    warnings = result.warnings.map(\.description)
    wasStopped = result.wasStopped
    let written = result.incompletePath ?? output?.path(percentEncoded: false)
    outputURL = written.flatMap { FileCheck.exists($0) ? URL(filePath: $0) : nil }
  }
}

extension URL {
  /// The path of a file, or the whole URL.
  var location: String { isFileURL ? path(percentEncoded: false) : absoluteString }
}
