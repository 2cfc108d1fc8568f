import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamOverlay

/// Frames as drawn, pixel by pixel.
struct OverlayTests {
  static let formats = [
    "yuv420p", "yuv422p", "yuv444p", "yuvj420p", "nv12", "gray", "gbrp", "rgb24", "yuyv422", "yuv420p10le",
    "yuv422p10le", "yuv444p10le", "yuv444p12le", "p010le",
  ]
  /// Whole, cut by each edge, around everything, a point, outside.
  static let boxes = [
    Box(x: 10.3, y: 9.7, width: 20.5, height: 15), Box(x: -8, y: 5, width: 20, height: 10),
    Box(x: 60, y: 5, width: 40, height: 10), Box(x: 20, y: -5, width: 10, height: 12),
    Box(x: 20, y: 25, width: 10, height: 40), Box(x: -10, y: -10, width: 200, height: 200),
    Box(x: 30, y: 12, width: 0.4, height: 0.4), Box(x: 500, y: 500, width: 10, height: 10),
  ]

  @Test(arguments: formats)
  func `boxes at every edge are drawn on every format and odd size without touching the rest`(name: String) throws {
    let format = try #require(PixelFormat(name: name))
    for size in [PixelSize(width: 77, height: 33), PixelSize(width: 64, height: 32), PixelSize(width: 3, height: 5)] {
      for box in Self.boxes {
        var stage = try OverlayPainter(OverlayOptions(elements: [.boxes]), fontPath: "")
        let blank = try filled(format, size: size)
        var drawn = blank
        try stage.draw(annotations([object(box)]), on: &drawn)
        let half = OverlayMetrics(size).lineWidth / 2 + 2
        let inner = Box(left: box.x + half, top: box.y + half, right: box.right - half, bottom: box.bottom - half)
        let outer = Box(left: box.x - half, top: box.y - half, right: box.right + half, bottom: box.bottom + half)
        let (before, after) = (samples(blank), samples(drawn))
        for (one, other) in zip(before, after) where one.value != other.value {
          let place = Box(x: one.x, y: one.y, width: one.width, height: one.height)
          #expect(place.intersection(outer) != nil, "\(name) \(size) \(box) changed \(one.x),\(one.y)")
          let isInside =
            !inner.isEmpty && place.x >= inner.x && place.y >= inner.y
            && place.right <= inner.right && place.bottom <= inner.bottom
          #expect(!isInside, "\(name) \(size) \(box) changed its inside at \(one.x),\(one.y)")
        }
        let isVisible = outer.clipped(to: size) != nil
        let surroundsAll =
          inner.clipped(to: size) == Box(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
        if isVisible, !surroundsAll, box.width > 1 { #expect(before != after, "\(name) \(size) \(box) drew nothing") }
      }
    }
  }

  @Test func `a line that covers whole pixels has exactly its colour`() throws {
    let format = try #require(PixelFormat(name: "yuv444p"))
    let size = PixelSize(width: 560, height: 560)
    var frame = try filled(format, size: size)
    var stage = try OverlayPainter(OverlayOptions(elements: [.boxes]), fontPath: "")
    let item = object(Box(x: 101, y: 101, width: 200, height: 200))
    try stage.draw(annotations([item]), on: &frame)
    let layout = try #require(format.layout)
    let expected = StoredColor(
      Color(number: 1), layout: layout, description: frame.color, isFullRange: false, height: size.height)
    // Lines are two pixels wide at this size: 100 and 101.
    for component in 0..<3 {
      #expect(sample(frame, component, x: 150, y: 100) == expected.values[component])
      #expect(sample(frame, component, x: 150, y: 101) == expected.values[component])
      #expect(sample(frame, component, x: 150, y: 102) == 100)
    }
  }

  @Test func `the frame that others hold is not drawn on`() throws {
    let format = try #require(PixelFormat(name: "yuv420p"))
    let original = try filled(format, size: PixelSize(width: 64, height: 48))
    var drawn = original
    var stage = try OverlayPainter(OverlayOptions(elements: [.boxes]), fontPath: "")
    try stage.draw(annotations([object(Box(x: 5, y: 5, width: 20, height: 20))]), on: &drawn)
    #expect(samples(original).allSatisfy { $0.value == 100 })
    #expect(samples(drawn).contains { $0.value != 100 })
  }

  @Test func `without letters no font is needed, with them a missing one is an error`() throws {
    #expect(throws: Never.self) { try OverlayPainter(OverlayOptions(elements: [.boxes]), fontPath: "/nonexistent") }
    #expect {
      try OverlayPainter(OverlayOptions(), fontPath: "/nonexistent")
    } throws: { error in
      (error as? VStreamError)?.code == .missingDependency
    }
  }
}

/// Where labels go.
struct LabelPlaceTests {
  static let sizes = [
    PixelSize(width: 426, height: 240), PixelSize(width: 768, height: 576), PixelSize(width: 1920, height: 1080),
    PixelSize(width: 3840, height: 2160), PixelSize(width: 1080, height: 1920),
  ]

