internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Angles in a frame, whose y axis points down.
enum Angle {
  /// Radians by which the way from one point to another is turned clockwise from level; 0 where they are the same.
  static func between(_ start: Point, _ end: Point) -> Double {
    let (x, y) = (end.x - start.x, end.y - start.y)
    return x == 0 && y == 0 || !x.isFinite || !y.isFinite ? 0 : atan2(y, x)
  }

  static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
