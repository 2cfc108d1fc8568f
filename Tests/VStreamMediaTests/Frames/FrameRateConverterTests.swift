import Testing
import VStreamCore

@testable import VStreamMedia

/// Frames at a constant rate.
struct FrameRateConverterTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// In milliseconds; the last is the end of the last frame.
    let times: [Int64]
    let rate: Rational
    /// The number of each output frame's input frame.
    let expected: [Int64]
    var testDescription: String { name }
  }

  private static func rate(_ numerator: Int32, _ denominator: Int32 = 1) -> Rational {
    Rational(numerator, denominator) ?? .milliseconds
  }

  static let rows = [
    Row(name: "the same rate", times: [0, 40, 80, 120], rate: rate(25), expected: [0, 1, 2]),
    Row(name: "the double rate", times: [0, 40, 80], rate: rate(50), expected: [0, 0, 1, 1]),
    Row(name: "half the rate", times: [0, 40, 80, 120, 160], rate: rate(25, 2), expected: [0, 2]),
    Row(name: "a gap", times: [0, 40, 200, 240], rate: rate(25), expected: [0, 1, 1, 1, 1, 2]),
    Row(name: "rounded times", times: [0, 33, 67, 100], rate: rate(30), expected: [0, 1, 2]),
    Row(name: "a start after 0", times: [1000, 1040, 1080], rate: rate(25), expected: [0, 1]),
    Row(name: "one frame", times: [0, 40], rate: rate(25), expected: [0]),
    Row(name: "one frame, shorter than a period", times: [0, 40], rate: rate(5), expected: [0]),
  ]

  @Test(arguments: rows)
  func `each frame is shown at the nearest times of the rate`(row: Row) throws {
    var converter = FrameRateConverter(rate: row.rate)
    var found: [(frame: Int64, seconds: Double)] = []
    func takeAll() throws {
      while let frame = try converter.next() {
        found.append((Int64(frame.av.pointee.quality), frame.time.seconds))
      }
    }
    let format = try #require(PixelFormat(name: "gray"))
    for (index, time) in row.times.dropLast().enumerated() {
      let start = Time(ticks: time, base: .milliseconds)
      let frame = try VideoFrame(format: format, size: PixelSize(width: 2, height: 2), time: start)
        .retimed(to: start, duration: row.times[index + 1] - time)
      frame.av.pointee.quality = Int32(index)
      converter.add(frame)
      try takeAll()
    }
    converter.finish()
    try takeAll()
    #expect(found.map(\.frame) == row.expected)
    for (index, frame) in found.enumerated() {
      let expected = Double(row.times[0]) / 1000 + Double(index) / row.rate.value
      #expect(abs(frame.seconds - expected) < 1e-4)
    }
  }
}
