public import VStreamCore
public import VStreamMedia
internal import VStreamPipeline

extension VideoPipeline {
  /// A frame of a run.
  public struct Frame: Sendable {
    /// Its index, time and observations.
    public let annotations: FrameAnnotations
    /// Its pixels, upright, before anything is drawn or redacted; `nil` unless `Options.providesImages`.
    public let image: VideoFrame?
  }

  /// The frames of a run, which begins with the first of them, and waits until each is taken.
  ///
  ///     for try await frame in pipeline.frames {
  ///       print(frame.annotations.time.seconds, frame.annotations.found.objects ?? [])
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

      deinit {
        guard hasStarted else { return }
        pipeline.stop()
        relay.cancel()
      }

      /// - Throws: `CancellationError` if the task was cancelled; `VStreamError` if a stage failed.
      public func next() async throws -> Frame? {
        start()
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

      private func start() {
        guard !hasStarted else { return }
        hasStarted = true
        pipeline.start(relay)
      }
    }
  }
}
