internal import Dispatch

/// Work that may block, apart from the event loops of the connections.
enum BackgroundWork {
  private static let queue = DispatchQueue(label: "vstream.serve.work", attributes: .concurrent)

  static func run(_ work: @escaping @Sendable () -> Void) { queue.async { work() } }
}
