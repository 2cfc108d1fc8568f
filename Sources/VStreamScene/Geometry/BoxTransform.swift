/// The translation and scaling that maps one box onto another.
public struct BoxTransform: Hashable, Sendable {
  /// The first box.
  public let from: Box
  /// The box that it becomes.
  public let to: Box

  public init(from: Box, to: Box) {
    self.from = from
    self.to = to
  }

  /// Ratios of the boxes' widths and heights; 1 where either side is not positive.
  public var scale: (x: Double, y: Double) {
    (
      from.width > 0 && to.width > 0 ? to.width / from.width : 1,
      from.height > 0 && to.height > 0 ? to.height / from.height : 1
    )
  }

  /// The point at the same place in the other box.
  public func applied(to point: Point) -> Point {
    let scale = scale
    return Point(
      x: to.center.x + (point.x - from.center.x) * scale.x, y: to.center.y + (point.y - from.center.y) * scale.y)
  }

  /// The box at the same place in the other box.
  public func applied(to box: Box) -> Box {
    let scale = scale
    return Box(center: applied(to: box.center), width: box.width * scale.x, height: box.height * scale.y)
  }
}
