import Foundation
import Testing
import VStreamCore

struct TimeTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let ticks: Int64
    let base: Rational?
    let seconds: Double
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "zero", ticks: 0, base: .milliseconds, seconds: 0),
    Row(name: "milliseconds before the start", ticks: -3, base: .milliseconds, seconds: -0.003),
    Row(name: "microseconds", ticks: 1_500_000, base: .microseconds, seconds: 1.5),
    Row(name: "NTSC frames", ticks: 30, base: Rational(1001, 30000), seconds: 1.001),
    Row(name: "one day of 90 kHz ticks", ticks: 7_776_000_000, base: Rational(1, 90000), seconds: 86400),
    Row(name: "whole seconds", ticks: 7, base: Rational(1, 1), seconds: 7),
    Row(name: "the greatest number of ticks", ticks: .max, base: Rational(1, 1), seconds: 9.223372036854775807e18),
  ]

  @Test(arguments: rows)
  func `ticks times base are seconds`(row: Row) throws {
    let time = Time(ticks: row.ticks, base: try #require(row.base))
    #expect(abs(time.seconds - row.seconds) <= abs(row.seconds) * 1e-15)
  }

  @Test func `a base without denominator is none`() {
    #expect(Rational(1, 0) == nil)
  }

  @Test(
    arguments: [(30000, 1001, "30000/1001"), (-1, 2, "-1/2"), (0, 1, "0/1"), (2, 4, "2/4")] as [(Int32, Int32, String)])
  func `a ratio is written as it was given, without reduction`(numerator: Int32, denominator: Int32, text: String)
    throws
  {
    let ratio = try #require(Rational(numerator, denominator))
    #expect("\(ratio)" == text)
    #expect(ratio.value == Double(numerator) / Double(denominator))
  }

  @Test func `a time is the same after coding and decoding`() throws {
    let time = Time(ticks: -12, base: try #require(Rational(1001, 30000)))
    #expect(try JSONDecoder().decode(Time.self, from: JSONEncoder().encode(time)) == time)
  }

  @Test(arguments: [
    #"{"numerator":1}"#, #"{"numerator":1,"denominator":3000000000}"#,
  ])
  func `a ratio that cannot exist is not decoded`(json: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Rational.self, from: Data(json.utf8)) }
  }

  @Test func `an error is one line: what failed and what to do`() {
    let error = VStreamError(.usage, "two\nlines", remedy: "make it\r\none")
    #expect(error.description == "two lines; make it one")
    #expect(VStreamError(.library, "alone").description == "alone")
  }
}

