package import VStreamCore

/// Counts the objects in zones and the crossings of lines. An object's position is the midpoint of its box's lower edge.
///
/// Only objects with an ID count, by their detections. A crossing counts once the object is far on the other side of the line, or
/// has been clearly there for a while, so that a box that reaches over it for a moment does not count; an object that was lost and
/// recovered is assumed to have moved in a straight line.
package struct Counter: Hashable, Sendable {
  /// The history of one object.
  private struct Visit: Hashable {
    var label: String
    /// Its last observation.
    var position: Point
    var time: Double
    /// For each zone the seconds inside; `nil` if it never was.
    var dwell: [Double?]
    var isInside: [Bool]
    /// For each line the last clear position on the object's side.
    var lastClear: [Point?]
    /// For each line the first clear position of an unconfirmed crossing.
    var other: [Crossing?]
  }

  /// The first observation clearly on the other side of a line.
  private struct Crossing: Hashable {
    let position: Point
    let time: Double
  }

  private let zones: [Zone]
  private let lines: [CountingLine]
  private var visits: [Int: Visit] = [:]
  package private(set) var counts: RegionCounts

  /// The distance of the point that is in a zone from the box's lower edge, as a fraction of its height: a box that the frame
  /// cuts ends at the edge of a zone that ends there.
  private static let footDistance = 0.02
  /// The distance from a line at which an object is clearly on one side, as a fraction of its box's height.
  private static let margin = 0.1
  /// The distance of an immediate crossing, likewise.
  private static let farMargin = 0.5
  /// Seconds on the other side that confirm a crossing.
  private static let crossingTime = 0.25
  /// Times are rounded.
  private static let timeTolerance = 1e-6

  package init(zones: [Zone], lines: [CountingLine]) {
    self.zones = zones
    self.lines = lines
    counts = RegionCounts(
      zones: zones.map { RegionCounts.InZone(name: $0.name) },
      lines: lines.map { RegionCounts.AcrossLine(name: $0.name) })
  }

  /// Counts the objects detected on a frame.
  ///
  /// - Parameter time: stream time in seconds, later than that of the last call.
  package mutating func update(_ objects: [DetectedObject], at time: Double) {
    for zone in zones.indices { counts.zones[zone].inside = [:] }
    for object in objects {
      guard let id = object.id, !object.box.isEmpty else { continue }
      let position = Point(x: object.box.x + object.box.width / 2, y: object.box.bottom)
      var visit =
        visits[id]
        ?? Visit(
          label: object.label, position: position, time: time, dwell: zones.map { _ in nil },
          isInside: zones.map { _ in false }, lastClear: lines.map { _ in nil }, other: lines.map { _ in nil })
      let foot = Point(x: position.x, y: position.y - Self.footDistance * object.box.height)
      for zone in zones.indices where enter(zone, &visit, foot, time) {
        counts.zones[zone].inside[object.label, default: 0] += 1
      }
      for line in lines.indices { cross(line, &visit, position, time, height: object.box.height) }
      (visit.position, visit.time) = (position, time)
      visits[id] = visit
    }
  }

  /// Removes the history of an object whose ID has ended. One that was clearly on the other side of a line has crossed it.
  package mutating func remove(_ id: Int) {
    guard let visit = visits.removeValue(forKey: id) else { return }
    for line in lines.indices {
      guard let first = visit.other[line], let before = visit.lastClear[line] else { continue }
      count(line, visit.label, from: before, to: first.position)
    }
  }

  /// - Returns: whether the object is inside.
  private mutating func enter(_ zone: Int, _ visit: inout Visit, _ position: Point, _ time: Double) -> Bool {
    let isInside = zones[zone].contains(position)
    defer { visit.isInside[zone] = isInside }
    guard isInside else { return false }
    if visit.dwell[zone] == nil { counts.zones[zone].entered[visit.label, default: 0] += 1 }
    let stayed = visit.isInside[zone] ? time - visit.time : 0
    let dwell = (visit.dwell[zone] ?? 0) + stayed
    visit.dwell[zone] = dwell
    counts.zones[zone].dwellSeconds[visit.label, default: 0] += stayed
    let longest = counts.zones[zone].longestDwellSeconds[visit.label] ?? 0
    counts.zones[zone].longestDwellSeconds[visit.label] = max(longest, dwell)
    return true
  }

  private mutating func cross(
    _ line: Int, _ visit: inout Visit, _ position: Point, _ time: Double, height: Double
  ) {
    let distance = lines[line].distance(of: position)
    guard abs(distance) >= Self.margin * height else {
      visit.other[line] = nil
      return
    }
    guard let before = visit.lastClear[line], (lines[line].distance(of: before) < 0) != (distance < 0) else {
      (visit.lastClear[line], visit.other[line]) = (position, nil)
      return
    }
    let first = visit.other[line] ?? Crossing(position: position, time: time)
    guard abs(distance) >= Self.farMargin * height || time - first.time >= Self.crossingTime - Self.timeTolerance else {
      visit.other[line] = first
      return
    }
    (visit.lastClear[line], visit.other[line]) = (position, nil)
    count(line, visit.label, from: before, to: first.position)
  }

  /// Counts a crossing, if it is one between the line's ends.
  private mutating func count(_ line: Int, _ label: String, from before: Point, to first: Point) {
    guard lines[line].isCrossed(from: before, to: first) else { return }
    if lines[line].distance(of: first) > 0 {
      counts.lines[line].toRight[label, default: 0] += 1
    } else {
      counts.lines[line].toLeft[label, default: 0] += 1
    }
  }
}

/// A line in the frame whose crossings are counted, separately for each direction.
package struct CountingLine: Hashable, Sendable {
  package var name: String
  /// In pixels of the upright frame.
  package var start: Point
  package var end: Point

  package init(name: String, start: Point, end: Point) {
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

/// A counting region: a polygon in the frame.
package struct Zone: Hashable, Sendable {
  package var name: String
  /// Three or more corners in order, in pixels of the upright frame. The last one is connected to the first.
  package var corners: [Point]

  package init(name: String, corners: [Point]) {
    self.name = name
    self.corners = corners
  }

  /// Whether a point lies inside, by the number of edges that a ray from it crosses (even-odd rule).
  package func contains(_ point: Point) -> Bool {
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
