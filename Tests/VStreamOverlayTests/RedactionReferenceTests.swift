import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamOverlay

/// Redaction of whole frames in every format and depth, against means computed plainly.
struct RedactionReferenceTests {
  private static let size = PixelSize(width: 41, height: 29)
  /// Everything, in cells of 12 pixels.
  private static let everything = RedactedEllipse(
    Ellipse(center: Point(x: 20, y: 15), radiusX: 500, radiusY: 500), extent: 60)

  private static func noise(_ name: String, seed: UInt64) throws -> VideoFrame {
    var numbers = SeededNumbers(seed: seed)
    let format = try #require(PixelFormat(name: name))
    return try VideoFrame(format: format, size: size) { component, _, _ in numbers.below(1 << component.depth) }
  }

  /// The mean of each sample's cell in its component.
  private static func cellMeans(of frame: VideoFrame) -> [Int] {
    let grid = MosaicGrid(size, extent: everything.extent)
    struct Key: Hashable { let component, column, row: Int }
    var component = -1
    let all = samples(frame)
    let keys = all.map { sample in
      if sample.x == 0, sample.y == 0 { component += 1 }
      return Key(
        component: component, column: min(Int(sample.x) / grid.cell, grid.columns.count - 1),
        row: min(Int(sample.y) / grid.cell, grid.rows.count - 1))
    }
    let cells = Dictionary(grouping: zip(keys, all), by: \.0).mapValues { pairs in
      pairs.reduce(0) { $0 + $1.1.value } / pairs.count
    }
    return keys.compactMap { cells[$0] }
  }

  @Test(arguments: RedactionTests.formats)
  func `a mosaic has the mean of each cell`(name: String) throws {
    let original = try Self.noise(name, seed: 5)
    var redacted = original
    var painter = RedactionPainter(.mosaic)
    try painter.redact([Self.everything], in: &redacted)
    let means = Self.cellMeans(of: original)
    #expect(samples(redacted).map(\.value) == means)
    try painter.redact([Self.everything], in: &redacted)
    #expect(samples(redacted).map(\.value) == means, "a second time changes nothing")
  }

  @Test(arguments: RedactionTests.formats)
  func `a blur lies between the cells' means and has the means at their centres`(name: String) throws {
    let original = try Self.noise(name, seed: 6)
    var redacted = original
    var painter = RedactionPainter(.blur)
    try painter.redact([Self.everything], in: &redacted)
    let (means, values) = (Self.cellMeans(of: original), samples(redacted).map(\.value))
    #expect(values.max() ?? 0 <= means.max() ?? 0)
    // Interpolation rounds down.
    #expect(values.min() ?? 0 >= (means.min() ?? 0) - 1)
    // The first sample precedes the centre of the first cell in both directions.
    #expect(values.first == means.first)
  }

  @Test(arguments: RedactionTests.formats, [RedactionStyle.mosaic, .blur])
  func `a plain frame remains plain`(name: String, style: RedactionStyle) throws {
    let format = try #require(PixelFormat(name: name))
    var frame = try filled(format, size: Self.size)
    var painter = RedactionPainter(style)
    try painter.redact([Self.everything], in: &frame)
    #expect(samples(frame).allSatisfy { $0.value == 100 })
  }

  @Test(arguments: [
    ("yuv410p", [16, 128]), ("yuvj422p", [0, 128]), ("yuyv422", [16, 128]), ("nv12", [16, 128]), ("gbrp", [0]),
    ("yuv420p12le", [256, 2048]), ("yuva444p10le", [64, 512, 1023]), ("gbrp12le", [0]), ("rgba64le", [0, 65535]),
  ])
  func `filled regions are black and opaque at every depth`(name: String, values: [Int]) throws {
    var frame = try Self.noise(name, seed: 8)
    var painter = RedactionPainter(.fill)
    try painter.redact([Self.everything], in: &frame)
    #expect(Set(samples(frame).map(\.value)) == Set(values))
  }

  @Test func `frames whose pixels cannot be addressed are refused`() throws {
    let format = try #require(PixelFormat(name: "rgb565le"))
    var frame = try VideoFrame(format: format, size: Self.size, time: Time(ticks: 0, base: .milliseconds))
    var painter = RedactionPainter(.fill)
    let error = #expect(throws: VStreamError.self) { try painter.redact([Self.everything], in: &frame) }
    #expect(error?.message == "frames of format rgb565le cannot be redacted")
    #expect(throws: Never.self) { try painter.redact([], in: &frame) }
  }

  // MARK: Cells

  struct GridRow: CustomTestStringConvertible, Sendable {
    let name: String
    let width: Int
    let height: Int
    let extent: Double
    /// The cell's side, columns and rows.
    let grid: [Int]
    var testDescription: String { name }
  }

  @Test(arguments: [
    GridRow(name: "a large frame", width: 500, height: 400, extent: 100, grid: [24, 20, 16]),
    GridRow(name: "a frame smaller than a cell", width: 3, height: 5, extent: 30, grid: [8, 1, 1]),
    GridRow(name: "a remainder at both edges", width: 47, height: 31, extent: 60, grid: [12, 3, 2]),
    GridRow(name: "a subject larger than the frame", width: 500, height: 400, extent: .infinity, grid: [512, 1, 1]),
    GridRow(name: "no extent", width: 64, height: 48, extent: 0, grid: [8, 8, 6]),
    GridRow(name: "a negative extent", width: 64, height: 48, extent: -50, grid: [8, 8, 6]),
    GridRow(name: "an extent not a number", width: 64, height: 48, extent: .nan, grid: [8, 8, 6]),
  ])
  func `cells have a minimum size, and at least one covers the frame`(row: GridRow) {
    let grid = MosaicGrid(PixelSize(width: row.width, height: row.height), extent: row.extent)
    #expect([grid.cell, grid.columns.count, grid.rows.count] == row.grid)
  }

  @Test func `values between the centres of cells are interpolated`() {
    var means = CellMeans()
    means.set(columns: 2..<4, rows: 1..<3) { column, row in column * 100 + row * 10 }
    #expect([means[2, 1], means[3, 1], means[2, 2], means[3, 2]] == [210, 310, 220, 320])
    // At the centre of a cell, a quarter, a half, and at the next centre.
    let positions: [(cell: Int, part: Int)] = [(2, 0), (2, 64), (2, 128), (3, 0)]
    means.setPositions(of: 10..<14) { positions[$0 - 10] }
    means.setLine(at: (cell: 1, part: 0))
    #expect((10..<14).map { means.value(of: $0) } == [210, 235, 260, 310])
    means.setLine(at: (cell: 1, part: 128))
    #expect((10..<14).map { means.value(of: $0) } == [215, 240, 265, 315])
  }
}
