import Testing
import VStreamCore

@testable import VStreamMedia

/// Timecodes of later frames.
struct TimecodeTests {
  @Test(arguments: [
    ("01:00:00:00", 25, 1, 1.0, "01:00:01:00"), ("01:00:00:24", 25, 1, 0.04, "01:00:01:00"),
    ("00:00:59;29", 30_000, 1001, 1001.0 / 30_000, "00:01:00;02"), ("23:59:59:24", 25, 1, 0.04, "24:00:00:00"),
    ("not a timecode", 25, 1, 1.0, "not a timecode"),
  ])
  func `a timecode counts the frames up to a later one`(
    text: String, numerator: Int32, denominator: Int32, seconds: Double, expected: String
  ) {
    let tags = Timecode.advanced(
      ["timecode": text, "title": "01:00:00:00"], by: seconds, rate: Rational(numerator, denominator))
    #expect(tags == ["timecode": expected, "title": "01:00:00:00"])
  }

  @Test func `without a rate it stays`() {
    #expect(Timecode.advanced(["timecode": "01:00:00:00"], by: 5, rate: nil) == ["timecode": "01:00:00:00"])
  }

  @Test(arguments: [
    ("01:00:00:12", (25, 1), (50, 1), "01:00:00:24"), ("01:00:00:49", (50, 1), (25, 1), "01:00:00:24"),
    ("01:00:00:12", (25, 1), (25, 1), "01:00:00:12"), ("00:01:00;02", (30_000, 1001), (60_000, 1001), "00:01:00;04"),
    ("00:01:00;20", (30_000, 1001), (25, 1), "00:01:00:16"), ("00:01:00:20", (30, 1), (30_000, 1001), "00:01:00:20"),
    ("01:00:00:00", (25, 1), (120, 1), "01:00:00:00"), ("01:00:00:24", (25, 1), (120, 1), "01:00:00:115"),
    ("no timecode", (25, 1), (50, 1), "no timecode"), ("01:00:00:25", (25, 1), (50, 1), "01:00:00:25"),
    ("00:00:00:999999999999999999", (25, 1), (50, 1), "00:00:00:999999999999999999"),
  ])
  func `a timecode at another frame rate names the same time`(
    text: String, rate: (Int32, Int32), other: (Int32, Int32), expected: String
  ) {
    let (rate, other) = (Rational(rate.0, rate.1), Rational(other.0, other.1))
    #expect(Timecode.converted(text, from: rate, to: other) == expected)
  }

  @Test func `a timecode stays where a frame rate is unknown`() {
    #expect(Timecode.converted("01:00:00:12", from: nil, to: Rational(50, 1)) == "01:00:00:12")
    #expect(Timecode.converted("01:00:00:12", from: Rational(25, 1), to: nil) == "01:00:00:12")
  }
}