struct TimeGridTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let ticks: Int64
    let base: (Int32, Int32)
    let cell: Int64
  }

  static let rows = [
    Row(testDescription: "zero", ticks: 0, base: (1, 25), cell: 0),
    Row(testDescription: "the last tick before a cell", ticks: 749, base: (1, 25), cell: 0),
    Row(testDescription: "the first tick of a cell", ticks: 750, base: (1, 25), cell: 1),
    Row(testDescription: "before zero", ticks: -1, base: (1, 90_000), cell: -1),
    Row(testDescription: "a whole cell before zero", ticks: -2_700_000, base: (1, 90_000), cell: -1),
    Row(testDescription: "a base that does not divide the cell, before", ticks: 899, base: (1001, 30_000), cell: 0),
    Row(testDescription: "a base that does not divide the cell, after", ticks: 900, base: (1001, 30_000), cell: 1),
    Row(testDescription: "ticks that would overflow", ticks: .max, base: (1, 1_000_000_000), cell: 307_445_734),
    Row(testDescription: "longer than 64 bits", ticks: .max, base: (.max, 1), cell: .max),
  ]

  @Test(arguments: rows)
  func `a time lies in one cell`(row: Row) throws {
    let base = try #require(Rational(row.base.0, row.base.1))
    #expect(TimeGrid(seconds: 30).cell(of: Time(ticks: row.ticks, base: base)) == row.cell)
  }

  @Test(arguments: [(1, 25), (1001, 30_000), (1, 90_000), (1, 1000), (7, 3)] as [(Int32, Int32)])
  func `the first tick of a cell is in it, and the one before is not`(base: (Int32, Int32)) throws {
    let base = try #require(Rational(base.0, base.1))
    let grid = TimeGrid(seconds: 30)
    for cell in Int64(-3)...4 {
      let first = grid.firstTick(of: cell, in: base)
      #expect(grid.cell(of: Time(ticks: first, base: base)) == cell)
      #expect(grid.cell(of: Time(ticks: first - 1, base: base)) == cell - 1)
    }
  }

  struct Pair: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let one: (ticks: Int64, base: (Int32, Int32))
    let other: (ticks: Int64, base: (Int32, Int32))
  }

  @Test(arguments: [
    Pair(testDescription: "on the grid", one: (60, (1, 1)), other: (5_400_000, (1, 90_000))),
    Pair(testDescription: "just before it", one: (59_999, (1, 1000)), other: (5_399_999, (1, 90_000))),
    Pair(testDescription: "before zero", one: (-30, (1, 1)), other: (-2_700_000, (1, 90_000))),
  ])
  func `a time lies in the same cell whatever its time base`(pair: Pair) throws {
    func cell(_ time: (ticks: Int64, base: (Int32, Int32))) throws -> Int64 {
      TimeGrid.files.cell(of: Time(ticks: time.ticks, base: try #require(Rational(time.base.0, time.base.1))))
    }
    #expect(try cell(pair.one) == cell(pair.other))
  }

  @Test func `files have cells of 30 seconds, by which plans are cut`() {
    #expect(TimeGrid.files.seconds == 30)
  }

  @Test func `cells are not shorter than a second`() { #expect(TimeGrid(seconds: -5).seconds == 1) }

  @Test func `times are equal and ordered whatever their bases`() throws {
    let rate = try #require(Rational(1, 25))
    let (zero, alsoZero) = (Time(ticks: 0, base: rate), Time(ticks: 0, base: .milliseconds))
    #expect(zero == alsoZero && Set([zero, alsoZero]).count == 1)
    #expect(Set([Time(ticks: 1, base: rate), Time(ticks: 40, base: .milliseconds)]).count == 1)
    #expect(Time(ticks: -1, base: rate) < zero && zero < Time(ticks: 1, base: .microseconds))
  }

  struct Ordered: CustomTestStringConvertible, Sendable {
    let one: Time
    let other: Time
    var testDescription: String { "\(one.ticks)/\(one.base), \(other.ticks)/\(other.base)" }
    init(_ ticks: Int64, _ base: Rational?, _ otherTicks: Int64, _ otherBase: Rational?) {
      one = Time(ticks: ticks, base: base ?? .milliseconds)
      other = Time(ticks: otherTicks, base: otherBase ?? .milliseconds)
    }
  }

  @Test(arguments: [
    Ordered(.max, Rational(.max, 1), .max, Rational(.max - 1, 1)),
    Ordered(.max, Rational(1, 1), .max - 1, Rational(1, 1)),
    Ordered(-1, Rational(1, -25), .min, Rational(1, .max)), Ordered(1, Rational(1, 30), 33, .milliseconds),
  ])
  func `the larger of two times is larger, near the limits too`(pair: Ordered) {
    #expect(pair.other < pair.one && !(pair.one < pair.other) && pair.one != pair.other)
    #expect(Set([pair.one, pair.other, pair.one]).count == 2)
  }
}

struct DurationTests {
  @Test(arguments: [0, 0.1, 0.25, 0.3, 1.5, 3600, -2])
  func `a duration has the seconds that it was made of`(seconds: Double) {
    #expect(Duration.seconds(seconds).inSeconds == seconds)
  }
}
