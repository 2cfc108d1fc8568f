package import VStreamCore

/// The outline and label of a counting zone or line, with its current counts.
package struct RegionMark: Hashable, Sendable {
  /// The corners in order, or the line's ends, in pixels of the frame.
  var points: [Point]
  var isClosed: Bool
  var text: String
  /// Index among all zones and lines, which determines the colour.
  var number: Int

  /// A zone, with the objects inside now.
  package init(zone corners: [Point], number: Int, counts: RegionCounts.InZone) {
    points = corners
    isClosed = true
    text = "\(counts.name)  \(Self.list(counts.inside))"
    self.number = number
  }

  /// A line, with its crossings in each direction; arrows show its right and left in the frame.
  package init(line start: Point, _ end: Point, number: Int, counts: RegionCounts.AcrossLine) {
    points = [start, end]
    isClosed = false
    let right = Self.arrow(x: start.y - end.y, y: end.x - start.x)
    let left = Self.arrow(x: end.y - start.y, y: start.x - end.x)
    text = "\(counts.name)  \(right) \(Self.list(counts.toRight))  \(left) \(Self.list(counts.toLeft))"
    self.number = number
  }

  /// The offset gives zones and lines other colours than objects and faces.
  var color: Color { Color(number: number + 2000) }

  /// `3 person 1 car`, by descending count; `0` for none.
  private static func list(_ counts: [String: Int]) -> String {
    let sorted = counts.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.isEmpty ? "0" : sorted.map { "\($0.value) \($0.key)" }.joined(separator: " ")
  }

  /// The arrow that is nearest to a direction in the frame.
  private static func arrow(x: Double, y: Double) -> Character {
    let (across, down) = (abs(x), abs(y))
    // The tangent of 22.5°, half way between an axis and a diagonal.
    let slope = 0.414
    if down < slope * across { return x > 0 ? "→" : "←" }
    if across < slope * down { return y > 0 ? "↓" : "↑" }
    return x > 0 ? (y > 0 ? "↘" : "↗") : (y > 0 ? "↙" : "↖")
  }

  /// The outline, with a black border that contrasts with any background.
  func strokes(lineWidth: Double) -> [Stroke] {
    let outline = isClosed ? points + points.prefix(1) : points
    return [
      Stroke(points: outline, width: lineWidth + 2, color: .black),
      Stroke(points: outline, width: lineWidth, color: color),
    ]
  }

  /// The box that the label is placed at: a zone's bounds, or a line's midpoint.
  var anchor: Box {
    guard isClosed else {
      return Box(
        x: (points[0].x + points[1].x) / 2, y: (points[0].y + points[1].y) / 2, width: 0, height: 0)
    }
    let (x, y) = (points.map(\.x), points.map(\.y))
    return Box(left: x.min() ?? 0, top: y.min() ?? 0, right: x.max() ?? 0, bottom: y.max() ?? 0)
  }
}
