import Testing
import VStreamCore
import VStreamMedia

/// Times in ticks of another time base, rounded to the nearest tick.
struct TimeConversionTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let ticks: Int64
    let from: (Int32, Int32)
    let to: (Int32, Int32)
    let expected: Int64
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "the same base", ticks: 7, from: (1, 25), to: (1, 25), expected: 7),
    Row(name: "to a finer base", ticks: 3, from: (1, 10), to: (1, 90000), expected: 27000),
    Row(name: "to a coarser base", ticks: 27000, from: (1, 90000), to: (1, 10), expected: 3),
    Row(name: "NTSC to milliseconds", ticks: 1, from: (1001, 30000), to: (1, 1000), expected: 33),
    Row(name: "half a tick goes away from zero", ticks: 1, from: (1, 2000), to: (1, 1000), expected: 1),
    Row(name: "less than half a tick is dropped", ticks: 4, from: (1, 10000), to: (1, 1000), expected: 0),
    Row(name: "before zero", ticks: -3, from: (1, 10), to: (1, 1000), expected: -300),
    Row(name: "half a tick before zero", ticks: -1, from: (1, 2000), to: (1, 1000), expected: -1),
    Row(
      name: "a year in microseconds", ticks: 31_536_000_000_000, from: (1, 1_000_000), to: (1, 90000),
      expected: 2_838_240_000_000),
  ]

  @Test(arguments: rows)
  func `a time is rescaled`(row: Row) throws {
    let from = try #require(Rational(row.from.0, row.from.1))
    let to = try #require(Rational(row.to.0, row.to.1))
    #expect(Time(ticks: row.ticks, base: from).rescaled(to: to) == Time(ticks: row.expected, base: to))
  }
}
