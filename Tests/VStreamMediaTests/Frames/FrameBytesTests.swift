import Testing
import VStreamCore

@testable import VStreamMedia

/// Frames that are made of a caller's bytes.
struct FrameBytesTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let format: String
    let size: (Int, Int)
    var stride: Int?
    /// Bytes of each plane's rows without padding, and their stride.
    let planes: [(width: Int, stride: Int, rows: Int)]
    var testDescription: String { "\(format) \(size.0)×\(size.1)" + (stride.map { ", stride \($0)" } ?? "") }
  }

  static let rows = [
    Row(format: "gray", size: (3, 2), planes: [(3, 3, 2)]),
    Row(format: "gray", size: (3, 2), stride: 8, planes: [(3, 8, 2)]),
    Row(format: "rgb24", size: (3, 2), stride: 12, planes: [(9, 12, 2)]),
    Row(format: "bgra", size: (2, 3), planes: [(8, 8, 3)]),
    Row(format: "yuv420p", size: (5, 3), planes: [(5, 5, 3), (3, 3, 2), (3, 3, 2)]),
    Row(format: "yuv420p", size: (5, 3), stride: 16, planes: [(5, 16, 3), (3, 8, 2), (3, 8, 2)]),
    Row(format: "nv12", size: (5, 3), stride: 16, planes: [(5, 16, 3), (6, 16, 2)]),
    Row(format: "p010le", size: (4, 2), stride: 24, planes: [(8, 24, 2), (8, 24, 1)]),
    Row(format: "yuva420p", size: (4, 2), planes: [(4, 4, 2), (2, 2, 1), (2, 2, 1), (4, 4, 2)]),
  ]

  private static func frame(_ bytes: [UInt8], _ row: Row) throws -> VideoFrame {
    try VideoFrame(
      copying: bytes.span.bytes, formatNamed: row.format, size: PixelSize(width: row.size.0, height: row.size.1),
      stride: row.stride, time: Time(ticks: 3, base: .milliseconds))
  }

  private static func byteCount(_ row: Row) -> Int {
    row.planes.reduce(0) { $0 + $1.stride * $1.rows } - (row.planes.last.map { $0.stride - $0.width } ?? 0)
  }

  @Test(arguments: rows)
  func `each plane is copied row by row`(row: Row) throws {
    let bytes = (0..<Self.byteCount(row)).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
    let frame = try Self.frame(bytes, row)
    #expect(frame.time == Time(ticks: 3, base: .milliseconds))
    var start = 0
    for (index, plane) in row.planes.enumerated() {
      for line in 0..<plane.rows {
        let copied = frame.withPlanes { lent -> [UInt8] in
          guard let base = lent.bases[index] else { return [] }
          return Array(UnsafeRawBufferPointer(start: base + line * lent.strides[index], count: plane.width))
        }
        #expect(copied == Array(bytes[start + line * plane.stride..<start + line * plane.stride + plane.width]))
      }
      start += plane.stride * plane.rows
    }
  }

  @Test(arguments: rows)
  func `one byte too few is an error that gives the number`(row: Row) {
    let needed = Self.byteCount(row)
    let error = failure { _ = try Self.frame([UInt8](repeating: 0, count: needed - 1), row) }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("\(needed - 1) bytes") == true)
    #expect(error?.message.hasSuffix("takes \(needed)") == true)
  }

  @Test(arguments: [
    Row(format: "nonsense", size: (4, 4), planes: []), Row(format: "pal8", size: (4, 4), planes: []),
    Row(format: "gray", size: (0, 4), planes: []), Row(format: "gray", size: (4, -1), planes: []),
    Row(format: "gray", size: (1 << 16, 4), planes: []), Row(format: "gray", size: (4, 4), stride: 1 << 21, planes: []),
  ])
  func `a format, size or stride that is invalid is an error`(row: Row) {
    let error = failure { _ = try Self.frame([UInt8](repeating: 0, count: 1 << 10), row) }
    #expect(error?.code == .usage)
    #expect(error?.remedy.contains("stride") == true)
  }

  @Test(arguments: [-4, 3])
  func `a stride of less than a row is an error that gives the row`(stride: Int) {
    let row = Row(format: "gray", size: (4, 4), stride: stride, planes: [])
    let error = failure { _ = try Self.frame([UInt8](repeating: 0, count: 1 << 10), row) }
    #expect(error?.code == .usage)
    #expect(
      error?.message == "a stride of \(stride) bytes is less than a row of 4 pixels in gray, which takes 4")
  }
}

/// Pictures that are put on frames of their format.
struct PlacedPictureTests {
  private static func frame(_ value: UInt8, _ size: PixelSize, format: String) throws -> VideoFrame {
    let bytes = [UInt8](repeating: value, count: 4 * size.width * size.height)
    return try VideoFrame(
      copying: bytes.span.bytes, formatNamed: format, size: size, stride: nil, time: Time(ticks: 0, base: .milliseconds)
    )
  }

  @Test(arguments: ["yuv420p", "nv12", "rgb24", "yuv444p", "yuv420p10le"], [(-3, -3), (5, 2), (14, 7), (40, 0)])
  func `a picture changes the samples under it only`(format: String, place: (x: Int, y: Int)) throws {
    let size = PixelSize(width: 16, height: 10)
    var frame = try Self.frame(7, size, format: format)
    let before = frame
    try frame.place(try Self.frame(2, PixelSize(width: 6, height: 4), format: format), left: place.x, top: place.y)
    let (old, new) = (try before.packedBytes(), try frame.packedBytes())
    let changed = zip(old, new).count { $0 != $1 }
    // Positions are rounded down to samples of chroma.
    let grid = ["rgb24", "yuv444p"].contains(format) ? 1 : 2
    func start(_ position: Int) -> Int { Int((Double(position) / Double(grid)).rounded(.down)) * grid }
    let width = max(0, min(16, start(place.x) + 6) - max(0, start(place.x)))
    let height = max(0, min(10, start(place.y) + 4) - max(0, start(place.y)))
    let perPixel = ["rgb24", "yuv444p"].contains(format) ? 3.0 : format == "yuv420p10le" ? 3.0 : 1.5
    #expect(Double(changed) == Double(width * height) * perPixel)
    #expect(try before.packedBytes() == old)
  }
}
