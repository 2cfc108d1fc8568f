import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamOverlay

/// Redacted frames, sample by sample.
struct RedactionTests {
  static let formats = [
    "yuv420p", "yuv422p", "yuv444p", "yuvj420p", "yuv411p", "yuv410p", "yuv440p", "nv12", "gray", "gbrp", "rgb24",
    "bgra", "yuyv422", "yuva420p", "ya8", "yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le", "yuv444p12le",
    "yuva444p10le", "p010le", "gbrp12le", "rgba64le", "gray16le",
  ]
  static let sizes = [
    PixelSize(width: 41, height: 29), PixelSize(width: 64, height: 48), PixelSize(width: 3, height: 5),
  ]
  /// Whole, at each edge, around everything, smaller than a sample.
  static let ellipses = [
    Ellipse(center: Point(x: 20.3, y: 13.7), radiusX: 14.6, radiusY: 11),
    Ellipse(center: Point(x: -2, y: 12), radiusX: 15, radiusY: 12),
    Ellipse(center: Point(x: 38, y: 12), radiusX: 20, radiusY: 9.5),
    Ellipse(center: Point(x: 18, y: -3), radiusX: 9, radiusY: 15),
    Ellipse(center: Point(x: 18, y: 28), radiusX: 12, radiusY: 12),
    Ellipse(center: Point(x: 20, y: 15), radiusX: 200, radiusY: 300),
    Ellipse(center: Point(x: 2.4, y: 3.5), radiusX: 0.2, radiusY: 0.1),
  ]

  /// A frame of seeded noise.
  private static func noise(_ format: PixelFormat, size: PixelSize, seed: UInt64) throws -> VideoFrame {
    var numbers = SeededNumbers(seed: seed)
    return try VideoFrame(format: format, size: size) { component, _, _ in numbers.below(1 << component.depth) }
  }

  /// Whether a sample's area and an ellipse have a point in common.
  private static func touches(_ sample: Sample, _ ellipse: Ellipse) -> Bool {
    let x = min(max(ellipse.center.x, sample.x), sample.x + sample.width)
    let y = min(max(ellipse.center.y, sample.y), sample.y + sample.height)
    return ellipse.contains(Point(x: x, y: y))
  }

  /// Whether a sample and an ellipse only just touch, or just do not, so that rounding decides.
  private static func isOnEdge(_ sample: Sample, _ ellipse: Ellipse) -> Bool {
    func grown(_ by: Double) -> Ellipse {
      Ellipse(center: ellipse.center, radiusX: ellipse.radiusX + by, radiusY: ellipse.radiusY + by)
    }
    return touches(sample, grown(1e-6)) != touches(sample, grown(-1e-6))
  }

  @Test(arguments: formats, RedactionStyle.allCases)
  func `what is outside stays to the bit, and what is inside tells nothing but the cells' means`(
    name: String, style: RedactionStyle
  ) throws {
    let format = try #require(PixelFormat(name: name))
    var stage = RedactionPainter(style)
    for size in Self.sizes {
      for (index, ellipse) in Self.ellipses.enumerated() {
        let region = RedactedEllipse(ellipse, extent: 30)
        let original = try Self.noise(format, size: size, seed: UInt64(index))
        // The same in other places: each cell is turned round, which leaves its mean.
        let other = try turnedRound(original, grid: MosaicGrid(size, extent: 30))
        var (redacted, otherRedacted) = (original, other)
        try stage.redact([region], in: &redacted)
        try stage.redact([region], in: &otherRedacted)
        let (before, after, otherAfter) = (samples(original), samples(redacted), samples(otherRedacted))
        let wrong = zip(before, zip(after, otherAfter)).first { place, values in
          let isRight =
            Self.touches(place, ellipse) ? values.0.value == values.1.value : values.0.value == place.value
          return !isRight && !Self.isOnEdge(place, ellipse)
        }
        #expect(wrong?.0 == nil, "\(size), ellipse \(index)")
      }
    }
  }

  /// The frame with the samples of each cell in turned order.
  private func turnedRound(_ frame: VideoFrame, grid: MosaicGrid) throws -> VideoFrame {
    try VideoFrame(format: frame.format, size: frame.size) { component, x, y in
      func mirror(_ sample: Int, _ cells: Int, _ length: Int, _ shift: Int) -> Int {
        let cell = min((sample << shift) / grid.cell, cells - 1)
        let first = (cell * grid.cell) >> shift
        let end = cell == cells - 1 ? (length + (1 << shift) - 1) >> shift : ((cell + 1) * grid.cell) >> shift
        return first + end - 1 - sample
      }
      return frame.withPlanes {
        load(
          $0, component, mirror(x, grid.columns.count, frame.size.width, component.shiftX),
          mirror(y, grid.rows.count, frame.size.height, component.shiftY)) >> component.shift
      }
    }
  }

