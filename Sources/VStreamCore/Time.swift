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
///
/// Times of different bases are equal if they are the same moment.
public struct Time: Sendable, Codable {
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

extension Time: Hashable, Comparable, CustomStringConvertible {
  /// The seconds as a fraction, whose denominator is positive.
  private var fraction: (numerator: Int128, denominator: Int128) {
    let sign: Int128 = base.denominator < 0 ? -1 : 1
    return (sign * Int128(ticks) * Int128(base.numerator), sign * Int128(base.denominator))
  }

  public static func < (one: Time, other: Time) -> Bool {
    let (one, other) = (one.fraction, other.fraction)
    return one.numerator * other.denominator < other.numerator * one.denominator
  }

  public static func == (one: Time, other: Time) -> Bool {
    let (one, other) = (one.fraction, other.fraction)
    return one.numerator * other.denominator == other.numerator * one.denominator
  }

  public func hash(into hasher: inout Hasher) {
    let (numerator, denominator) = fraction
    var (divisor, rest) = (denominator, numerator.magnitude)
    while rest != 0 { (divisor, rest) = (Int128(rest), divisor.magnitude % rest) }
    hasher.combine(numerator / divisor)
    hasher.combine(denominator / divisor)
  }

  /// `1.04 s`
  public var description: String { "\(seconds) s" }
}

/// Equal cells of stream time, from the stream's zero on.
///
/// Detectors that keep a state start afresh where a cell of a file begins. So their detections in a cell depend on the frames of
/// that cell alone, and a part of a file that consists of whole cells can be detected on another machine.
package struct TimeGrid: Hashable, Sendable {
  /// The length of a cell in seconds; positive.
  package let seconds: Int

  package init(seconds: Int) { self.seconds = max(1, seconds) }

  /// The grid of all files.
  package static let files = TimeGrid(seconds: 30)

  /// The number of the cell that a time lies in; negative before the stream's zero. Exact for every time base.
  package func cell(of time: Time) -> Int64 {
    let (length, numerator) = (Int128(time.base.denominator) * Int128(seconds), Int128(time.base.numerator))
    // A negative base would be no base; its sign goes to the numerator.
    let sign: Int128 = length < 0 ? -1 : 1
    return Int64(clamping: Self.floor(Int128(time.ticks) * numerator * sign, length * sign))
  }

  /// The first tick of a cell.
  package func firstTick(of cell: Int64, in base: Rational) -> Int64 {
    let (length, numerator) = (Int128(base.denominator) * Int128(seconds), Int128(base.numerator))
    guard numerator != 0 else { return 0 }
    let sign: Int128 = numerator < 0 ? -1 : 1
    return Int64(clamping: -Self.floor(-Int128(cell) * length * sign, numerator * sign))
  }

  private static func floor(_ dividend: Int128, _ divisor: Int128) -> Int128 {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Duration {
  /// In seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
