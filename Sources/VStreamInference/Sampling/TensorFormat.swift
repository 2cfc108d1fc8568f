package import VStreamCore

/// The image that a network takes: its size, and how pixels become floats in memory.
package struct TensorFormat: Hashable, Sendable {
  package enum ChannelOrder: Hashable, Sendable {
    case rgb
    case bgr
  }

  /// The order of the floats in memory.
  package enum Layout: Hashable, Sendable {
    /// `[height, width, 3]`
    case interleaved
    /// `[3, height, width]`
    case planar
  }

  /// How a pixel is computed from the source pixels around it.
  package enum Filter: Hashable, Sendable {
    /// From the four nearest, whatever the scale: as most networks were trained, and as OpenCV resizes.
    case bilinear
    /// From all that it covers, weighted by a triangle: no aliasing when the image is reduced.
    case triangle
  }

  /// The values of pixels beyond the frame's edges.
  package enum Outside: Hashable, Sendable {
    /// The nearest pixel of the frame.
    case edge
    /// Each channel has this value, 0…255.
    case level(Float)

    package static var black: Outside { .level(0) }
  }

  /// The point of the region that a pixel of the tensor is sampled at.
  package enum Alignment: Hashable, Sendable {
    /// The pixel's centre (half-pixel centres).
    case centers
    /// The pixel's top left corner, counted as the centre of a pixel of the frame: as OpenCV's `warpPerspective` between
    /// corners does, and with it MediaPipe.
    case corners
  }

  package var size: PixelSize
  package var order: ChannelOrder
  package var layout: Layout
  package var filter: Filter
  package var outside: Outside
  package var alignment: Alignment
  /// Factor for a channel's value 0…255, channel by channel in `order`.
  package var scale: SIMD3<Float>
  /// Added to the product.
  package var offset: SIMD3<Float>

  package init(
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

  /// The number of pixels.
  var pixelCount: Int { size.width * size.height }
}
