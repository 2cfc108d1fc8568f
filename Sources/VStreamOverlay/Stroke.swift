internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Lines of a width with round ends through points; a single point is a dot.
struct Stroke: Hashable {
  var points: [Point]
  var width: Double
  var color: Color
  /// 0…1: 1 covers what is under it.
  var opacity = 1.0

  /// The smallest box around all that it covers.
  var bounds: Box {
    let reach = width / 2 + 0.5
    let (x, y) = (points.map(\.x), points.map(\.y))
    return Box(
      left: (x.min() ?? 0) - reach, top: (y.min() ?? 0) - reach, right: (x.max() ?? 0) + reach,
      bottom: (y.max() ?? 0) + reach)
  }
}

extension Mask {
  /// Covers what a stroke does; a pixel at its edge in part, by its centre's distance.
  mutating func draw(_ stroke: Stroke) {
    let ends =
      stroke.points.count > 1 ? Array(zip(stroke.points, stroke.points.dropFirst())) : stroke.points.map { ($0, $0) }
    for (start, end) in ends { draw(from: start, to: end, radius: stroke.width / 2) }
  }

  private mutating func draw(from start: Point, to end: Point, radius: Double) {
    let reach = radius + 0.5
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let squared = dx * dx + dy * dy
    let columns = pixels(min(start.x, end.x) - reach, max(start.x, end.x) + reach, from: left, count: width)
    let rows = pixels(min(start.y, end.y) - reach, max(start.y, end.y) + reach, from: top, count: height)
    for row in rows {
      for column in columns {
        let (x, y) = (Double(left + column) + 0.5 - start.x, Double(top + row) + 0.5 - start.y)
        let along = squared > 0 ? min(1, max(0, (x * dx + y * dy) / squared)) : 0
        let share = reach - hypot(x - along * dx, y - along * dy)
        if share > 0 { cover(column, row, UInt8((min(1, share) * 255).rounded())) }
      }
    }
  }

  /// Which of so many pixels lie between two places.
  private func pixels(_ low: Double, _ high: Double, from first: Int, count: Int) -> Range<Int> {
    let start = max(0, Int(clamping: low.rounded(.down)) - first)
    return start..<max(start, min(count, Int(clamping: high.rounded(.up)) - first))
  }
}
