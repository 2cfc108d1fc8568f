internal import CVStreamLibAV
public import VStreamScene

extension Rational {
  init?(_ rational: AVRational) { self.init(rational.num, rational.den) }
  var av: AVRational { AVRational(num: numerator, den: denominator) }

  /// A time in ticks of this base, rounded to nearest and limited to what can be added to another time.
  func ticks(seconds: Double) -> Int64 {
    let ticks = (seconds / value).rounded()
    if abs(ticks) < 9e18 { return Int64(ticks) }
    return ticks < 0 ? Int64.min / 2 : Int64.max / 2
  }

  /// The last tick of this base that is not after a time; a difference by rounding does not count.
  func ticks(atOrBefore seconds: Double) -> Int64 {
    let nearest = ticks(seconds: seconds)
    return Double(nearest) * value > seconds + 1e-6 ? nearest - 1 : nearest
  }
}

extension Int64 {
  /// The sum of two times in ticks, which a file may set to any value: saturated, and never `Int64.min`, which is
  /// libav's value for an unset time.
  func limitedSum(_ other: Int64) -> Int64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? (other > 0 ? Int64.max : -Int64.max) : Swift.max(sum, -Int64.max)
  }

  /// The difference of two times in ticks, saturated as `limitedSum`.
  func limitedDifference(_ other: Int64) -> Int64 { limitedSum(other == Int64.min ? Int64.max : -other) }
}

extension Time {
  /// The moment in ticks of another base, rounded to nearest.
  public func rescaled(to other: Rational) -> Time {
    Time(ticks: av_rescale_q(ticks, base.av, other.av), base: other)
  }
}
