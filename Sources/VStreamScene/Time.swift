/// A ratio of two integers, for time bases and frame rates. The denominator is never zero.
public struct Rational: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Above the line.
  public let numerator: Int32
  /// Below the line; not zero.
  public let denominator: Int32

  /// - Returns: `nil` if the denominator is zero.
  public init?(_ numerator: Int32, _ denominator: Int32) {
    guard denominator != 0 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  private init(unchecked numerator: Int32, _ denominator: Int32) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Parses `30000/1001`; `nil` unless both integers are positive.
  public init?(fraction: String) {
    let parts = fraction.split(separator: "/", omittingEmptySubsequences: false).compactMap { Int32($0) }
    guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
    self.init(unchecked: parts[0], parts[1])
  }

  /// 1/1000.
  public static let milliseconds = Rational(unchecked: 1, 1000)
  /// 1/1000000.
  public static let microseconds = Rational(unchecked: 1, 1_000_000)

  /// The numerator divided by the denominator.
  public var value: Double { Double(numerator) / Double(denominator) }

  /// `30000/1001`.
  public var description: String { "\(numerator)/\(denominator)" }
}

/// A time on a stream's own timeline: a whole number of ticks of the stream's time base.
public struct Time: Hashable, Sendable, Codable {
  /// Number of `base`.
  public var ticks: Int64
  /// Seconds per tick.
  public let base: Rational

  public init(ticks: Int64, base: Rational) {
    self.ticks = ticks
    self.base = base
  }

  /// The time in seconds; negative before the stream's zero.
  public var seconds: Double { Double(ticks) * Double(base.numerator) / Double(base.denominator) }
}
