internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A polyline with a width and round ends; a single point is a dot.
struct Stroke: Hashable {
  var points: [Point]
  var width: Double
  var color: Color
  /// 0…1.
  var opacity = 1.0

  /// The smallest box that holds the stroke.
  var bounds: Box {
    let reach = width / 2 + 0.5
    let (x, y) = (points.map(\.x), points.map(\.y))
    return Box(
      left: (x.min() ?? 0) - reach, top: (y.min() ?? 0) - reach, right: (x.max() ?? 0) + reach,
      bottom: (y.max() ?? 0) + reach)
  }

  /// The lines between successive points; a single point has one line of length 0.
  var lines: [(start: Point, end: Point)] {
    points.count > 1 ? Array(zip(points, points.dropFirst())) : points.map { ($0, $0) }
  }

  /// The tiles of a frame that the stroke may intersect, row by row.
  func tiles(in frame: PixelSize, side: Int) -> [Box] {
    guard let inside = bounds.clipped(to: frame) else { return [] }
    let step = Double(side)
    // A tile's half diagonal plus half the stroke's width.
    let reach = step * 0.7072 + width / 2 + 0.5
    let firstColumn = (inside.x / step).rounded(.down) * step
    let firstRow = (inside.y / step).rounded(.down) * step
    return stride(from: firstRow, to: inside.bottom, by: step).flatMap { y in
      stride(from: firstColumn, to: inside.right, by: step).compactMap { x in
        let tile = Box(x: x, y: y, width: step, height: step)
        return lines.contains { tile.center.distance(toLineFrom: $0.start, to: $0.end) <= reach } ? tile : nil
      }
    }
  }
}

extension Point {
  /// The distance to the line between two points, in pixels.
  fileprivate func distance(toLineFrom start: Point, to end: Point) -> Double {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let squared = dx * dx + dy * dy
    let along = squared > 0 ? min(1, max(0, ((x - start.x) * dx + (y - start.y) * dy) / squared)) : 0
    return hypot(x - start.x - along * dx, y - start.y - along * dy)
  }
}

extension Mask {
  /// Adds a stroke; pixels at its edge are covered partly, by the distance of their centre.
  mutating func draw(_ stroke: Stroke) {
    for (start, end) in stroke.lines { draw(from: start, to: end, radius: stroke.width / 2) }
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
        let covered = reach - hypot(x - along * dx, y - along * dy)
        if covered > 0 { cover(column, row, UInt8((min(1, covered) * 255).rounded())) }
      }
    }
  }

  /// The range of pixels, of `count` from `first` on, that lie between two coordinates.
  private func pixels(_ low: Double, _ high: Double, from first: Int, count: Int) -> Range<Int> {
    let start = max(0, Int(clamping: low.rounded(.down)) - first)
    return start..<max(start, min(count, Int(clamping: high.rounded(.up)) - first))
  }
}
