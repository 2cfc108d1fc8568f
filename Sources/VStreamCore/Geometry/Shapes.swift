#if canImport(Glibc)
  internal import Glibc
#endif

/// An upright ellipse in a frame, in pixels; the origin is the frame's top left corner.
package struct Ellipse: Hashable, Sendable, Codable {
  /// In pixels.
  package var center: Point
  /// Half of its width.
  package var radiusX: Double
  /// Half of its height.
  package var radiusY: Double

  package init(center: Point, radiusX: Double, radiusY: Double) {
    self.center = center
    self.radiusX = radiusX
    self.radiusY = radiusY
  }

  /// The ellipse through a box's corners with the box's aspect ratio, which contains the whole box.
  package init(around box: Box) {
    let half = 2.0.squareRoot() / 2
    self.init(center: box.center, radiusX: box.width * half, radiusY: box.height * half)
  }

  /// The smallest box that holds the ellipse.
  package var bounds: Box { Box(center: center, width: 2 * radiusX, height: 2 * radiusY) }

  /// Whether a point is in it.
  package func contains(_ point: Point) -> Bool {
    guard !bounds.isEmpty else { return false }
    let (x, y) = ((point.x - center.x) / radiusX, (point.y - center.y) / radiusY)
    return x * x + y * y <= 1
  }
}

extension Box {
  /// The fraction of the box that lies in any of the ellipses, 0…1, sampled at 32 × 32 points; 1 for an empty box.
  package func coveredFraction(by ellipses: [Ellipse]) -> Double {
    guard !isEmpty else { return 1 }
    let near = ellipses.filter { $0.bounds.intersection(self) != nil }
    guard !near.isEmpty else { return 0 }
    let steps = 32
    var covered = 0
    for row in 0..<steps {
      let y = self.y + height * (Double(row) + 0.5) / Double(steps)
      for column in 0..<steps {
        let point = Point(x: x + width * (Double(column) + 0.5) / Double(steps), y: y)
        if near.contains(where: { $0.contains(point) }) { covered += 1 }
      }
    }
    return Double(covered) / Double(steps * steps)
  }
}

/// A rotated rectangle in a frame, in pixels.
package struct RotatedBox: Hashable, Sendable, Codable {
  /// In pixels.
  package var center: Point
  /// Before it is rotated.
  package var width: Double
  /// Before it is rotated.
  package var height: Double
  /// Rotation around the centre in radians, clockwise in the image.
  package var angle: Double

  package init(center: Point, width: Double, height: Double, angle: Double) {
    self.center = center
    self.width = width
    self.height = height
    self.angle = angle
  }

  /// A rectangle without rotation.
  package init(_ box: Box) { self.init(center: box.center, width: box.width, height: box.height, angle: 0) }

  /// The rectangle without its rotation.
  package var upright: Box { Box(center: center, width: width, height: height) }

  /// The frame position of a point given in fractions of the rectangle's sides, from its own top left corner.
  package func point(across: Double, down: Double) -> Point {
    let (x, y) = ((across - 0.5) * width, (down - 0.5) * height)
    return Point(x: center.x + x * cos(angle) - y * sin(angle), y: center.y + x * sin(angle) + y * cos(angle))
  }
}
