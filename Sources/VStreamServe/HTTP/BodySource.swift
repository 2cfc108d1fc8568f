internal import Synchronization
internal import VStreamCore

/// The next bytes of a response.
enum BodyPiece: Hashable, Sendable {
  case bytes([UInt8])
  /// There is nothing yet.
  case wait
  case end
}

/// A body that is made while it is sent.
protocol BodySource: Sendable {
  /// The next piece. May block.
  ///
  /// - Throws: `VStreamError` if the rest cannot be read; the connection is closed then.
  mutating func next() throws(VStreamError) -> BodyPiece
}

/// A body source that is passed from thread to thread.
final class StreamedBody: Sendable {
  private let source: Mutex<any BodySource>

  init(_ source: some BodySource) { self.source = Mutex(source) }

  func next() throws(VStreamError) -> BodyPiece {
    try source.withLock { source throws(VStreamError) in try source.next() }
  }
}
