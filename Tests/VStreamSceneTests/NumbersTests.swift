import Testing
import VStreamScene

/// Conversion of floating-point numbers to integers, which must not trap on any value.
struct NumbersTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let value: Double
    let expected: Int
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "whole", value: 42, expected: 42),
    Row(name: "rounded down", value: 2.4, expected: 2),
    Row(name: "a half, away from zero", value: 2.5, expected: 3),
    Row(name: "a negative half, away from zero", value: -2.5, expected: -3),
    Row(name: "negative zero", value: -0.0, expected: 0),
    Row(name: "the smallest number", value: .leastNonzeroMagnitude, expected: 0),
    Row(name: "the last exact integer", value: 9_007_199_254_740_992, expected: 9_007_199_254_740_992),
    Row(name: "just below two to the power of 63", value: 9.223372036854775e18, expected: .max),
    Row(name: "two to the power of 63", value: 9.223372036854775808e18, expected: .max),
    Row(name: "the greatest number", value: .greatestFiniteMagnitude, expected: .max),
    Row(name: "infinity", value: .infinity, expected: .max),
    Row(name: "minus two to the power of 63", value: -9.223372036854775808e18, expected: .min),
    Row(name: "minus infinity", value: -.infinity, expected: .min),
    Row(name: "not a number", value: .nan, expected: 0),
  ]

  @Test(arguments: rows)
  func `a number becomes the nearest integer that exists`(row: Row) {
    #expect(Int(clamping: row.value) == row.expected)
  }
}
