import Foundation
import Testing
import VStreamScene

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
