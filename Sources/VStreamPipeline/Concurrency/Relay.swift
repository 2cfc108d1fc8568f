internal import Dispatch
package import VStreamCore

/// Hands elements from a thread to an asynchronous reader, or the other way, one at a time: the maker waits until each is taken.
package final class Relay<Element: Sendable>: Sendable {
  private struct Contents: Sendable {
    /// Made and not yet taken.
    var element: Element?
    /// Whether elements are discarded, since nobody takes them.
    var isCancelled = false
    /// How the maker ended; `nil` while it runs.
    var end: Result<Void, VStreamError>?
  }

  private let contents = Monitor(Contents())
  /// On which the reader waits.
  private let queue = DispatchQueue(label: "vstream.relay")

  package init() {}

  /// Waits until the last element has been taken, and gives this one to the reader.
  package func put(_ element: Element) {
    _ = contents.wait { contents -> Bool? in
      if contents.isCancelled { return true }
      guard contents.element == nil else { return nil }
      contents.element = element
      return true
    }
  }

  /// Gives an element to a thread, as `put` does.
  package func send(_ element: Element) async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.put(element)
        continuation.resume()
      }
    }
  }

  /// Ends the elements, successfully or with an error, unless they have ended.
  package func finish(_ result: Result<Void, VStreamError>) { contents.update { $0.end = $0.end ?? result } }

  /// Discards the elements from now on.
  package func cancel() {
    contents.update { contents in
      contents.isCancelled = true
      contents.element = nil
    }
  }

  /// The next element; after the last one `nil`, or the error that the maker ended with.
  ///
  /// - Throws: `VStreamError`.
  package func next() async throws(VStreamError) -> Element? {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.waitForNext()) }
    }
    return try result.get()
  }

  /// The next element, as `next` gives it; blocks the calling thread.
  package func waitForNext() -> Result<Element?, VStreamError> {
    contents.wait { contents -> Result<Element?, VStreamError>? in
      if let element = contents.element {
        contents.element = nil
        return .success(element)
      }
      return contents.end.map { $0.map { nil } }
    } ?? .success(nil)
  }
}
