public import VStreamScene

/// A zone or line in which things are counted, as it is drawn: its outline, its name and what is counted by now.
public struct RegionMark: Hashable, Sendable {
  /// Corners in their order, or the line's ends, in pixels of the frame.
  var points: [Point]
  var isClosed: Bool
  var text: String
  /// Among all zones and lines, for its colour.
  var number: Int

  /// A zone, with what is inside now.
  public init(zone corners: [Point], number: Int, counts: RegionCounts.InZone) {
    points = corners
    isClosed = true
    text = "\(counts.name)  \(Self.list(counts.inside))"
    self.number = number
  }

  /// A line, with what has crossed it each way; arrows show where its right and left are in the picture.
  public init(line start: Point, _ end: Point, number: Int, counts: RegionCounts.AcrossLine) {
    points = [start, end]
    isClosed = false
    let right = Self.arrow(x: start.y - end.y, y: end.x - start.x)
    let left = Self.arrow(x: end.y - start.y, y: start.x - end.x)
    text = "\(counts.name)  \(right) \(Self.list(counts.toRight))  \(left) \(Self.list(counts.toLeft))"
    self.number = number
  }

  /// Zones and lines are numbered for themselves, far from the colours of objects and faces.
  var color: Color { Color(number: number + 2000) }

  /// `3 person 1 car`, the most first; `0` for nothing.
  private static func list(_ counts: [String: Int]) -> String {
    let sorted = counts.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.isEmpty ? "0" : sorted.map { "\($0.value) \($0.key)" }.joined(separator: " ")
  }

  /// The arrow that is nearest to a direction in the picture.
  private static func arrow(x: Double, y: Double) -> Character {
    let (across, down) = (abs(x), abs(y))
    // Half way between an eighth of a turn and the axis: the tangent of 22.5°.
    let slope = 0.414
    if down < slope * across { return x > 0 ? "→" : "←" }
    if across < slope * down { return y > 0 ? "↓" : "↑" }
    return x > 0 ? (y > 0 ? "↘" : "↗") : (y > 0 ? "↙" : "↖")
  }

  /// Its outline, around what makes it stand out from any picture.
  func strokes(lineWidth: Double) -> [Stroke] {
    let outline = isClosed ? points + points.prefix(1) : points
    return [
      Stroke(points: outline, width: lineWidth + 2, color: .black),
      Stroke(points: outline, width: lineWidth, color: color),
    ]
  }

  /// What its label is placed by: a zone as a whole, the middle of a line.
  var anchor: Box {
    guard isClosed else {
      return Box(
        x: (points[0].x + points[1].x) / 2, y: (points[0].y + points[1].y) / 2, width: 0, height: 0)
    }
    let (x, y) = (points.map(\.x), points.map(\.y))
    return Box(left: x.min() ?? 0, top: y.min() ?? 0, right: x.max() ?? 0, bottom: y.max() ?? 0)
  }
}
