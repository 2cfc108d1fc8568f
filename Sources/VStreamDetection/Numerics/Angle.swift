internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Angles in a frame, whose y axis points down.
enum Angle {
  /// The direction from one point to another in radians, clockwise from the x axis; 0 if they are the same.
  static func between(_ start: Point, _ end: Point) -> Double {
    let (x, y) = (end.x - start.x, end.y - start.y)
    return x == 0 && y == 0 || !x.isFinite || !y.isFinite ? 0 : atan2(y, x)
  }

  static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
