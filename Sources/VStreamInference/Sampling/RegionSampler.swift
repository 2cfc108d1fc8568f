public import VStreamMedia
public import VStreamScene

/// What a network wants to see: a picture of a size, as floats in a given order.
public struct TensorFormat: Hashable, Sendable {
  public enum ChannelOrder: Hashable, Sendable {
    case rgb
    case bgr
  }

  /// How the floats lie in memory.
  public enum Layout: Hashable, Sendable {
    /// `[height, width, 3]`
    case interleaved
    /// `[3, height, width]`
    case planar
  }

  /// How a pixel is made of the source pixels around it.
  public enum Filter: Hashable, Sendable {
    /// Of the four nearest, whatever the scale: as most networks were trained, and as OpenCV resizes.
    case bilinear
    /// Of all that it covers, weighted by a triangle: no aliasing when made smaller.
    case triangle
  }

  /// What is seen past the frame's edge.
  public enum Outside: Hashable, Sendable {
    /// The edge's own pixels, for ever.
    case edge
    /// Each channel has this value, 0…255.
    case level(Float)

    public static var black: Outside { .level(0) }
  }

  /// Which places of the region the tensor's pixels show.
  public enum Alignment: Hashable, Sendable {
    /// A pixel shows what lies amid it.
    case centers
    /// A pixel shows the frame's pixel that begins where it begins: half of its own size further to the top left, as
    /// OpenCV's `warpPerspective` between corners does, and with it MediaPipe.
    case corners
  }

  public var size: PixelSize
  public var order: ChannelOrder
  public var layout: Layout
  public var filter: Filter
  public var outside: Outside
  public var alignment: Alignment
  /// A channel's value 0…255 is multiplied by this, channel by channel in `order`…
  public var scale: SIMD3<Float>
  /// …and this is added.
  public var offset: SIMD3<Float>

  public init(
    size: PixelSize, order: ChannelOrder = .rgb, layout: Layout = .interleaved, filter: Filter = .bilinear,
    outside: Outside = .edge, alignment: Alignment = .centers, scale: SIMD3<Float> = SIMD3(repeating: 1),
    offset: SIMD3<Float> = SIMD3(repeating: 0)
  ) {
    self.size = size
    self.order = order
    self.layout = layout
    self.filter = filter
    self.outside = outside
    self.alignment = alignment
    self.scale = scale
    self.offset = offset
  }
}

/// Makes a network's input of a region of a frame: scaled, in RGB and normalised, straight from the planes.
///
/// One owner at a time; its memory is reused from frame to frame.
public struct RegionSampler {
  public let format: TensorFormat
  private var resamplers: [PlaneResampler]
  private var turned: [RotatedPlaneResampler]
  private var geometry: Geometry?

  private struct Geometry: Equatable {
    let frame: PixelSize
    let pixels: PixelFormat
    let region: Box
  }

  public init(_ format: TensorFormat) {
    self.format = format
    resamplers = []
    turned = []
  }

  /// Fills `tensor` with the region of the frame, stretched to the tensor's size.
  ///
  /// - Parameters:
  ///   - region: pixels of the frame; what lies past its edge is as `format` says.
  ///   - tensor: as many floats as `format` has pixels, times 3.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed, or the tensor has another size.
  public mutating func sample(
    _ frame: VideoFrame, region: Box, into tensor: inout MutableSpan<Float>
  ) throws(VStreamError) {
    try sample(frame, region: RotatedBox(region), into: &tensor)
  }

