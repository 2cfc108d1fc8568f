import Testing
import VStreamCore

@testable import VStreamMedia

/// Padding of frames for encoders, and fitting into frames of another size.
struct FramePaddingTests {
  static let formats = [
    "yuv420p", "yuv422p", "nv12", "yuyv422", "p010le", "gray", "rgb24", "bgra", "gbrp", "yuv444p12le",
  ]

  @Test(arguments: formats, [(5, 3, 6, 4), (1, 1, 2, 2), (7, 4, 8, 4), (3, 3, 8, 9)] as [(Int, Int, Int, Int)])
  func `padding repeats the last column and row`(format: String, sizes: (Int, Int, Int, Int)) throws {
    let (size, target) = (PixelSize(width: sizes.0, height: sizes.1), PixelSize(width: sizes.2, height: sizes.3))
    let frame = try VideoFrame.filled(format, size, time: 7) { $0 * 40 + $2 * 8 + $1 + 16 }
    let padded = try frame.padded(to: target)
    #expect(padded.size == target)
    #expect(padded.time == frame.time)
    for component in try #require(frame.format.layout).components.indices {
      let (before, after) = (try frame.values(component), try padded.values(component))
      for (y, row) in after.enumerated() {
        for (x, value) in row.enumerated() {
          let source = before[min(y, before.count - 1)]
          #expect(value == source[min(x, source.count - 1)], "component \(component) at \(x), \(y)")
        }
      }
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let format: String
    let size: (Int, Int)
    let target: (Int, Int)
    /// The column and row of the frame's first luma sample.
    let origin: (Int, Int)
    let black: Int
    var testDescription: String { "\(format) \(size) on \(target)" }
  }

  static let rows = [
    Row(format: "gray", size: (4, 2), target: (9, 6), origin: (2, 2), black: 16),
    Row(format: "yuv420p", size: (4, 4), target: (10, 4), origin: (2, 0), black: 16),
    Row(format: "yuv420p", size: (4, 4), target: (4, 11), origin: (0, 2), black: 16),
    Row(format: "yuvj420p", size: (4, 4), target: (8, 4), origin: (2, 0), black: 0),
    Row(format: "yuv444p10le", size: (3, 3), target: (7, 3), origin: (2, 0), black: 64),
    Row(format: "nv12", size: (4, 4), target: (8, 8), origin: (2, 2), black: 16),
    Row(format: "rgb24", size: (3, 1), target: (5, 3), origin: (1, 1), black: 0),
  ]

  @Test(arguments: rows)
  func `a frame is centred on black, on whole chroma samples`(row: Row) throws {
    let size = PixelSize(width: row.size.0, height: row.size.1)
    let frame = try VideoFrame.filled(row.format, size) { component, x, y in component > 0 ? 200 : 100 + y * 8 + x }
    let centred = try frame.centred(on: PixelSize(width: row.target.0, height: row.target.1))
    let (before, after) = (try frame.values(0), try centred.values(0))
    let (columns, rows) = (row.origin.0..<row.origin.0 + size.width, row.origin.1..<row.origin.1 + size.height)
    for (y, line) in after.enumerated() {
      for (x, value) in line.enumerated() {
        let isInside = columns.contains(x) && rows.contains(y)
        #expect(value == (isInside ? before[y - rows.lowerBound][x - columns.lowerBound] : row.black), "\(x), \(y)")
      }
    }
  }

  @Test func `a format without a layout cannot be padded`() throws {
    let format = try #require(PixelFormat(name: "rgb565le"))
    let frame = try VideoFrame(
      format: format, size: PixelSize(width: 3, height: 3), time: Time(ticks: 0, base: .milliseconds))
    let error = failure { _ = try frame.padded(to: PixelSize(width: 4, height: 4)) }
    #expect(error?.code == .library)
    #expect(error?.message.contains("rgb565le") == true)
  }

  struct Fit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let ratio: Double
    var grid = (1, 1)
    let expected: (Int, Int)
  }

  static let fits = [
    Fit(testDescription: "the same shape", ratio: 16.0 / 9, expected: (160, 90)),
    Fit(testDescription: "within 2 % of it", ratio: 16.0 / 9 * 1.019, expected: (160, 90)),
    Fit(testDescription: "square", ratio: 1, expected: (90, 90)),
    Fit(testDescription: "upright", ratio: 9.0 / 16, expected: (51, 90)),
    Fit(testDescription: "upright, in whole chroma samples", ratio: 9.0 / 16, grid: (2, 2), expected: (50, 90)),
    Fit(testDescription: "wide", ratio: 4, expected: (160, 40)),
    Fit(testDescription: "a line", ratio: 1000, grid: (2, 2), expected: (160, 2)),
    Fit(testDescription: "a column", ratio: 0.001, grid: (4, 4), expected: (4, 90)),
    Fit(testDescription: "not a number", ratio: .nan, expected: (160, 90)),
    Fit(testDescription: "infinite", ratio: .infinity, expected: (160, 90)),
    Fit(testDescription: "negative", ratio: -1, expected: (160, 90)),
  ]

  @Test(arguments: fits)
  func `the largest size of another shape is found`(row: Fit) {
    let size = PixelSize(width: 160, height: 90).fitting(ratio: row.ratio, gridX: row.grid.0, gridY: row.grid.1)
    #expect(size == PixelSize(width: row.expected.0, height: row.expected.1))
  }
}
