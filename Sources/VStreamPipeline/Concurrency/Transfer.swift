internal import Synchronization

/// Transfers a value that is not `Sendable` to another thread, once.
final class Transfer<Value>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: sending Value) { self.value = Mutex(value) }

  /// - Returns: `nil` if the value was taken before.
  func take() -> sending Value? {
    value.withLock { value in
      let taken = value
      value = nil
      return taken
    }
  }
}
