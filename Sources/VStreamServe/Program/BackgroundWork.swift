internal import Dispatch

/// Work that may block, apart from the event loops of the connections.
enum BackgroundWork {
  enum Kind: Sendable {
    case reads
    /// Changes of the cameras or of their configuration: one at a time, in the order of their requests, so that the last one
    /// holds. Waiting changes occupy no thread.
    case changes
  }

  private static let reads = DispatchQueue(label: "vstream.serve.reads", attributes: .concurrent)
  private static let changes = DispatchQueue(label: "vstream.serve.changes")

  static func run(_ kind: Kind, _ work: @escaping @Sendable () -> Void) {
    switch kind {
    case .reads: reads.async { work() }
    case .changes: changes.async { work() }
    }
  }

  /// Runs a change after those before it, and waits for its result.
  static func runChange<Result>(_ work: () -> Result) -> Result { changes.sync(execute: work) }
}