  @Test(arguments: sizes)
  func `a label stays in the frame wherever its box is`(size: PixelSize) {
    let metrics = OverlayMetrics(size)
    for x in stride(from: -50.0, through: Double(size.width) + 50, by: 37) {
      for y in stride(from: -50.0, through: Double(size.height) + 50, by: 37) {
        let label = metrics.background(
          labelOfWidth: metrics.fontSize * 8, at: Box(x: x, y: y, width: 60, height: 90), avoiding: [])
        #expect(label.x >= 0 && label.right <= Double(size.width))
        #expect(label.y >= 0 && label.bottom <= Double(size.height))
      }
    }
  }

  @Test(arguments: sizes)
  func `letters are between a 20th and a 60th of the frame, and never under ten pixels`(size: PixelSize) {
    let extent = min(size.width, size.height)
    #expect(OverlayMetrics(size).fontSize >= max(10, extent / 60))
    #expect(OverlayMetrics(size).fontSize <= max(10, extent / 20))
  }

  @Test func `a label goes below its box when another has the place above`() {
    let metrics = OverlayMetrics(PixelSize(width: 768, height: 576))
    let box = Box(x: 100, y: 200, width: 50, height: 100)
    let first = metrics.background(labelOfWidth: 120, at: box, avoiding: [])
    let second = metrics.background(labelOfWidth: 120, at: box, avoiding: [first])
    #expect(first.bottom <= box.y)
    #expect(second.y >= box.bottom)
  }
}

/// Drawn frames against recorded ones; `VSTREAM_RECORD=1` records them again.
struct OverlayGoldenTests {
  static let formats = ["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le", "nv12"]

  @Test(arguments: formats)
  func `boxes and labels equal the recorded frames`(name: String) throws {
    let format = try #require(PixelFormat(name: name))
    var frame = try filled(format, size: PixelSize(width: 321, height: 243))
    var stage = try OverlayPainter(OverlayOptions(), fontPath: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    try stage.draw(
      annotations([
        object(Box(x: 20.25, y: 60.5, width: 60, height: 100), id: 12, label: "person", score: 0.91),
        object(Box(x: 200, y: -10, width: 140, height: 80), id: 3, label: "car", score: 0.5),
        object(Box(x: 120, y: 180, width: 50, height: 80), id: nil, label: "traffic light", score: 1),
      ]), on: &frame)
    let drawn = Data(samples(frame).flatMap { [UInt8($0.value & 255), UInt8($0.value >> 8)] })
    let path = Checkout.fixture("overlay-\(name).runs")
    if ProcessInfo.processInfo.environment["VSTREAM_RECORD"] != nil || !FileManager.default.fileExists(atPath: path) {
      try FileManager.default.createDirectory(
        atPath: Checkout.fixture(""), withIntermediateDirectories: true)
      try Data(runs(drawn)).write(to: URL(filePath: path))
      Issue.record("recorded \(path): check it, and run again")
      return
    }
    let recorded = try Data(contentsOf: URL(filePath: path))
    #expect(recorded == Data(runs(drawn)), "the overlay on \(name) has changed")
  }

  /// Run lengths, which make flat pictures small: value (2 bytes), count (2 bytes).
  private func runs(_ data: Data) -> [UInt8] {
    var result: [UInt8] = []
    let bytes = [UInt8](data)
    var index = 0
    while index < bytes.count {
      var end = index + 2
      while end < bytes.count, end - index < 2 * 65_535, bytes[end] == bytes[index], bytes[end + 1] == bytes[index + 1]
      {
        end += 2
      }
      let count = (end - index) / 2
      result += [bytes[index], bytes[index + 1], UInt8(count & 255), UInt8(count >> 8)]
      index = end
    }
    return result
  }
}
