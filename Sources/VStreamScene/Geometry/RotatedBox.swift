#if canImport(Glibc)
  internal import Glibc
#endif

/// A rectangle in a frame that may stand askew, in pixels.
public struct RotatedBox: Hashable, Sendable, Codable {
  public var center: Point
  public var width: Double
  public var height: Double
  /// Radians by which it is turned, clockwise as seen.
  public var angle: Double

  public init(center: Point, width: Double, height: Double, angle: Double) {
    self.center = center
    self.width = width
    self.height = height
    self.angle = angle
  }

  /// An upright rectangle.
  public init(_ box: Box) { self.init(center: box.center, width: box.width, height: box.height, angle: 0) }

  /// The rectangle as it would be if it were not turned.
  public var upright: Box { Box(center: center, width: width, height: height) }

  /// A place in the frame, given in fractions of the rectangle's sides from its own top left corner.
  public func point(across: Double, down: Double) -> Point {
    let (x, y) = ((across - 0.5) * width, (down - 0.5) * height)
    return Point(x: center.x + x * cos(angle) - y * sin(angle), y: center.y + x * sin(angle) + y * cos(angle))
  }
}