  @Test func `a mosaic has at most five cells across, of the means of what was there`() throws {
    let format = try #require(PixelFormat(name: "yuv444p"))
    let size = PixelSize(width: 200, height: 200)
    let original = try Self.noise(format, size: size, seed: 7)
    var redacted = original
    let ellipse = Ellipse(around: Box(x: 50, y: 50, width: 100, height: 100))
    var stage = RedactionPainter(.mosaic)
    try stage.redact([RedactedEllipse(ellipse, extent: 100)], in: &redacted)
    let inside = samples(redacted).prefix(200 * 200).filter { $0.y == 100 && (50..<150).contains(Int($0.x)) }
    let changes = zip(inside, inside.dropFirst()).filter { $0.value != $1.value }.count
    #expect((3...5).contains(changes), "cells of 24 pixels")
    let cell = samples(original).prefix(200 * 200).filter {
      (96..<120).contains(Int($0.x)) && (96..<120).contains(Int($0.y))
    }
    #expect(cell.reduce(0) { $0 + $1.value } / cell.count == Int(try #require(sample(redacted, 0, x: 100, y: 100))))
  }

  @Test(arguments: [(10.0, 8), (40, 8), (41, 12), (60, 12), (61, 16), (100, 24), (160, 32), (161, 48), (5000, 512)])
  func `cells are a fifth of what is hidden or larger, of few sizes`(extent: Double, cell: Int) {
    #expect(MosaicGrid(PixelSize(width: 500, height: 400), extent: extent).cell == cell)
  }

  @Test func `a blur has no edges inside`() throws {
    let format = try #require(PixelFormat(name: "gray"))
    let size = PixelSize(width: 120, height: 120)
    var redacted = try VideoFrame(format: format, size: size) { _, x, _ in x < 60 ? 0 : 255 }
    let ellipse = Ellipse(center: Point(x: 60, y: 60), radiusX: 50, radiusY: 50)
    var stage = RedactionPainter(.blur)
    try stage.redact([RedactedEllipse(ellipse, extent: 100)], in: &redacted)
    let line = samples(redacted).filter { $0.y == 60 && (12..<108).contains(Int($0.x)) }.map(\.value)
    #expect(zip(line, line.dropFirst()).allSatisfy { abs($0 - $1) <= 12 })
    #expect(line == line.sorted())
  }

  struct FillRow: CustomTestStringConvertible, Sendable {
    let format: String
    let values: [Int]
    var testDescription: String { format }
  }

  static let fills = [
    FillRow(format: "yuv420p", values: [16, 128, 128]), FillRow(format: "yuvj420p", values: [0, 128, 128]),
    FillRow(format: "yuv420p10le", values: [64, 512, 512]), FillRow(format: "rgba", values: [0, 0, 0, 255]),
    FillRow(format: "p010le", values: [64, 512, 512]),
  ]

  @Test(arguments: fills)
  func `what is filled is black and opaque`(row: FillRow) throws {
    let format = try #require(PixelFormat(name: row.format))
    let size = PixelSize(width: 32, height: 32)
    var frame = try Self.noise(format, size: size, seed: 3)
    let all = Ellipse(center: Point(x: 16, y: 16), radiusX: 100, radiusY: 100)
    var stage = RedactionPainter(.fill)
    try stage.redact([RedactedEllipse(all, extent: 32)], in: &frame)
    #expect(Set(samples(frame).map(\.value)) == Set(row.values))
  }

  @Test func `a frame with nothing to redact, or that others hold, is left alone`() throws {
    let format = try #require(PixelFormat(name: "yuv420p"))
    let original = try Self.noise(format, size: PixelSize(width: 64, height: 48), seed: 1)
    var redacted = original
    var stage = RedactionPainter(.mosaic)
    try stage.redact([], in: &redacted)
    try stage.redact(
      [RedactedEllipse(Ellipse(around: Box(x: 500, y: 0, width: 9, height: 9)), extent: 9)], in: &redacted)
    #expect(samples(redacted) == samples(original))
    let before = samples(original)
    try stage.redact([RedactedEllipse(Self.ellipses[0], extent: 20)], in: &redacted)
    #expect(samples(original) == before)
    #expect(samples(redacted) != before)
  }
}