  /// Fills `tensor` with the region of the frame, turned upright and stretched to the tensor's size.
  ///
  /// A region that stands askew is sampled bilinearly, whatever the format's filter.
  /// - Parameters: as above.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed, or the tensor has another size.
  public mutating func sample(
    _ frame: VideoFrame, region: RotatedBox, into tensor: inout MutableSpan<Float>
  ) throws(VStreamError) {
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be sampled")
    }
    let count = format.size.width * format.size.height
    guard tensor.count == count * 3 else {
      throw VStreamError(.library, "a tensor of \(tensor.count) floats for \(format.size) pixels")
    }
    let box = region.upright
    guard !box.isEmpty, region.angle.isFinite, max(abs(box.x), abs(box.y), box.width, box.height) < 1e6 else {
      throw VStreamError(
        .library, "a region of a frame cannot be \(box.width)×\(box.height) pixels at (\(box.x), \(box.y))")
    }
    let region = format.alignment == .centers ? region : shifted(region)
    // Of an upright region, the triangle's samples are many and lie in rows; bilinear ones are four wherever they lie.
    let isByRows = region.angle == 0 && format.filter == .triangle
    if isByRows { sampleUpright(frame, layout, region.upright) } else { sampleAskew(frame, layout, region) }
    let last = layout.components.count - 1
    func component(_ index: Int) -> [Float] { isByRows ? resamplers[index].result : turned[index].result }
    let converter = ColorConverter(frame: frame, layout: layout, format: format)
    tensor.withUnsafeMutableBufferPointer { target in
      converter.convert(
        component(0), component(min(1, last)), component(last), isGray: last == 0, count: count, to: target)
      if case .level(let level) = format.outside { fill(target, with: level, outside: frame.size, region) }
    }
  }

  /// The region whose pixels' centres are where the corners of this one's are, counted as centres.
  private func shifted(_ region: RotatedBox) -> RotatedBox {
    var shifted = region
    let center = region.point(
      across: 0.5 - 0.5 / Double(format.size.width), down: 0.5 - 0.5 / Double(format.size.height))
    shifted.center = Point(x: center.x + 0.5, y: center.y + 0.5)
    return shifted
  }

  /// Sets the results of `resamplers`, one for each component.
  private mutating func sampleUpright(_ frame: VideoFrame, _ layout: PixelLayout, _ region: Box) {
    let geometry = Geometry(frame: frame.size, pixels: frame.format, region: region)
    if geometry != self.geometry {
      resamplers = layout.components.map {
        PlaneResampler(
          component: $0, frame: frame.size, region: region, target: format.size)
      }
      self.geometry = geometry
    }
    frame.withPlanes { planes in
      for index in resamplers.indices { resamplers[index].run(planes) }
    }
  }

  /// Sets the results of `turned`, one for each component.
  private mutating func sampleAskew(_ frame: VideoFrame, _ layout: PixelLayout, _ region: RotatedBox) {
    while turned.count < layout.components.count { turned.append(RotatedPlaneResampler(target: format.size)) }
    frame.withPlanes { planes in
      for (index, component) in layout.components.enumerated() {
        turned[index].run(planes, component, region: region, target: format.size)
      }
    }
  }

  /// Gives the pixels a level whose centres lie outside the frame.
  private func fill(
    _ target: UnsafeMutableBufferPointer<Float>, with level: Float, outside frame: PixelSize, _ region: RotatedBox
  ) {
    func isInside(_ point: Point) -> Bool {
      point.x >= 0 && point.y >= 0 && point.x <= Double(frame.width) && point.y <= Double(frame.height)
    }
    let corners = [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].map { region.point(across: $0.0, down: $0.1) }
    if corners.allSatisfy(isInside) { return }
    let size = format.size
    let numbers = level * format.scale + format.offset
    let (step, plane) = format.layout == .interleaved ? (3, 1) : (1, size.width * size.height)
    let origin = region.point(across: 0, down: 0)
    let right = region.point(across: 1 / Double(size.width), down: 0)
    let below = region.point(across: 0, down: 1 / Double(size.height))
    func center(_ row: Int, _ column: Int) -> Point {
      let (i, j) = (Double(column) + 0.5, Double(row) + 0.5)
      return Point(
        x: origin.x + i * (right.x - origin.x) + j * (below.x - origin.x),
        y: origin.y + i * (right.y - origin.y) + j * (below.y - origin.y))
    }
    for row in 0..<size.height {
      // What lies between two pixels inside is inside as well.
      if isInside(center(row, 0)), isInside(center(row, size.width - 1)) { continue }
      for column in 0..<size.width {
        if isInside(center(row, column)) { continue }
        let first = (row * size.width + column) * step
        for channel in 0..<3 { target[first + channel * plane] = numbers[channel] }
      }
    }
  }
}

/// Turns resampled components into the channels that a network wants.
private struct ColorConverter {
  let model: PixelLayout.Model
  let format: TensorFormat
  /// Stored numbers to 0…1 for luma (or a colour), and to −½…½ for chroma.
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

  /// One pass over the pixels, four at a time; `count` bounds every index, as the callers' arrays are made of that size.
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
        Self.four(one + index), Self.four(two + index), Self.four(three + index), isGray: isGray)
      if isInterleaved {
        let place = target + 3 * index
        Self.store(Four(first.x, second.x, third.x, first.y), at: place)
        Self.store(Four(second.y, third.y, first.z, second.z), at: place + 4)
        Self.store(Four(third.z, first.w, second.w, third.w), at: place + 8)
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
      let place = target + step * index
      (place[0], place[plane], place[2 * plane]) = (first.x, second.x, third.x)
    }
  }

  /// Four pixels' numbers of one channel.
  private typealias Four = SIMD4<Float>

  /// What the network wants of four pixels, channel by channel in its order.
  @inline(__always)
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
      Self.bounded(first) * scale.x + offset.x, Self.bounded(g) * scale.y + offset.y,
      Self.bounded(third) * scale.z + offset.z
    )
  }

  @inline(__always)
  private static func bounded(_ numbers: Four) -> Four {
    let positive = numbers.replacing(with: 0, where: numbers .< 0)
    return positive.replacing(with: 1, where: positive .> 1)
  }

  @inline(__always)
  private static func four(_ place: UnsafePointer<Float>) -> Four {
    UnsafeRawPointer(place).loadUnaligned(as: Four.self)
  }

  @inline(__always)
  private static func store(_ numbers: Four, at place: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(place).storeBytes(of: numbers, as: Four.self)
  }
}
