import Testing
import VStreamCore

@testable import VStreamMedia
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
  func `a colour is stored as the standard specifies`(_ row: Row) throws {
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

  /// White is graphics white, 203 candela per square metre: 58 % of the PQ signal and 75 % of HLG (ITU-R BT.2408).
  @Test(arguments: [("PQ", 16, 0.58), ("HLG", 18, 0.75)] as [(String, Int32, Double)])
  func `white on HDR frames is graphics white`(name: String, transfer: Int32, signal: Double) throws {
    let layout = try #require(PixelFormat(name: "yuv420p10le")?.layout)
    let hdr = ColorDescription(range: 1, primaries: 9, transfer: transfer, space: 9, chromaLocation: 0)
    let white = StoredColor(.white, layout: layout, description: hdr, isFullRange: false, height: 2160)
    #expect(abs(Double(white.values[0] - 64) / 876 - signal) < 0.005)
    #expect((white.values[1], white.values[2]) == (512, 512))
    let black = StoredColor(.black, layout: layout, description: hdr, isFullRange: false, height: 2160)
    #expect((0..<3).map { black.values[$0] } == [64, 512, 512])
  }

  @Test(arguments: [
    ("red", 0.0, Color(red: 1, green: 0, blue: 0)), ("yellow", 1.0 / 6, Color(red: 1, green: 1, blue: 0)),
    ("green", 1.0 / 3, Color(red: 0, green: 1, blue: 0)), ("blue", 2.0 / 3, Color(red: 0, green: 0, blue: 1)),
    ("red again", 1, Color(red: 1, green: 0, blue: 0)),
  ])
  func `a hue is a fraction of the colour circle`(name: String, hue: Double, expected: Color) {
    let color = Color(hue: hue, saturation: 1, value: 1)
    for (found, expected) in [
      (color.red, expected.red), (color.green, expected.green), (color.blue, expected.blue),
    ] {
      #expect(abs(found - expected) < 1e-9)
    }
    #expect(Color(hue: hue, saturation: 0, value: 1) == .white)
    #expect(Color(hue: hue, saturation: 1, value: 0) == .black)
  }
}
