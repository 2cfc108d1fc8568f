/// How many searches for an object found it, recent ones counted more.
public struct SearchCount: Hashable, Sendable {
  private var found = 0.0
  private var total = 0.0

  /// The weight of a search in the count after the next one.
  private static let memory = 0.8
  /// The weight of what was expected before the first search.
  private static let expectedWeight = 1.0

  public init() {}

  mutating func add(wasFound: Bool) {
    found = Self.memory * found + (wasFound ? 1 : 0)
    total = Self.memory * total + 1
  }

  /// How often searches find it, 0 to 1.
  ///
  /// - Parameter expected: what is assumed before the first search.
  public func rate(expected: Double) -> Double {
    (found + Self.expectedWeight * expected) / (total + Self.expectedWeight)
  }
}
