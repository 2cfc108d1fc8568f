import Testing
import VStreamMedia
import VStreamScene

@testable import VStreamOverlay

/// Colours as frames store them, against the figures of the standards.
struct ColorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let color: Color
    let format: String
    let isFull: Bool
    let height: Int
    let expected: [Int32]
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "black, 8 bits", color: .black, format: "yuv420p", isFull: false, height: 576, expected: [16, 128, 128]),
    Row(
      name: "white, 8 bits", color: .white, format: "yuv420p", isFull: false, height: 576, expected: [235, 128, 128]),
    Row(
      name: "white, full range", color: .white, format: "yuvj420p", isFull: true, height: 576,
      expected: [255, 128, 128]),
    Row(
      name: "red, BT.601", color: Color(red: 1, green: 0, blue: 0), format: "yuv420p", isFull: false, height: 576,
      expected: [81, 90, 240]),
    Row(
      name: "red, BT.709", color: Color(red: 1, green: 0, blue: 0), format: "yuv420p", isFull: false, height: 1080,
      expected: [63, 102, 240]),
    Row(
      name: "blue, BT.601", color: Color(red: 0, green: 0, blue: 1), format: "yuv422p", isFull: false, height: 576,
      expected: [41, 240, 110]),
    Row(
      name: "white, 10 bits", color: .white, format: "yuv420p10le", isFull: false, height: 576,
      expected: [940, 512, 512]),
    Row(
      name: "white, 12 bits", color: .white, format: "yuv444p12le", isFull: false, height: 576,
      expected: [3760, 2048, 2048]),
    Row(
      name: "white, 10 bits on top of 16", color: .white, format: "p010le", isFull: false, height: 576,
      expected: [940 << 6, 512 << 6, 512 << 6]),
    Row(
      name: "green, planar RGB", color: Color(red: 0, green: 1, blue: 0), format: "gbrp", isFull: false, height: 576,
      expected: [0, 255, 0]),
    Row(name: "grey", color: .white, format: "gray", isFull: true, height: 576, expected: [255, 0, 0]),
  ]

  @Test(arguments: rows)
  func `a colour is stored as the standard says`(_ row: Row) throws {
    let format = try #require(PixelFormat(name: row.format))
    let layout = try #require(format.layout)
    let frame = try VideoFrame(
      format: format, size: PixelSize(width: 16, height: row.height), time: Time(ticks: 0, base: .milliseconds))
    let stored = StoredColor(
      row.color, layout: layout, description: frame.color, isFullRange: row.isFull, height: row.height)
    #expect((0..<3).map { stored.values[$0] } == row.expected)
  }

  @Test func `neighbouring numbers have different colours`() {
    for number in 1..<200 {
      for step in 1...3 {
        let (one, other) = (Color(number: number), Color(number: number + step))
        let distance =
          abs(one.red - other.red) + abs(one.green - other.green) + abs(one.blue - other.blue)
        #expect(distance > 0.3, "\(number) and \(number + step)")
      }
    }
  }
}
