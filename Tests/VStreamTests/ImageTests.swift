import Testing
import VStream
import VStreamMedia
import VStreamTestSupport

/// Frames made of pixels in memory.
struct ImageTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let layout: VideoFrame.PixelBytes
    let size: PixelSize
    /// Bytes that rows are longer than they need to be.
    let gap: Int
    var testDescription: String { "\(layout) \(size), \(gap) more" }
  }

  static let rows = VideoFrame.PixelBytes.allCases.flatMap { layout in
    [PixelSize(width: 6, height: 4), PixelSize(width: 5, height: 3), PixelSize(width: 1, height: 1)].flatMap { size in
      // Rows of two planes have gaps that fit both.
      [0, 8].map { Row(layout: layout, size: size, gap: $0) }
    }
  }

  /// Bytes of a row of each plane, and rows.
  private func planes(_ row: Row) -> [(width: Int, stride: Int, rows: Int)] {
    let (width, height) = (row.size.width, row.size.height)
    let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
    let bytes = [.rgb: 3, .bgr: 3, .rgba: 4, .bgra: 4, .p010: 2][row.layout] ?? 1
    let stride = width * bytes + row.gap
    switch row.layout {
    case .rgb, .bgr, .rgba, .bgra, .gray: return [(width * bytes, stride, height)]
    case .yuyv, .uyvy: return [(4 * halfWidth, 4 * halfWidth + row.gap, height)]
    case .p010: return [(2 * width, stride, height), (4 * halfWidth, (stride / 2 + 1) / 2 * 4, halfHeight)]
    case .nv12: return [(width, stride, height), (2 * halfWidth, (stride + 1) / 2 * 2, halfHeight)]
    case .i420: return [(width, stride, height)] + Array(repeating: (halfWidth, (stride + 1) / 2, halfHeight), count: 2)
    }
  }

  @Test(arguments: rows)
  func `every byte of every layout comes to its place`(row: Row) throws {
    let planes = planes(row)
    let count = planes.reduce(0) { $0 + $1.stride * $1.rows }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
    let stride = planes[0].stride
    let frame = try VideoFrame(bytes, as: row.layout, size: row.size, stride: row.gap == 0 ? nil : stride, seconds: 1.5)
    #expect(frame.size == row.size)
    #expect(frame.time.seconds == 1.5)
    var start = 0
    for (index, plane) in planes.enumerated() {
      for line in 0..<plane.rows {
        let expected = Array(bytes[(start + line * plane.stride)...].prefix(plane.width))
        let found = frame.withPlanes { lent -> [UInt8] in
          guard let base = lent.bases[index] else { return [] }
          return Array(UnsafeRawBufferPointer(start: base + line * lent.strides[index], count: plane.width))
        }
        #expect(found == expected, "plane \(index), row \(line)")
      }
      start += plane.stride * plane.rows
    }
    // What follows the last row may be missing, but nothing before.
    let last = (planes.last?.stride ?? 0) - (planes.last?.width ?? 0)
    #expect(throws: Never.self) {
      try VideoFrame(Array(bytes.dropLast(last)), as: row.layout, size: row.size, stride: row.gap == 0 ? nil : stride)
    }
    let error = #expect(throws: VStreamError.self) {
      try VideoFrame(
        Array(bytes.dropLast(last + 1)), as: row.layout, size: row.size, stride: row.gap == 0 ? nil : stride)
    }
    #expect(error?.code == .usage)
  }

  @Test(
    arguments: [
      (PixelSize(width: 0, height: 4), nil), (PixelSize(width: -4, height: 4), nil),
      (PixelSize(width: 4, height: 4), 3), (PixelSize(width: 4, height: 4), -4),
      (PixelSize(width: 1 << 40, height: 1), nil), (PixelSize(width: 4, height: 4), Int.max),
    ] as [(PixelSize, Int?)])
  func `sizes and strides that cannot be are refused`(size: PixelSize, stride: Int?) {
    let error = #expect(throws: VStreamError.self) {
      try VideoFrame([UInt8](repeating: 0, count: 4096), as: .gray, size: size, stride: stride)
    }
    #expect(error?.code == .usage)
  }

  /// An image of 3 × 2 values, as it is shown in each orientation.
  @Test(
    arguments: [
      (ImageOrientation.up, [[1, 2, 3], [4, 5, 6]]), (.upMirrored, [[3, 2, 1], [6, 5, 4]]),
      (.down, [[6, 5, 4], [3, 2, 1]]), (.downMirrored, [[4, 5, 6], [1, 2, 3]]),
      (.leftMirrored, [[1, 4], [2, 5], [3, 6]]), (.right, [[4, 1], [5, 2], [6, 3]]),
      (.rightMirrored, [[6, 3], [5, 2], [4, 1]]), (.left, [[3, 6], [2, 5], [1, 4]]),
    ] as [(ImageOrientation, [[UInt8]])])
  func `an image is rotated upright when it is made`(orientation: ImageOrientation, expected: [[UInt8]]) throws {
    let frame = try VideoFrame(
      [1, 2, 3, 4, 5, 6], as: .gray, size: PixelSize(width: 3, height: 2), orientation: orientation, seconds: 2)
    #expect(frame.size == PixelSize(width: expected[0].count, height: expected.count))
    #expect(frame.time.seconds == 2)
    let rows = frame.withPlanes { lent in
      expected.indices.map { row in
        lent.bases[0].map {
          Array(UnsafeRawBufferPointer(start: $0 + row * lent.strides[0], count: expected[0].count))
        } ?? []
      }
    }
    #expect(rows == expected)
  }

  @Test func `a file is rotated by its metadata`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x32", "-frames:v", "5", "-c:v", "libx264", folder.file("a.mp4"),
    ])
    try Program.ffmpeg(Program.rotating(folder.file("a.mp4"), by: 90) + [folder.file("rotated.mp4")])
    #expect(try VideoFrame(contentsOf: folder.file("a.mp4")).size == PixelSize(width: 64, height: 32))
    #expect(try VideoFrame(contentsOf: folder.file("rotated.mp4")).size == PixelSize(width: 32, height: 64))
    let none = #expect(throws: VStreamError.self) { try VideoFrame(contentsOf: Checkout.sample("README.md")) }
    #expect(none?.code == .unreadableInput)
  }

  @Test(arguments: rows.filter { $0.gap == 0 })
  func `the pixels of a frame are those that it was made of`(row: Row) throws {
    let count = planes(row).reduce(0) { $0 + $1.stride * $1.rows }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
    // Alpha is ignored.
    let isOpaque = [.rgba, .bgra].contains(row.layout)
    let expected = bytes.enumerated().map { isOpaque && $0.offset % 4 == 3 ? 255 : $0.element }
    #expect(try VideoFrame(bytes, as: row.layout, size: row.size).pixels(as: row.layout) == expected)
  }

  @Test(arguments: VideoFrame.PixelBytes.allCases)
  func `a colour is the same in every layout`(layout: VideoFrame.PixelBytes) throws {
    let size = PixelSize(width: 16, height: 16)
    let red = try VideoFrame((0..<256).flatMap { _ in [200, 40, 40] as [UInt8] }, as: .rgb, size: size)
    let copy = try VideoFrame(red.pixels(as: layout), as: layout, size: size)
    let pixel = Array(try copy.pixels(as: .rgb)[384..<387])
    let expected = layout == .gray ? [88, 88, 88] : [200, 40, 40]
    for (value, wanted) in zip(pixel, expected) { #expect(abs(Int(value) - wanted) <= 12, "\(pixel)") }
  }

  @Test(arguments: [("a.png", 0), ("b.JPG", 8), ("c.jpeg", 8)])
  func `a frame is written as a picture, and replaced only if it may be`(name: String, tolerance: Int) throws {
    let folder = try TemporaryFolder()
    let frame = try VideoFrame(contentsOf: Checkout.sample("street.avi"))
    try frame.write(to: folder.file(name))
    let read = try VideoFrame(contentsOf: folder.file(name))
    let (one, other) = (try frame.pixels(as: .rgb), try read.pixels(as: .rgb))
    #expect(one.count == other.count)
    let differences = zip(one, other).map { abs(Int($0) - Int($1)) }
    #expect(Double(differences.reduce(0, +)) / Double(differences.count) <= Double(tolerance) / 2 + 0.5)
    let exists = #expect(throws: VStreamError.self) { try frame.write(to: folder.file(name)) }
    #expect(exists?.code == .cannotCreateOutput)
    try frame.write(to: folder.file(name), overwrite: true)
    #expect(folder.names == [name])
  }

  @Test func `a picture of another name is an error that says which can be written`() throws {
    let frame = try VideoFrame([1], as: .gray, size: PixelSize(width: 1, height: 1))
    let error = #expect(throws: VStreamError.self) { try frame.write(to: "/tmp/a.bmp") }
    #expect(error?.code == .usage && error?.remedy == "use .jpg or .png")
  }

  @Test func `the crop of a face shows the face, and one outside the frame has none`() throws {
    let frame = try VideoFrame(contentsOf: Checkout.sample("face.mp4"))
    let detector = try FaceDetector(FaceDetectorOptions(detectorMode: .singleImage))
    let face = try #require(try detector.results(in: frame).first)
    let crop = try frame.crop(of: face)
    #expect(Double(crop.size.width) > face.box.width && crop.size.width <= 512)
    #expect(try detector.results(in: crop).count == 1)
    let outside = DetectedFace(score: 1, box: Box(x: 900, y: 900, width: 20, height: 20))
    #expect(throws: VStreamError.self) { _ = try frame.crop(of: outside) }
  }
}
