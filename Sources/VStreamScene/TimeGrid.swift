/// Equal cells of stream time, from the stream's zero on.
///
/// Detectors that keep a state start afresh where a cell of a file begins. So what they detect in a cell depends on the frames
/// of that cell alone, and a part of a file that consists of whole cells can be detected on another machine.
public struct TimeGrid: Hashable, Sendable {
  /// The length of a cell in seconds; positive.
  public let seconds: Int

  public init(seconds: Int) { self.seconds = max(1, seconds) }

  /// The grid of all files.
  public static let files = TimeGrid(seconds: 30)

  /// The number of the cell that a time lies in; negative before the stream's zero. Exact for every time base.
  public func cell(of time: Time) -> Int64 {
    let (length, numerator) = (Int128(time.base.denominator) * Int128(seconds), Int128(time.base.numerator))
    // A negative base would be no base; its sign goes to the numerator.
    let sign: Int128 = length < 0 ? -1 : 1
    return Int64(clamping: Self.floor(Int128(time.ticks) * numerator * sign, length * sign))
  }

  /// The first tick of a cell.
  public func firstTick(of cell: Int64, in base: Rational) -> Int64 {
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
