public import VStreamScene

/// The image that a network takes: its size, and how pixels become floats in memory.
public struct TensorFormat: Hashable, Sendable {
  public enum ChannelOrder: Hashable, Sendable {
    case rgb
    case bgr
  }

  /// The order of the floats in memory.
  public enum Layout: Hashable, Sendable {
    /// `[height, width, 3]`
    case interleaved
    /// `[3, height, width]`
    case planar
  }

  /// How a pixel is computed from the source pixels around it.
  public enum Filter: Hashable, Sendable {
    /// From the four nearest, whatever the scale: as most networks were trained, and as OpenCV resizes.
    case bilinear
    /// From all that it covers, weighted by a triangle: no aliasing when the image is reduced.
    case triangle
  }

  /// The values of pixels beyond the frame's edges.
  public enum Outside: Hashable, Sendable {
    /// The nearest pixel of the frame.
    case edge
    /// Each channel has this value, 0…255.
    case level(Float)

    public static var black: Outside { .level(0) }
  }

  /// The point of the region that a pixel of the tensor is sampled at.
  public enum Alignment: Hashable, Sendable {
    /// The pixel's centre (half-pixel centres).
    case centers
    /// The pixel's top left corner, counted as the centre of a pixel of the frame: as OpenCV's `warpPerspective` between
    /// corners does, and with it MediaPipe.
    case corners
  }

  public var size: PixelSize
  public var order: ChannelOrder
  public var layout: Layout
  public var filter: Filter
  public var outside: Outside
  public var alignment: Alignment
  /// Factor for a channel's value 0…255, channel by channel in `order`.
  public var scale: SIMD3<Float>
  /// Added to the product.
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

  /// The number of pixels.
  var pixelCount: Int { size.width * size.height }
}
