import Foundation
import VStreamCore
import VStreamInference
import VStreamMedia

/// What `RegionSampler` has to do, written down as plainly as can be: pixel by pixel, in doubles, without speed.
struct ReferenceSampler {
  let format: TensorFormat

  func sample(_ frame: VideoFrame, region: Box) throws -> [Double] {
    try tensor(of: frame, RotatedBox(region)) { grid, x, y in
      let across = taps(x, of: format.size.width, from: region.x, length: region.width, spacing: grid.spacingX)
      let down = taps(y, of: format.size.height, from: region.y, length: region.height, spacing: grid.spacingY)
      return grid.mean(across, down)
    }
  }

  func sample(_ frame: VideoFrame, region: RotatedBox) throws -> [Double] {
    try tensor(of: frame, region) { grid, x, y in
      let center = center(x, y, in: region)
      let (column, row) = (center.x / grid.spacingX - 0.5, center.y / grid.spacingY - 0.5)
      return grid.mean(around(column), around(row))
    }
  }

  private func tensor(
    of frame: VideoFrame, _ region: RotatedBox, _ value: (SampleGrid, _ x: Int, _ y: Int) -> Double
  ) throws -> [Double] {
    guard let layout = frame.format.layout else { throw VStreamError(.library, "no layout") }
    var tensor = [Double](repeating: 0, count: format.size.width * format.size.height * 3)
    let planes = layout.components.map { SampleGrid($0, of: frame) }
    for y in 0..<format.size.height {
      for x in 0..<format.size.width {
        let middle = center(x, y, in: region)
        let isOutside =
          middle.x < 0 || middle.y < 0 || middle.x > Double(frame.size.width) || middle.y > Double(frame.size.height)
        var colour = rgb(planes.map { value($0, x, y) }, of: frame, layout: layout)
        if isOutside, case .level(let level) = format.outside { colour = Array(repeating: Double(level), count: 3) }
        for channel in 0..<3 {
          let value = colour[format.order == .rgb ? channel : 2 - channel]
          tensor[index(x, y, channel)] = value * Double(format.scale[channel]) + Double(format.offset[channel])
        }
      }
    }
    return tensor
  }

  /// Where a target pixel's centre lies in the frame.
  private func center(_ x: Int, _ y: Int, in region: RotatedBox) -> Point {
    let (width, height) = (Double(format.size.width), Double(format.size.height))
    guard format.alignment == .corners else {
      return region.point(across: (Double(x) + 0.5) / width, down: (Double(y) + 0.5) / height)
    }
    let corner = region.point(across: Double(x) / width, down: Double(y) / height)
    return Point(x: corner.x + 0.5, y: corner.y + 0.5)
  }

  /// The two samples around a position, weighted by their distance.
  private func around(_ position: Double) -> [(sample: Int, weight: Double)] {
    let first = position.rounded(.down)
    return [(Int(first), 1 - (position - first)), (Int(first) + 1, position - first)]
  }

  private func index(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    switch format.layout {
    case .interleaved: (y * format.size.width + x) * 3 + channel
    case .planar: (channel * format.size.height + y) * format.size.width + x
    }
  }

  /// The samples around a target pixel's centre, on a grid that goes on for ever, and the weight of each.
  private func taps(
    _ index: Int, of target: Int, from start: Double, length: Double, spacing: Double
  ) -> [(sample: Int, weight: Double)] {
    let step = length / Double(target) / spacing
    let isCentered = format.alignment == .centers
    let center =
      isCentered
      ? start / spacing + (Double(index) + 0.5) * step - 0.5
      : (start + 0.5) / spacing + Double(index) * step - 0.5
    let reach = format.filter == .triangle ? max(1, step) : 1
    let near = Int((center - reach).rounded(.down))...Int((center + reach).rounded(.up))
    return near.map { ($0, max(0, 1 - abs(Double($0) - center) / reach)) }
  }

  /// Red, green and blue, 0…255, by the formulas of ITU-T H.273.
  private func rgb(_ stored: [Double], of frame: VideoFrame, layout: PixelLayout) -> [Double] {
    let greatest = Double((1 << layout.depth) - 1)
    let unit = Double(1 << (layout.depth - 8))
    if layout.model == .rgb { return stored.map { $0 / greatest * 255 } }
    let isFull = frame.format.description.hasPrefix("yuvj")
    let luma = isFull ? stored[0] / greatest : (stored[0] - 16 * unit) / (219 * unit)
    guard layout.model == .yuv else { return clamped([luma, luma, luma]) }
    let chromaSpan = isFull ? greatest : 224 * unit
    let pb = (stored[1] - 128 * unit) / chromaSpan
    let pr = (stored[2] - 128 * unit) / chromaSpan
    let (kr, kb) = frame.size.height >= 720 ? (0.2126, 0.0722) : (0.299, 0.114)
    let red = luma + 2 * (1 - kr) * pr
    let blue = luma + 2 * (1 - kb) * pb
    return clamped([red, (luma - kr * red - kb * blue) / (1 - kr - kb), blue])
  }

