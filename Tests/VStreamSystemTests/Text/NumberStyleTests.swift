import Foundation
import Testing
import VStreamSystem

/// A number, a style, and the text expected of them.
struct NumberRow: CustomTestStringConvertible, Sendable {
  let name: String
  let value: Double
  let style: NumberStyle
  let text: String

  init(_ name: String, _ value: Double, _ style: NumberStyle, _ text: String) {
    (self.name, self.value, self.style, self.text) = (name, value, style, text)
  }

  var testDescription: String { name }
}

struct NumberStyleTests {
  static let decimals = [
    NumberRow("zero", 0, .decimals(0...2), "0"),
    NumberRow("negative zero", -0.0, .decimals(1...2), "0.0"),
    NumberRow("rounds to zero from below", -0.004, .decimals(0...2), "0"),
    NumberRow("half away from zero", 0.125, .decimals(0...2), "0.13"),
    NumberRow("negative half away from zero", -0.125, .decimals(0...2), "-0.13"),
    NumberRow("below zero, no whole part", -0.5, .decimals(0...2), "-0.5"),
    NumberRow("the nearest double is below the half", 1.005, .decimals(0...2), "1"),
    NumberRow("zeros at the end", 2.50, .decimals(0...2), "2.5"),
    NumberRow("zero after the point is kept", 2.05, .decimals(0...2), "2.05"),
    NumberRow("carries into the whole part", 99.999, .decimals(0...2), "100"),
    NumberRow("at least one decimal", 7, .decimals(1...4), "7.0"),
    NumberRow("a fixed count", 7, .decimals(3), "7.000"),
    NumberRow("one decimal", 12.34, .decimals(1), "12.3"),
    NumberRow("no decimals", 12.5, .decimals(0), "13"),
    NumberRow("six decimals", 1.0 / 3, .decimals(1...6), "0.333333"),
    NumberRow("large", 123_456_789.125, .decimals(0...2), "123456789.13"),
    NumberRow("huge: as Swift writes it", 1e300, .decimals(0...2), "1e+300"),
    NumberRow("not a number", .nan, .decimals(0...2), "nan"),
    NumberRow("infinite", -.infinity, .decimals(1), "-inf"),
  ]

  static let others = [
    NumberRow("shortest: integer", 23, .shortest, "23"),
    NumberRow("shortest: negative zero", -0.0, .shortest, "0"),
    NumberRow("shortest: fraction", 23.976, .shortest, "23.976"),
    NumberRow("shortest: negative", -0.1, .shortest, "-0.1"),
    NumberRow("shortest: huge", 1e300, .shortest, "1e+300"),
    NumberRow("shortest: infinite", .infinity, .shortest, "inf"),
    NumberRow("measurement below 10", 2.345, .measurement, "2.35"),
    NumberRow("measurement: one decimal is kept", 3, .measurement, "3.0"),
    NumberRow("measurement at 10", 10, .measurement, "10.0"),
    NumberRow("measurement above 10", 235.15, .measurement, "235.2"),
    NumberRow("duration: rounds up", 0.2, .duration, "1 s"),
    NumberRow("duration: below a minute", 59, .duration, "59 s"),
    NumberRow("duration: rounds up to a minute", 59.1, .duration, "1 min 0 s"),
    NumberRow("duration: minutes", 200, .duration, "3 min 20 s"),
    NumberRow("duration: below an hour", 3599, .duration, "59 min 59 s"),
    NumberRow("duration: hours", 7530, .duration, "2 h 5 min"),
    NumberRow("duration: huge", 1e30, .duration, "2562047788015215 h 30 min"),
    NumberRow("clock: zero", 0, .clock, "00:00:00.000"),
    NumberRow("clock: before zero", -1, .clock, "00:00:00.000"),
    NumberRow("clock", 3723.4564, .clock, "01:02:03.456"),
    NumberRow("clock: rounds into the next hour", 3599.9996, .clock, "01:00:00.000"),
    NumberRow("clock: over a hundred hours", 360_000, .clock, "100:00:00.000"),
  ]

  @Test(arguments: decimals + others)
  func `a number is written in its style`(_ row: NumberRow) {
    #expect(row.value.formatted(row.style) == row.text)
  }

  @Test(arguments: [
    (0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (929_790, "929.8 kB"), (999_949, "999.9 kB"),
    (999_950, "1.0 MB"), (3_145_728, "3.1 MB"), (12_600_000_000, "12.6 GB"), (5_000_000_000_000_000, "5000.0 TB"),
    (.max, "9223372.0 TB"),
  ])
  func `byte counts are written in decimal units`(bytes: Int, text: String) {
    #expect(bytes.formatted(.bytes) == text)
  }

  @Test func `rounding agrees with the C library's for random numbers`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      // Eighths are exact, and three decimals hold them: no rounding, so no difference in rounding modes.
      let value = Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 8
      #expect(value.formatted(.decimals(3)) == String(format: "%.3f", value))
    }
  }

  @Test func `bytes are written as two digits each`() {
    #expect(Hexadecimal.text([0, 9, 10, 0x7F, 0xFF]) == "00090a7fff")
    #expect(Hexadecimal.text([]) == "")
  }
}
