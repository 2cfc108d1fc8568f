/// Measures how long the steps of a detection take.
public protocol StepTimer {
  /// Runs `body`, which computes the network's input from a frame.
  func sampling<R>(_ body: () throws -> R) rethrows -> R
  /// Runs `body`, which runs the network.
  func inferring<R>(_ body: () throws -> R) rethrows -> R
}

/// Measures nothing.
public struct UntimedSteps: StepTimer {
  public init() {}
  public func sampling<R>(_ body: () throws -> R) rethrows -> R { try body() }
  public func inferring<R>(_ body: () throws -> R) rethrows -> R { try body() }
}
