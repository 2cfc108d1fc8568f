/// The pauses between attempts to reach something that is not there: each is twice the one before, up to a limit, and by chance
/// somewhat longer or shorter, so that many that were lost together do not return at the same moment.
struct RetryDelay: Sendable {
  private let first: Double
  private let longest: Double
  private var next: Double

  /// The fraction by which a pause is longer or shorter at most.
  private static let jitter = 0.2

  /// - Parameters:
  ///   - first: seconds of the first pause.
  ///   - longest: seconds of the longest one, before chance.
  init(first: Double, longest: Double) {
    self.first = first
    self.longest = longest
    next = first
  }

  /// The next pause in seconds.
  mutating func take(using generator: inout some RandomNumberGenerator) -> Double {
    defer { next = min(2 * next, longest) }
    return next * Double.random(in: 1 - Self.jitter...1 + Self.jitter, using: &generator)
  }

  mutating func take() -> Double {
    var generator = SystemRandomNumberGenerator()
    return take(using: &generator)
  }

  /// Starts again with the first pause.
  mutating func reset() { next = first }
}
