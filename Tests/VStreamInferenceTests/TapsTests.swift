import Testing
import VStreamTestSupport

@testable import VStreamInference

/// The weights of source samples along one axis.
struct TapsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let start: Double
    let length: Double
    let source: Int
    let target: Int
    /// The source's samples are 0, 10, 20 and so on.
    let expected: [Float]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "the same size", start: 0, length: 4, source: 4, target: 4, expected: [0, 10, 20, 30]),
    Row(name: "half the size", start: 0, length: 4, source: 4, target: 2, expected: [6.25, 23.75]),
    Row(name: "one sample of all", start: 0, length: 3, source: 3, target: 1, expected: [10]),
    Row(name: "twice the size", start: 0, length: 2, source: 2, target: 4, expected: [0, 2.5, 7.5, 10]),
    Row(name: "a part between samples", start: 1.5, length: 2, source: 5, target: 2, expected: [15, 25]),
    Row(name: "beyond the start: the first sample", start: -9, length: 3, source: 4, target: 3, expected: [0, 0, 0]),
    Row(name: "beyond the end: the last sample", start: 9, length: 3, source: 4, target: 3, expected: [30, 30, 30]),
    Row(name: "across the start", start: -1, length: 3, source: 4, target: 3, expected: [0, 0, 10]),
    Row(name: "a source of one sample", start: 0, length: 1, source: 1, target: 3, expected: [0, 0, 0]),
  ]

  private static func resampled(_ taps: Taps, target: Int, source: Int) -> [Float] {
    var line = (0..<source).map { Float($0) * 10 }
    var result = [Float](repeating: .nan, count: target)
    line.withUnsafeMutableBufferPointer { line in
      result.withUnsafeMutableBufferPointer { taps.apply(to: line, result: $0, at: 0) }
    }
    return result
  }

  @Test(arguments: rows)
  func `a line is resampled as computed by hand`(row: Row) {
    let taps = Taps(from: row.start, length: row.length, source: row.source, target: row.target)
    let found = Self.resampled(taps, target: row.target, source: row.source)
    for (found, expected) in zip(found, row.expected) { #expect(abs(found - expected) < 1e-4) }
  }

  @Test(arguments: 1...40)
  func `weights are positive, their sum is one, and all samples lie in the source`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let (source, target) = (1 + numbers.below(60), 1 + numbers.below(60))
    let start = Double(numbers.below(2000) - 1000) / 10
    let length = Double(1 + numbers.below(2000)) / 10
    let taps = Taps(from: start, length: length, source: source, target: target)
    #expect(taps.starts.count == target && taps.weights.count == target * taps.count)
    for (index, first) in taps.starts.enumerated() {
      let weights = taps.weights[(index * taps.count)..<((index + 1) * taps.count)]
      #expect(weights.allSatisfy { $0 >= 0 })
      #expect(abs(weights.reduce(0, +) - 1) < 1e-4)
      #expect(first >= 0 && first + taps.count <= source)
      #expect(taps.range.contains(first) && first + taps.count <= taps.range.upperBound)
    }
    let values = Self.resampled(taps, target: target, source: source)
    for (value, next) in zip(values, values.dropFirst()) { #expect(value <= next + 1e-2, "a ramp does not fall") }
  }
}
