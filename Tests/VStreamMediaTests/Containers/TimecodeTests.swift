import Testing
import VStreamScene

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
}
