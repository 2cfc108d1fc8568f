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

  public var size: PixelSize
  public var order: ChannelOrder
  public var layout: Layout
  public var filter: Filter
  /// A channel's value 0…255 is multiplied by this, channel by channel in `order`…
  public var scale: SIMD3<Float>
  /// …and this is added.
  public var offset: SIMD3<Float>

  public init(
    size: PixelSize, order: ChannelOrder = .rgb, layout: Layout = .interleaved, filter: Filter = .bilinear,
    scale: SIMD3<Float> = SIMD3(repeating: 1), offset: SIMD3<Float> = SIMD3(repeating: 0)
  ) {
    self.size = size
    self.order = order
    self.layout = layout
    self.filter = filter
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
  private var geometry: Geometry?

  private struct Geometry: Equatable {
    let frame: PixelSize
    let pixels: PixelFormat
    let region: Box
  }

  public init(_ format: TensorFormat) {
    self.format = format
    resamplers = []
  }

  /// Fills `tensor` with the region of the frame, stretched to the tensor's size.
  ///
  /// - Parameters:
  ///   - region: pixels of the frame; what lies past its edge repeats the edge.
  ///   - tensor: as many floats as `format` has pixels, times 3.
  /// - Throws: `VStreamError.library` if the frame's pixels cannot be addressed, or the tensor has another size.
  public mutating func sample(
    _ frame: VideoFrame, region: Box, into tensor: inout MutableSpan<Float>
  ) throws(VStreamError) {
    guard let layout = frame.format.layout else {
      throw VStreamError(.library, "frames of format \(frame.format) cannot be sampled")
    }
    let count = format.size.width * format.size.height
    guard tensor.count == count * 3 else {
      throw VStreamError(.library, "a tensor of \(tensor.count) floats for \(format.size) pixels")
    }
    guard !region.isEmpty, max(abs(region.x), abs(region.y), region.width, region.height) < 1e6 else {
      throw VStreamError(.library, "a region of a frame cannot be \(region)")
    }
    let geometry = Geometry(frame: frame.size, pixels: frame.format, region: region)
    if geometry != self.geometry {
      resamplers = layout.components.map {
        PlaneResampler(
          component: $0, frame: frame.size, region: region, target: format.size, filter: format.filter)
      }
      self.geometry = geometry
    }
    frame.withPlanes { planes in
      for index in resamplers.indices { resamplers[index].run(planes) }
    }
    let converter = ColorConverter(frame: frame, layout: layout, format: format)
    tensor.withUnsafeMutableBufferPointer { target in
      converter.convert(resamplers, count: count, to: target)
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

  func convert(_ components: [PlaneResampler], count: Int, to target: UnsafeMutableBufferPointer<Float>) {
    components[0].result.withUnsafeBufferPointer { first in
      guard components.count == 3 else { return fill(first, first, first, count: count, to: target, isGray: true) }
      components[1].result.withUnsafeBufferPointer { second in
        components[2].result.withUnsafeBufferPointer { third in
          fill(first, second, third, count: count, to: target, isGray: false)
        }
      }
    }
  }

  /// One pass over the pixels; `count` bounds every index, as the callers' arrays are made of that size.
  private func fill(
    _ one: UnsafeBufferPointer<Float>, _ two: UnsafeBufferPointer<Float>, _ three: UnsafeBufferPointer<Float>,
    count: Int, to target: UnsafeMutableBufferPointer<Float>, isGray: Bool
  ) {
    let step = format.layout == .interleaved ? 3 : 1
    let plane = format.layout == .interleaved ? 1 : count
    let (first, last) = format.order == .rgb ? (0, 2) : (2, 0)
    let (red, blue) = (first * plane, last * plane)
    let (scale, offset) = (255 * format.scale, format.offset)
    let (scaleRed, scaleGreen, scaleBlue) = (scale[first], scale[1], scale[last])
    let (offsetRed, offsetGreen, offsetBlue) = (offset[first], offset[1], offset[last])
    let isYUV = model == .yuv && !isGray
    for index in 0..<count {
      var r = one[index] * lumaScale + lumaOffset
      var g = r
      var b = r
      if isYUV {
        let u = two[index] * chromaScale + chromaOffset
        let v = three[index] * chromaScale + chromaOffset
        let luma = r
        r = luma + redOfV * v
        g = luma + greenOfU * u + greenOfV * v
        b = luma + blueOfU * u
      } else if !isGray {
        g = two[index] * lumaScale + lumaOffset
        b = three[index] * lumaScale + lumaOffset
      }
      target[index * step + red] = min(1, max(0, r)) * scaleRed + offsetRed
      target[index * step + plane] = min(1, max(0, g)) * scaleGreen + offsetGreen
      target[index * step + blue] = min(1, max(0, b)) * scaleBlue + offsetBlue
    }
  }
}