  private func clamped(_ colour: [Double]) -> [Double] { colour.map { min(1, max(0, $0)) * 255 } }
}

/// The samples of one component of a frame; past its edges, the edge's own go on.
private struct SampleGrid {
  /// Pixels from one sample to the next.
  let spacingX: Double
  let spacingY: Double
  private let rows: [[Double]]

  init(_ component: PixelLayout.Component, of frame: VideoFrame) {
    spacingX = Double(1 << component.shiftX)
    spacingY = Double(1 << component.shiftY)
    let width = Int((Double(frame.size.width) / spacingX).rounded(.up))
    let height = Int((Double(frame.size.height) / spacingY).rounded(.up))
    rows = frame.withPlanes { planes in
      (0..<height).map { y in (0..<width).map { x in Double(planes.sample(x, y, component)) } }
    }
  }

  func mean(_ across: [(sample: Int, weight: Double)], _ down: [(sample: Int, weight: Double)]) -> Double {
    var sum = 0.0
    var weights = 0.0
    for (y, weightY) in down {
      let row = rows[min(max(y, 0), rows.count - 1)]
      for (x, weightX) in across {
        sum += row[min(max(x, 0), row.count - 1)] * weightX * weightY
        weights += weightX * weightY
      }
    }
    return sum / weights
  }
}

extension VideoFrame.Planes {
  /// The number that one sample stands for.
  func sample(_ x: Int, _ y: Int, _ component: PixelLayout.Component) -> Int {
    guard let base = bases[component.plane] else { return 0 }
    let address = base + y * strides[component.plane] + component.offset + x * component.step
    let isWide = component.depth + component.shift > 8
    let stored = isWide ? Int(address.load(as: UInt16.self)) : Int(address.load(as: UInt8.self))
    return stored >> component.shift
  }
}

extension VideoFrame.MutablePlanes {
  func set(_ x: Int, _ y: Int, _ component: PixelLayout.Component, to value: Int) {
    guard let base = bases[component.plane] else { return }
    let address = base + y * strides[component.plane] + component.offset + x * component.step
    let stored = value << component.shift
    if component.depth + component.shift > 8 {
      address.storeBytes(of: UInt16(truncatingIfNeeded: stored), as: UInt16.self)
    } else {
      address.storeBytes(of: UInt8(truncatingIfNeeded: stored), as: UInt8.self)
    }
  }
}

/// Makes frames to sample.
enum FrameMaker {
  /// A frame whose samples are a function of component, column and row.
  static func frame(
    _ formatName: String, _ size: PixelSize, _ value: (_ component: Int, _ x: Int, _ y: Int) -> Int
  ) throws -> VideoFrame {
    guard let format = PixelFormat(name: formatName), let layout = format.layout else {
      throw VStreamError(.library, "\(formatName) is no format that can be addressed")
    }
    var frame = try VideoFrame(format: format, size: size, time: Time(ticks: 0, base: .milliseconds))
    try frame.withMutablePlanes { planes in
      for (index, component) in layout.components.enumerated() {
        for y in 0..<((size.height + (1 << component.shiftY) - 1) >> component.shiftY) {
          for x in 0..<((size.width + (1 << component.shiftX) - 1) >> component.shiftX) {
            planes.set(x, y, component, to: value(index, x, y))
          }
        }
      }
    }
    return frame
  }

  /// A frame of noise, always the same.
  static func noise(_ formatName: String, _ size: PixelSize) throws -> VideoFrame {
    let depth = PixelFormat(name: formatName)?.layout?.depth ?? 8
    var state: UInt64 = 42
    return try frame(formatName, size) { _, _, _ in
      // The constants of Knuth's MMIX generator.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) & ((1 << depth) - 1)
    }
  }

  /// A frame of one colour.
  static func plain(_ formatName: String, _ size: PixelSize, _ components: [Int]) throws -> VideoFrame {
    try frame(formatName, size) { component, _, _ in components[component] }
  }
}

extension RegionSampler {
  /// The tensor as an array.
  mutating func tensor(_ frame: VideoFrame, region: Box) throws -> [Float] {
    var tensor = [Float](repeating: .nan, count: format.size.width * format.size.height * 3)
    var span = tensor.mutableSpan
    try sample(frame, region: region, into: &span)
    return tensor
  }

  /// The tensor of a region that may be rotated.
  mutating func tensor(_ frame: VideoFrame, region: RotatedBox) throws -> [Float] {
    var tensor = [Float](repeating: .nan, count: format.size.width * format.size.height * 3)
    var span = tensor.mutableSpan
    try sample(frame, region: region, into: &span)
    return tensor
  }
}
