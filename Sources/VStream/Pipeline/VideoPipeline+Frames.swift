public import VStreamCore
public import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting

extension VideoPipeline {
  /// A frame of a run with its detections.
  public struct Frame: Sendable {
    /// Its number among the decoded frames, from 0; dropped frames count.
    public let index: Int
    /// On the input's timeline.
    public let time: Time
    /// In pixels, upright. Coordinates count from its top left corner.
    public let size: PixelSize
    /// The detections, by kind.
    public let found: Detections
    /// Whether detectors did not run on it, so that all boxes are predictions of the trackers.
    public let isPredicted: Bool
    /// The events of tracks: confirmed, lost, recovered, ….
    public let events: [TrackEvent]
    /// The counts of zones and lines up to this frame; `nil` without any.
    public let counts: RegionCounts?
    /// Its pixels, upright, before anything is drawn or redacted; `nil` unless `Options.providesImages`.
    public let image: VideoFrame?

    /// The objects, by descending score, with IDs in streams.
    public var objects: [DetectedObject] { found.objects ?? [] }
    /// The faces, as `objects`.
    public var faces: [DetectedFace] { found.faces ?? [] }
    /// The poses, as `objects`.
    public var poses: [DetectedPose] { found.poses ?? [] }
    /// The kinds that are detected in this run: of the others the lists are empty.
    public var searched: Set<DetectionKind> { Set(DetectionKind.allCases.filter { found.includes($0) }) }
    /// The number of its shot, from 0: cuts lie between shots, and no ID goes on in another one.
    public var shot: Int { found.shot }
    /// The frame in the form of records, which is `Codable`.
    public var annotations: FrameAnnotations {
      FrameAnnotations(frame: index, time: time, source: isPredicted ? .predicted : .detected, found: found)
    }

    init(_ record: FrameRecord, size: PixelSize, image: VideoFrame? = nil) {
      let annotations = record.annotations
      (index, time, self.size) = (annotations.frame, annotations.time, size)
      (found, isPredicted) = (annotations.found, annotations.source == .predicted)
      (events, counts, self.image) = (record.events, record.counts, image)
    }
  }

  /// The frames of a run, which begins with the first of them, and waits until each is taken.
  ///
  ///     for try await frame in pipeline.frames {
  ///       print(frame.time.seconds, frame.objects)
  ///     }
  ///
  /// A loop that is left ends the run; await `summary` before the program ends, so that the output is closed. Cancelling its
  /// task ends the run too, and throws `CancellationError` as soon as the output is closed. Errors are `VStreamError`; the
  /// output so far is closed and playable.
  public var frames: Frames { Frames(pipeline: self) }

  /// See `VideoPipeline.frames`.
  public struct Frames: AsyncSequence, Sendable {
    public typealias Element = Frame
    let pipeline: VideoPipeline

    public func makeAsyncIterator() -> Iterator { Iterator(pipeline) }

    /// Starts the run when it is asked for the first frame, and ends it when it is released.
    public final class Iterator: AsyncIteratorProtocol {
      private let pipeline: VideoPipeline
      private let relay = Relay<Frame>()
      private var hasStarted = false

      init(_ pipeline: VideoPipeline) { self.pipeline = pipeline }

      deinit { end() }

      /// Ends the run, unless another iterator has it.
      func end() {
        guard hasStarted else { return }
        pipeline.stop()
        relay.cancel()
      }

      /// - Throws: `CancellationError` if the task was cancelled; `VStreamError` if a stage failed.
      public func next() async throws -> Frame? { try await next(isolation: nil) }

      /// As `next()`, for callers on an actor.
      public func next(isolation: isolated (any Actor)?) async throws -> Frame? {
        try start()
        let (pipeline, relay) = (pipeline, relay)
        let frame = try await withTaskCancellationHandler {
          try await relay.next()
        } onCancel: {
          pipeline.stop()
          relay.cancel()
        }
        if frame == nil { try Task.checkCancellation() }
        return frame
      }

      /// Starts the run, unless it has.
      ///
      /// - Throws: `VStreamError.usage` if another one has.
      func start() throws {
        guard !hasStarted else { return }
        try pipeline.start(relay)
        hasStarted = true
      }
    }
  }
}
