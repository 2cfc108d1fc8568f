import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamOverlay

/// Colours that are blended into planes: many samples at once come out as one by one.
struct CanvasTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let format: String
    let opacity: Int32
    let seed: UInt64
    var testDescription: String { "\(format), opacity \(opacity), seed \(seed)" }
  }

  static let formats = [
    "yuv420p", "yuv444p", "yuv422p", "yuv440p", "yuv411p", "yuv410p", "nv12", "yuyv422", "gray", "rgb24", "bgra",
    "yuv422p10le", "gray16le",
  ]

  static let cases = formats.flatMap { format in
    [(256, 1), (256, 2), (140, 3), (0, 4)].map { Case(format: format, opacity: Int32($0.0), seed: UInt64($0.1)) }
  }

  @Test(arguments: cases)
  func `every sample becomes what its pixels' coverage makes of it`(row: Case) throws {
    var numbers = SeededNumbers(seed: row.seed)
    let size = PixelSize(width: 75, height: 41)
    let format = try #require(PixelFormat(name: row.format))
    let layout = try #require(format.layout)
    let before = try VideoFrame(format: format, size: size) { _, _, _ in numbers.below(256) }
    var mask = Mask()
    let box = Box(x: 4, y: 2, width: Double(17 + numbers.below(55)), height: Double(3 + numbers.below(36)))
    let isInside = mask.reset(
      covering: box, frame: size, chromaShiftX: layout.chromaShiftX, chromaShiftY: layout.chromaShiftY)
    try #require(isInside)
    for y in 0..<mask.height {
      for x in 0..<mask.width where numbers.below(3) > 0 {
        mask.cover(x, y, UInt8([0, 255, numbers.below(256)][numbers.below(3)]))
      }
    }
    let color = StoredColor(
      Color(red: 0.9, green: 0.2, blue: 0.1), layout: layout, description: before.color, isFullRange: false, height: 41)
    var after = before
    try after.withMutablePlanes { Canvas($0, layout: layout).paint(mask, color, opacity: row.opacity) }

    for (old, (new, component)) in zip(samples(before), zip(samples(after), owners(of: before, layout))) {
      let expected = plain(
        Int32(old.value), color.values[component], row.opacity, mask, left: Int(old.x), top: Int(old.y),
        width: Int(old.width), height: Int(old.height))
      #expect(Int32(new.value) == expected, "component \(component) at \(old.x), \(old.y)")
    }
  }

  /// The component of each of a frame's samples, as `samples` lists them.
  private func owners(of frame: VideoFrame, _ layout: PixelLayout) -> [Int] {
    layout.components.indices.flatMap { index -> [Int] in
      let component = layout.components[index]
      let across = (frame.size.width + (1 << component.shiftX) - 1) >> component.shiftX
      let down = (frame.size.height + (1 << component.shiftY) - 1) >> component.shiftY
      return [Int](repeating: index, count: across * down)
    }
  }

  /// One sample, of the mean coverage of its pixels in the mask.
  private func plain(
    _ old: Int32, _ value: Int32, _ opacity: Int32, _ mask: Mask, left: Int, top: Int, width: Int, height: Int
  ) -> Int32 {
    let rows = (top..<top + height).filter { (mask.top..<mask.top + mask.height).contains($0) }
    let columns = (left..<left + width).filter { (mask.left..<mask.left + mask.width).contains($0) }
    let shares = rows.flatMap { y in columns.map { Int32(mask.coverage[(y - mask.top) * mask.stride + $0 - mask.left]) }
    }
    guard !shares.isEmpty else { return old }
    let count = Int32(shares.count)
    let share = (shares.reduce(0, +) + count / 2) / count
    let weight = ((share + (share >> 7)) * opacity) >> 8
    return old + (((value - old) * weight + 128) >> 8)
  }

  @Test(arguments: formats + ["p010le", "rgba64le", "gbrp12le", "yuva420p"])
  func `full coverage gives the colour itself, and leaves alpha and the rest unchanged`(name: String) throws {
    let format = try #require(PixelFormat(name: name))
    let layout = try #require(format.layout)
    let size = PixelSize(width: 43, height: 21)
    var frame = try filled(format, size: size)
    let color = StoredColor(
      Color(red: 0.1, green: 0.8, blue: 0.4), layout: layout, description: frame.color, isFullRange: false, height: 21)
    // On the grid of every format's chroma.
    let box = Box(x: 4, y: 8, width: 36, height: 8)
    var mask = Mask()
    let isInside = mask.reset(
      covering: box, frame: size, chromaShiftX: layout.chromaShiftX, chromaShiftY: layout.chromaShiftY)
    try #require(isInside)
    mask.fill(box)
    try frame.withMutablePlanes { Canvas($0, layout: layout).paint(mask, color) }
    let owners = owners(of: frame, layout)
    for (index, sample) in samples(frame).enumerated() {
      let isCovered = box.intersection(Box(x: sample.x, y: sample.y, width: sample.width, height: sample.height)) != nil
      let component = index < owners.count ? owners[index] : nil
      let expected = component.flatMap { component in
        isCovered ? Int(color.values[component]) >> layout.components[component].shift : nil
      }
      #expect(sample.value == expected ?? 100, "component \(component ?? -1) at \(sample.x), \(sample.y)")
    }
  }
}
