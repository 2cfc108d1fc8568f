/// A position in a frame, in pixels; the origin is the top left corner of the top left pixel, and y points downwards.
public struct Point: Hashable, Sendable {
  /// To the right from the left edge.
  public var x: Double
  /// Downwards from the top edge.
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// A width and a height in whole pixels.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
  /// In pixels.
  public var width: Int
  /// In pixels.
  public var height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// `768×576`.
  public var description: String { "\(width)×\(height)" }
}

/// An upright rectangle in a frame, in pixels; the origin is the frame's top left corner.
///
/// A box may extend beyond the frame. Boxes with a side that is not positive, or with a coordinate that is not finite, are
/// empty and overlap nothing.
public struct Box: Hashable, Sendable {
  /// Left edge.
  public var x: Double
  /// Top edge.
  public var y: Double
  /// From the left edge to the right one.
  public var width: Double
  /// From the top edge to the bottom one.
  public var height: Double

  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The box between two corners.
  public init(left: Double, top: Double, right: Double, bottom: Double) {
    self.init(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The box with a centre and a size.
  public init(center: Point, width: Double, height: Double) {
    self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
  }

  /// Right edge.
  public var right: Double { x + width }
  /// Bottom edge.
  public var bottom: Double { y + height }
  /// Half way between its edges.
  public var center: Point { Point(x: x + width / 2, y: y + height / 2) }

  /// Width × height in square pixels, 0 for an empty box.
  public var area: Double { isEmpty ? 0 : width * height }

  /// Whether the box has no area, or a coordinate that is not finite.
  public var isEmpty: Bool {
    !(width > 0 && height > 0 && width.isFinite && height.isFinite && x.isFinite && y.isFinite)
  }

  /// The common part of two boxes; `nil` if they have no area in common.
  public func intersection(_ other: Box) -> Box? {
    let common = Box(
      left: max(x, other.x), top: max(y, other.y), right: min(right, other.right), bottom: min(bottom, other.bottom))
    return common.isEmpty || isEmpty || other.isEmpty ? nil : common
  }

  /// Whether a point is in the box, or on its left or top edge.
  public func contains(_ point: Point) -> Bool {
    point.x >= x && point.x < right && point.y >= y && point.y < bottom
  }

  /// The smallest box that holds both boxes; the other box if one is empty.
  public func hull(_ other: Box) -> Box {
    if isEmpty || other.isEmpty { return isEmpty ? other : self }
    return Box(
      left: min(x, other.x), top: min(y, other.y), right: max(right, other.right), bottom: max(bottom, other.bottom))
  }

  /// Intersection over the area of the smaller box, 0…1; 0 if either is empty.
  package func overlap(_ other: Box) -> Double {
    guard let common = intersection(other) else { return 0 }
    return common.area / min(area, other.area)
  }

  /// Intersection over union, 0…1; 0 if either box is empty.
  public func iou(_ other: Box) -> Double {
    let commonWidth = min(right, other.right) - max(x, other.x)
    let commonHeight = min(bottom, other.bottom) - max(y, other.y)
    guard commonWidth > 0, commonHeight > 0, !isEmpty, !other.isEmpty else { return 0 }
    let common = commonWidth * commonHeight
    let union = width * height + other.width * other.height - common
    return union > 0 ? min(1, common / union) : 0
  }

  /// The box enlarged on each side by a fraction of its own size: `buffered(by: 0.3)` is 1.6 times as wide and high.
  public func buffered(by fraction: Double) -> Box {
    Box(
      x: x - width * fraction, y: y - height * fraction, width: width * (1 + 2 * fraction),
      height: height * (1 + 2 * fraction))
  }

  /// The box in a frame that is `horizontal` times as wide and `vertical` times as high.
  public func scaled(x horizontal: Double, y vertical: Double) -> Box {
    Box(x: x * horizontal, y: y * vertical, width: width * horizontal, height: height * vertical)
  }

  /// The part of the box inside a frame of `size`; `nil` if it is outside.
  public func clipped(to size: PixelSize) -> Box? {
    intersection(Box(x: 0, y: 0, width: Double(size.width), height: Double(size.height)))
  }
}

/// The translation and scaling that maps one box onto another.
package struct BoxTransform: Hashable, Sendable {
  /// The first box.
  package let from: Box
  /// The box that it becomes.
  package let to: Box

  package init(from: Box, to: Box) {
    self.from = from
    self.to = to
  }

  /// Ratios of the boxes' widths and heights; 1 where either side is not positive.
  package var scale: (x: Double, y: Double) {
    (
      from.width > 0 && to.width > 0 ? to.width / from.width : 1,
      from.height > 0 && to.height > 0 ? to.height / from.height : 1
    )
  }

  /// The point at the same place in the other box.
  package func applied(to point: Point) -> Point {
    let scale = scale
    return Point(
      x: to.center.x + (point.x - from.center.x) * scale.x, y: to.center.y + (point.y - from.center.y) * scale.y)
  }

  /// The box at the same place in the other box.
  package func applied(to box: Box) -> Box {
    let scale = scale
    return Box(center: applied(to: box.center), width: box.width * scale.x, height: box.height * scale.y)
  }
}

// Apple's Vision has its origin in the lower left corner, with y upwards, in fractions of the image's sides.

extension Point {
  /// This position in Vision's coordinates: 0…1 from the lower left corner of an image of `size`.
  public func normalized(in size: PixelSize) -> Point {
    Point(x: x / Double(size.width), y: 1 - y / Double(size.height))
  }

  /// The position of a point in Vision's coordinates, in pixels of an image of `size`.
  public init(normalized point: Point, in size: PixelSize) {
    self.init(x: point.x * Double(size.width), y: (1 - point.y) * Double(size.height))
  }
}

extension Box {
  /// This box in Vision's coordinates: its origin is the lower left corner, in fractions of an image of `size`.
  public func normalized(in size: PixelSize) -> Box {
    let corner = Point(x: x, y: bottom).normalized(in: size)
    return Box(x: corner.x, y: corner.y, width: width / Double(size.width), height: height / Double(size.height))
  }

  /// The box given in Vision's coordinates, in pixels of an image of `size`.
  public init(normalized box: Box, in size: PixelSize) {
    let corner = Point(normalized: Point(x: box.x, y: box.bottom), in: size)
    self.init(
      x: corner.x, y: corner.y, width: box.width * Double(size.width), height: box.height * Double(size.height))
  }
}

extension Int {
  /// The nearest representable integer; 0 for NaN.
  package init(clamping value: Double) {
    let rounded = value.rounded()
    self = rounded.isNaN ? 0 : rounded >= 9.2e18 ? .max : rounded <= -9.2e18 ? .min : Int(rounded)
  }
}
