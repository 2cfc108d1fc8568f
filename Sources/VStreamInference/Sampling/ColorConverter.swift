internal import VStreamCore
internal import VStreamMedia

/// Converts resampled components to the channels that a network takes.
struct ColorConverter {
  private let model: PixelLayout.Model
  private let format: TensorFormat
  /// Stored values to 0…1 for luma (or a colour), and to −½…½ for chroma.
  private let lumaScale: Float
  private let lumaOffset: Float
  private let chromaScale: Float
  private let chromaOffset: Float
  private let redOfV: Float
  private let greenOfU: Float
  private let greenOfV: Float
  private let blueOfU: Float

  init(frame: VideoFrame, layout: PixelLayout, format: TensorFormat) {
    model = layout.model
    self.format = format
    let range = SampleRange(
      depth: layout.depth, isFull: layout.model == .rgb || frame.color.isFullRange(format: frame.format))
    lumaScale = 1 / range.lumaSpan
    lumaOffset = -range.black / range.lumaSpan
    chromaScale = 1 / range.chromaSpan
    chromaOffset = -range.chromaMiddle / range.chromaSpan
    let (kr, kb) = frame.color.matrix(height: frame.size.height).weights
    let kg = 1 - kr - kb
    redOfV = 2 * (1 - kr)
    blueOfU = 2 * (1 - kb)
    greenOfU = -2 * (1 - kb) * kb / kg
    greenOfV = -2 * (1 - kr) * kr / kg
  }

  /// - Parameters:
  ///   - one: luma or red; `two` and `three` are chroma, or green and blue. `count` values each.
  ///   - target: `count` pixels, three values each.
  func convert(
    _ one: [Float], _ two: [Float], _ three: [Float], isGray: Bool, count: Int,
    to target: UnsafeMutableBufferPointer<Float>
  ) {
    one.withUnsafeBufferPointer { first in
      two.withUnsafeBufferPointer { second in
        three.withUnsafeBufferPointer { third in fill(first, second, third, count: count, to: target, isGray: isGray) }
      }
    }
  }

  /// One pass over the pixels, four at a time; `count` bounds every index, as the callers' arrays are of that size.
  private func fill(
    _ one: UnsafeBufferPointer<Float>, _ two: UnsafeBufferPointer<Float>, _ three: UnsafeBufferPointer<Float>,
    count: Int, to target: UnsafeMutableBufferPointer<Float>, isGray: Bool
  ) {
    guard let one = one.baseAddress, let two = two.baseAddress, let three = three.baseAddress,
      let target = target.baseAddress
    else { return }
    let isInterleaved = format.layout == .interleaved
    for index in stride(from: 0, to: count & ~3, by: 4) {
      let (first, second, third) = channels(
        Self.load(one + index), Self.load(two + index), Self.load(three + index), isGray: isGray)
      if isInterleaved {
        let pixels = target + 3 * index
        Self.store(Four(first.x, second.x, third.x, first.y), at: pixels)
        Self.store(Four(second.y, third.y, first.z, second.z), at: pixels + 4)
        Self.store(Four(third.z, first.w, second.w, third.w), at: pixels + 8)
      } else {
        Self.store(first, at: target + index)
        Self.store(second, at: target + count + index)
        Self.store(third, at: target + 2 * count + index)
      }
    }
    let (step, plane) = isInterleaved ? (3, 1) : (1, count)
    for index in (count & ~3)..<count {
      let (first, second, third) = channels(
        Four(repeating: one[index]), Four(repeating: two[index]), Four(repeating: three[index]), isGray: isGray)
      let pixel = target + step * index
      (pixel[0], pixel[plane], pixel[2 * plane]) = (first.x, second.x, third.x)
    }
  }

  /// One channel's values of four pixels.
  private typealias Four = SIMD4<Float>

  /// The network's channels of four pixels, in its order.
  ///
  /// Not inlined: the loop of `fill` then takes a quarter fewer instructions, as the constants stay in registers.
  @inline(never)
  private func channels(_ one: Four, _ two: Four, _ three: Four, isGray: Bool) -> (Four, Four, Four) {
    var r = one * lumaScale + lumaOffset
    var g = r
    var b = r
    if !isGray, model == .yuv {
      let (u, v) = (two * chromaScale + chromaOffset, three * chromaScale + chromaOffset)
      let luma = r
      r = luma + redOfV * v
      g = luma + greenOfU * u + greenOfV * v
      b = luma + blueOfU * u
    } else if !isGray {
      g = two * lumaScale + lumaOffset
      b = three * lumaScale + lumaOffset
    }
    let (first, third) = format.order == .rgb ? (r, b) : (b, r)
    let (scale, offset) = (255 * format.scale, format.offset)
    return (
      Self.clamped(first) * scale.x + offset.x, Self.clamped(g) * scale.y + offset.y,
      Self.clamped(third) * scale.z + offset.z
    )
  }

  /// To 0…1.
  @inline(__always)
  private static func clamped(_ values: Four) -> Four {
    let positive = values.replacing(with: 0, where: values .< 0)
    return positive.replacing(with: 1, where: positive .> 1)
  }

  @inline(__always)
  private static func load(_ address: UnsafePointer<Float>) -> Four {
    UnsafeRawPointer(address).loadUnaligned(as: Four.self)
  }

  @inline(__always)
  private static func store(_ values: Four, at address: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(address).storeBytes(of: values, as: Four.self)
  }
}
