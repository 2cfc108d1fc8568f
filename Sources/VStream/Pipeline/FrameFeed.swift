internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline

/// Takes the frames of an asynchronous sequence for a run: the next one when the run has read the one before.
final class FrameFeed: Sendable {
  private let relay: Relay<VideoFrame>
  private let begin: @Sendable () -> Task<Void, Never>
  private let task = Monitor<Task<Void, Never>?>(nil)

  init<Frames: AsyncSequence & Sendable>(_ frames: Frames) where Frames.Element == VideoFrame {
    let relay = Relay<VideoFrame>()
    self.relay = relay
    begin = {
      Task {
        do {
          for try await frame in frames {
            await relay.send(frame)
            try Task.checkCancellation()
          }
          relay.finish(.success(()))
        } catch {
          relay.finish(.failure(VStreamError(any: error)))
        }
      }
    }
  }

  /// The next frame; `nil` at the end. Blocks the calling thread.
  ///
  /// - Throws: the error of the sequence, as `VStreamError.cause`.
  func next() throws(VStreamError) -> VideoFrame? {
    task.update { $0 = $0 ?? begin() }
    return try relay.waitForNext().get()
  }

  /// Ends the frames, and the sequence's task.
  func end() {
    // First, so that an error of the cancelled sequence is ignored.
    relay.finish(.success(()))
    relay.cancel()
    task.read { $0 }?.cancel()
  }
}
