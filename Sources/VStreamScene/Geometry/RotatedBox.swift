#if canImport(Glibc)
  internal import Glibc
#endif

/// A rotated rectangle in a frame, in pixels.
public struct RotatedBox: Hashable, Sendable, Codable {
  /// In pixels.
  public var center: Point
  /// Before it is rotated.
  public var width: Double
  /// Before it is rotated.
  public var height: Double
  /// Rotation around the centre in radians, clockwise in the image.
  public var angle: Double

  public init(center: Point, width: Double, height: Double, angle: Double) {
    self.center = center
    self.width = width
    self.height = height
    self.angle = angle
  }

  /// A rectangle without rotation.
  public init(_ box: Box) { self.init(center: box.center, width: box.width, height: box.height, angle: 0) }

  /// The rectangle without its rotation.
  public var upright: Box { Box(center: center, width: width, height: height) }

  /// The frame position of a point given in fractions of the rectangle's sides, from its own top left corner.
  public func point(across: Double, down: Double) -> Point {
    let (x, y) = ((across - 0.5) * width, (down - 0.5) * height)
    return Point(x: center.x + x * cos(angle) - y * sin(angle), y: center.y + x * sin(angle) + y * cos(angle))
  }
}
