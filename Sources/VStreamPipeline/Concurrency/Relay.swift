package import VStreamCore

/// Hands elements from a thread to an asynchronous reader, or the other way, one at a time: the maker waits until each is taken.
///
/// The asynchronous side blocks no thread: Dispatch has 255 at most.
package final class Relay<Element: Sendable>: Sendable {
  private struct Contents: Sendable {
    /// Made and not yet taken.
    var element: Element?
    /// Whether elements are discarded, since nobody takes them.
    var isCancelled = false
    /// How the maker ended; `nil` while it runs.
    var end: Result<Void, VStreamError>?
    /// The asynchronous sides that wait for the next change.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var changes = 0

    mutating func put(_ new: Element) -> Bool? {
      if isCancelled { return true }
      guard element == nil else { return nil }
      element = new
      return true
    }

    mutating func next() -> Result<Element?, VStreamError>? {
      if let taken = element {
        element = nil
        return .success(taken)
      }
      return end.map { $0.map { nil } }
    }
  }

  private let contents = Monitor(Contents())

  package init() {}

  /// Waits until the last element has been taken, and gives this one to the reader.
  package func put(_ element: Element) {
    _ = contents.wait { $0.put(element) }
    wake()
  }

  /// Gives an element to a thread, as `put` does.
  package func send(_ element: Element) async { _ = await waiting { $0.put(element) } }

  /// Ends the elements, successfully or with an error, unless they have ended.
  package func finish(_ result: Result<Void, VStreamError>) {
    contents.update { $0.end = $0.end ?? result }
    wake()
  }

  /// Discards the elements from now on.
  package func cancel() {
    contents.update { contents in
      contents.isCancelled = true
      contents.element = nil
    }
    wake()
  }

  /// The next element; after the last one `nil`, or the error that the maker ended with.
  ///
  /// - Throws: `VStreamError`.
  package func next() async throws(VStreamError) -> Element? { try await waiting { $0.next() }.get() }

  /// The next element, as `next` gives it; blocks the calling thread.
  package func waitForNext() -> Result<Element?, VStreamError> {
    defer { wake() }
    return contents.wait { $0.next() } ?? .success(nil)
  }

  /// Calls `attempt` now and after every change until it returns a result.
  private func waiting<R: Sendable>(_ attempt: @Sendable (inout Contents) -> R?) async -> R {
    while true {
      let (result, changes) = contents.update { (attempt(&$0), $0.changes) }
      if let result {
        wake()
        return result
      }
      await withCheckedContinuation { continuation in
        let hasChanged = contents.update { contents in
          guard contents.changes == changes else { return true }
          contents.waiting.append(continuation)
          return false
        }
        if hasChanged { continuation.resume() }
      }
    }
  }

  /// Notes a change, and wakes the asynchronous sides.
  private func wake() {
    let waiting = contents.update { contents in
      contents.changes += 1
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
