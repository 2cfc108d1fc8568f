public import VStreamScene

/// A part of the picture in which things are counted.
public struct Zone: Hashable, Sendable {
  public var name: String
  /// Corners in their order, in pixels of the upright frame; three or more. The last is joined to the first.
  public var corners: [Point]

  public init(name: String, corners: [Point]) {
    self.name = name
    self.corners = corners
  }

  /// Whether a point lies inside, by how often a ray from it meets the edges (even-odd rule).
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

/// A line in the picture whose crossings are counted, each way by itself.
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

  /// How far to the right of the line a point lies for who looks from its start to its end, in pixels; negative to the
  /// left.
  func distance(of point: Point) -> Double {
    let (x, y) = (end.x - start.x, end.y - start.y)
    let length = (x * x + y * y).squareRoot()
    return length > 0 ? (x * (point.y - start.y) - y * (point.x - start.x)) / length : 0
  }

  /// Whether the way from one point to another meets the line between its ends.
  func isMet(from one: Point, to other: Point) -> Bool {
    let (before, after) = (distance(of: one), distance(of: other))
    guard (before < 0) != (after < 0) else { return false }
    let share = before / (before - after)
    let place = Point(x: one.x + share * (other.x - one.x), y: one.y + share * (other.y - one.y))
    let (x, y) = (end.x - start.x, end.y - start.y)
    let along = ((place.x - start.x) * x + (place.y - start.y) * y) / (x * x + y * y)
    return (0...1).contains(along)
  }
}

/// Counts what is in zones and what crosses lines. A thing is where it stands: in the middle of its box's lower edge.
///
/// Counts only what has an ID, by what was found on frames that were looked at. What hovers at a line is counted when it
/// is clearly on the other side; what was lost and is found again has gone straight from the one place to the other.
public struct Counter: Hashable, Sendable {
  private struct Visit: Hashable {
    var label: String
    /// Where it was last seen, and when.
    var place: Point
    var time: Double
    /// For each zone how long it was inside; `nil` if it never was.
    var dwell: [Double?]
    var isInside: [Bool]
    /// For each line where it last was clearly on one side.
    var clear: [Point?]
  }

  private let zones: [Zone]
  private let lines: [CountingLine]
  private var visits: [Int: Visit] = [:]
  public private(set) var counts: RegionCounts

  /// How far from a line a thing is clearly on one side, as a share of its box's height.
  private static let margin = 0.1

  public init(zones: [Zone], lines: [CountingLine]) {
    self.zones = zones
    self.lines = lines
    counts = RegionCounts(
      zones: zones.map { RegionCounts.InZone(name: $0.name) },
      lines: lines.map { RegionCounts.AcrossLine(name: $0.name) })
  }

  /// Takes the objects with IDs that were found on a frame.
  ///
  /// - Parameter time: stream time in seconds, later than that of the call before.
  public mutating func update(_ objects: [DetectedObject], at time: Double) {
    for zone in zones.indices { counts.zones[zone].inside = [:] }
    for object in objects {
      guard let id = object.id, !object.box.isEmpty else { continue }
      let place = Point(x: object.box.x + object.box.width / 2, y: object.box.bottom)
      var visit =
        visits[id]
        ?? Visit(
          label: object.label, place: place, time: time, dwell: zones.map { _ in nil },
          isInside: zones.map { _ in false }, clear: lines.map { _ in nil })
      for zone in zones.indices { enter(zone, &visit, place, time) }
      for line in lines.indices { cross(line, &visit, place, margin: Self.margin * object.box.height) }
      (visit.place, visit.time) = (place, time)
      visits[id] = visit
    }
  }

  /// Forgets things that will not come back.
  public mutating func forget(_ id: Int) { visits[id] = nil }

  private mutating func enter(_ zone: Int, _ visit: inout Visit, _ place: Point, _ time: Double) {
    let isInside = zones[zone].contains(place)
    defer { visit.isInside[zone] = isInside }
    guard isInside else { return }
    counts.zones[zone].inside[visit.label, default: 0] += 1
    if visit.dwell[zone] == nil { counts.zones[zone].entered[visit.label, default: 0] += 1 }
    let stayed = visit.isInside[zone] ? time - visit.time : 0
    let dwell = (visit.dwell[zone] ?? 0) + stayed
    visit.dwell[zone] = dwell
    counts.zones[zone].dwellSeconds[visit.label, default: 0] += stayed
    let longest = counts.zones[zone].longestDwellSeconds[visit.label] ?? 0
    counts.zones[zone].longestDwellSeconds[visit.label] = max(longest, dwell)
  }

  private mutating func cross(_ line: Int, _ visit: inout Visit, _ place: Point, margin: Double) {
    let distance = lines[line].distance(of: place)
    guard abs(distance) >= margin else { return }
    defer { visit.clear[line] = place }
    guard let before = visit.clear[line], (lines[line].distance(of: before) < 0) != (distance < 0),
      lines[line].isMet(from: before, to: place)
    else { return }
    if distance > 0 {
      counts.lines[line].toRight[visit.label, default: 0] += 1
    } else {
      counts.lines[line].toLeft[visit.label, default: 0] += 1
    }
  }
}
