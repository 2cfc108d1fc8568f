internal import Dispatch
internal import Synchronization
package import VStreamCore

/// A value that one caller at a time may use, for calls that are too long for Swift's cooperative threads: an asynchronous
/// call runs on a serial Dispatch queue of its own, which may block.
///
/// Calls are served in their order.
package final class DedicatedThread<State>: Sendable {
  private let state: Mutex<State>
  private let queue: DispatchQueue

  package init(_ name: String, _ state: sending State) {
    self.state = Mutex(state)
    queue = DispatchQueue(label: "vstream.\(name)")
  }

  /// Runs `body` on the calling thread, after all earlier calls. Blocks the calling thread.
  package func runHere<R: Sendable>(
    _ body: @Sendable (inout State) throws(VStreamError) -> R
  ) throws(VStreamError) -> R {
    try queue.sync { result(of: body) }.get()
  }

  /// Runs `body` on the queue, after all earlier calls.
  package func run<R: Sendable>(
    _ body: @escaping @Sendable (inout State) throws(VStreamError) -> R
  ) async throws(VStreamError) -> R {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.result(of: body)) }
    }
    return try result.get()
  }

  /// Runs `body` as `run` does, unless the task is cancelled before its turn.
  ///
  /// - Throws: `CancellationError` if it is; else the `VStreamError` of `body`.
  package func runUnlessCancelled<R: Sendable>(
    _ body: @escaping @Sendable (inout State) throws(VStreamError) -> R
  ) async throws -> R {
    try Task.checkCancellation()
    let isCancelled = Monitor(false)
    let result = try await withTaskCancellationHandler {
      try await run { (state) throws(VStreamError) -> R? in
        if isCancelled.read({ $0 }) { return nil }
        return try body(&state)
      }
    } onCancel: {
      isCancelled.update { $0 = true }
    }
    guard let result else { throw CancellationError() }
    return result
  }

  private func result<R: Sendable>(
    of body: @Sendable (inout State) throws(VStreamError) -> R
  ) -> Result<R, VStreamError> {
    state.withLock { state in
      do throws(VStreamError) {
        return .success(try body(&state))
      } catch {
        return .failure(error)
      }
    }
  }
}
