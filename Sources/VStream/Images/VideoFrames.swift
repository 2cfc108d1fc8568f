internal import VStreamCore
public import VStreamMedia
internal import VStreamPipeline

public import struct FoundationEssentials.URL

/// The decoded frames of a file, camera or stream: upright, in their order, each with its time.
///
///     for try await frame in VideoFrames(contentsOf: "street.mp4") { print(frame.time, frame.size) }
///
/// A frame is decoded when it is asked for, or just before. A loop that is left, or whose task is cancelled, closes the input;
/// cancellation throws `CancellationError`. Errors are `VStreamError`: `inputNotFound`, `unreadableInput`. Frames of live inputs
/// that are not taken wait in the system's buffers: see `ImageDetector.results(for:late:)`.
public struct VideoFrames: AsyncSequence, Sendable {
  public typealias Element = VideoFrame
  private let location: String

  /// - Parameter location: a file's path, a URL, a camera (`/dev/video0`), or `-` for standard input.
  public init(contentsOf location: String) { self.location = location }

  /// - Parameter url: of a file, or of a stream that FFmpeg can read.
  public init(contentsOf url: URL) { self.init(contentsOf: url.location) }

  public func makeAsyncIterator() -> Iterator { Iterator(location) }

  /// Opens the input when it is asked for the first frame, and closes it when it is released.
  public final class Iterator: AsyncIteratorProtocol {
    private let location: String
    private let relay = Relay<VideoFrame>()
    private let interrupt = Interrupt()
    private var hasStarted = false

    fileprivate init(_ location: String) { self.location = location }

    deinit { Self.end(relay, interrupt) }

    /// - Throws: `CancellationError` if the task was cancelled; `VStreamError`.
    public func next() async throws -> VideoFrame? {
      if !hasStarted { start() }
      let (relay, interrupt) = (relay, interrupt)
      let frame = try await withTaskCancellationHandler {
        do {
          return try await relay.next()
        } catch {
          try Task.checkCancellation()
          throw error
        }
      } onCancel: {
        Self.end(relay, interrupt)
      }
      if frame == nil { try Task.checkCancellation() }
      return frame
    }

    private static func end(_ relay: Relay<VideoFrame>, _ interrupt: Interrupt) {
      interrupt.trigger()
      relay.cancel()
    }

    private func start() {
      hasStarted = true
      let (location, relay, interrupt) = (location, relay, interrupt)
      SystemThread.start {
        do throws(VStreamError) {
          try DecodedFrames.read(MediaInput(location), interrupt: interrupt) { (frame) throws(VStreamError) in
            relay.put(frame)
            return !interrupt.wasTriggered
          }
          relay.finish(.success(()))
        } catch {
          relay.finish(.failure(error))
        }
      }
    }
  }
}
