public import VStreamScene

/// A line in the frame whose crossings are counted, separately for each direction.
public struct CountingLine: Hashable, Sendable {
  public var name: String
  /// In pixels of the upright frame.
  public var start: Point
  public var end: Point

  public init(name: String, start: Point, end: Point) {
    self.name = name
    self.start = start
    self.end = end
  }

  /// The distance of a point from the line in pixels: positive to the right, seen from the start towards the end, and
  /// negative to the left.
  func distance(of point: Point) -> Double {
    let (x, y) = (end.x - start.x, end.y - start.y)
    let length = (x * x + y * y).squareRoot()
    return length > 0 ? (x * (point.y - start.y) - y * (point.x - start.x)) / length : 0
  }

  /// Whether the path from one point to another crosses the line between its ends.
  func isCrossed(from one: Point, to other: Point) -> Bool {
    let (before, after) = (distance(of: one), distance(of: other))
    guard (before < 0) != (after < 0) else { return false }
    let fraction = before / (before - after)
    let crossing = Point(x: one.x + fraction * (other.x - one.x), y: one.y + fraction * (other.y - one.y))
    let (x, y) = (end.x - start.x, end.y - start.y)
    let along = ((crossing.x - start.x) * x + (crossing.y - start.y) * y) / (x * x + y * y)
    return (0...1).contains(along)
  }
}
