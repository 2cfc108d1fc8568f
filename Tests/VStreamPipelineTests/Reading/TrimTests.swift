import Testing
import VStreamCore

@testable import VStreamPipeline

/// Which moments `--start` and `--duration` leave, of an input that begins at 1.5 s.
struct TrimTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let skip: Double?
    let duration: Double?
    let taken: [Double]
    let left: [Double]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "all of it", skip: nil, duration: nil, taken: [-1, 1.5, 1e9], left: []),
    Row(name: "the beginning omitted", skip: 2, duration: nil, taken: [3.5, 3.5 - 1e-9, 9], left: [1.5, 3.49]),
    Row(name: "the beginning alone", skip: nil, duration: 2, taken: [-1, 1.5, 3.49], left: [3.5, 3.5 - 1e-9, 9]),
    Row(name: "a part of it", skip: 1, duration: 1, taken: [2.5, 3.49], left: [2.49, 3.5]),
    Row(name: "nothing", skip: 1, duration: 0, taken: [], left: [2.5]),
  ]

  @Test(arguments: rows)
  func `a moment is taken from the start on and before the end`(row: Row) {
    let trim = Trim(first: 1.5, skip: row.skip, duration: row.duration, keepsStart: false)
    for moment in row.taken { #expect(trim.contains(moment), "\(moment)") }
    for moment in row.left { #expect(!trim.contains(moment), "\(moment)") }
    #expect(trim.shift == 1.5 + (row.skip ?? 0))
    let kept = Trim(first: 1.5, skip: row.skip, duration: row.duration, keepsStart: true)
    #expect(kept.shift == row.skip ?? 0)
  }

  @Test func `only an output of video alone starts with its first frame`() {
    let late = Time(ticks: 3700, base: .milliseconds)
    #expect(Trim(first: 1.5, skip: nil, duration: nil).shift(firstFrame: late) == 1.5)
    #expect(Trim(first: 1.5, skip: nil, duration: nil, isVideoOnly: true).shift(firstFrame: late) == 3.7)
    #expect(Trim(first: 1.5, skip: 1, duration: nil, isVideoOnly: true).shift(firstFrame: late) == 3.7)
    let kept = Trim(first: 1.5, skip: nil, duration: nil, keepsStart: true, isVideoOnly: true)
    #expect(kept.shift(firstFrame: late) == 0)
  }
}
