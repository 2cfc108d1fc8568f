public import VStreamScene

/// A polygon of the frame in which objects are counted.
public struct Zone: Hashable, Sendable {
  public var name: String
  /// Three or more corners in order, in pixels of the upright frame. The last one is connected to the first.
  public var corners: [Point]

  public init(name: String, corners: [Point]) {
    self.name = name
    self.corners = corners
  }

  /// Whether a point lies inside, by the number of edges that a ray from it crosses (even-odd rule).
  public func contains(_ point: Point) -> Bool {
    var isInside = false
    for (index, one) in corners.enumerated() {
      let other = corners[index == 0 ? corners.count - 1 : index - 1]
      guard (one.y > point.y) != (other.y > point.y) else { continue }
      let crossing = one.x + (point.y - one.y) / (other.y - one.y) * (other.x - one.x)
      if point.x < crossing { isInside.toggle() }
    }
    return isInside
  }
}
