import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamTracking

/// Counts in zones and across lines.
struct CountingTests {
  /// An object of 10 × 20 pixels whose lower edge is centred at a point.
  private func object(_ id: Int?, at x: Double, _ y: Double, _ label: String = "person") -> DetectedObject {
    DetectedObject(
      id: id, classIndex: 0, label: label, score: 1, box: Box(x: x - 5, y: y - 20, width: 10, height: 20))
  }

  private static let line = CountingLine(name: "gate", start: Point(x: 0, y: 50), end: Point(x: 100, y: 50))

  struct Path: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let ys: [Double]
    var x = 50.0
    /// Seconds between them.
    var step = 1.0
    let toRight: Int
    let toLeft: Int
  }

  /// The line runs to the right through the frame, so that its right side is below it.
  @Test(arguments: [
    Path(testDescription: "down", ys: [30, 40, 60], toRight: 1, toLeft: 0),
    Path(testDescription: "up", ys: [70, 40], toRight: 0, toLeft: 1),
    Path(testDescription: "there and back", ys: [30, 70, 30], toRight: 1, toLeft: 1),
    Path(testDescription: "hovering at the line", ys: [30, 49.5, 50.5, 49, 51, 49.5], toRight: 0, toLeft: 0),
    Path(
      testDescription: "hovering at the line, then across", ys: [30, 49.5, 50.5, 49, 51, 60], toRight: 1, toLeft: 0),
    Path(testDescription: "starting on the line", ys: [50, 60, 70], toRight: 0, toLeft: 0),
    Path(
      testDescription: "a box that reaches over it on one frame of five", ys: (0..<20).map { $0 % 5 == 4 ? 53 : 45 },
      step: 0.1, toRight: 0, toLeft: 0),
    Path(
      testDescription: "slowly across", ys: (0..<30).map { 45 + 0.4 * Double($0) }, step: 0.04, toRight: 1, toLeft: 0),
    Path(testDescription: "just over it, and there", ys: [45, 53, 53, 53, 53], step: 0.1, toRight: 1, toLeft: 0),
    Path(testDescription: "far over it at once", ys: [45, 61], step: 0.1, toRight: 1, toLeft: 0),
    Path(
      testDescription: "briefly over it, then at it", ys: [45, 53, 51, 51, 51, 53, 45], step: 0.1, toRight: 0, toLeft: 0
    ),
    Path(testDescription: "past its end", ys: [30, 70], x: 120, toRight: 0, toLeft: 0),
    Path(testDescription: "at its very end", ys: [30, 70], x: 100, toRight: 1, toLeft: 0),
    Path(testDescription: "along it", ys: [30, 30, 30], toRight: 0, toLeft: 0),
  ])
  func `a line is crossed when an object is far on the other side, or clearly there for a while`(_ path: Path) {
    var counter = Counter(zones: [], lines: [Self.line])
    for (index, y) in path.ys.enumerated() { counter.update([object(1, at: path.x, y)], at: path.step * Double(index)) }
    #expect(counter.counts.lines[0].toRight["person", default: 0] == path.toRight)
    #expect(counter.counts.lines[0].toLeft["person", default: 0] == path.toLeft)
  }

  @Test func `who passes the end of a line has not crossed it, wherever the line's side is clear`() {
    let short = CountingLine(name: "door", start: Point(x: 0, y: 50), end: Point(x: 50, y: 50))
    var counter = Counter(zones: [], lines: [short])
    for (index, x) in [49.0, 56, 48, 44, 40].enumerated() {
      counter.update([object(1, at: x, index == 0 ? 45 : 54)], at: 0.1 * Double(index))
    }
    #expect(counter.counts.lines[0].toRight.isEmpty)
  }

  @Test func `an object that ends clearly on the other side has crossed`() {
    var counter = Counter(zones: [], lines: [Self.line])
    for (index, y) in [40.0, 46, 53].enumerated() { counter.update([object(1, at: 50, y)], at: 0.1 * Double(index)) }
    #expect(counter.counts.lines[0].toRight.isEmpty)
    counter.remove(1)
    #expect(counter.counts.lines[0].toRight == ["person": 1])
    counter.remove(1)
    #expect(counter.counts.lines[0].toRight == ["person": 1])
  }

  @Test func `classes and objects are counted separately, and objects without an ID are not counted`() {
    var counter = Counter(zones: [], lines: [Self.line])
    for y in [30.0, 70] {
      let objects = [object(1, at: 10, y), object(2, at: 30, y), object(3, at: 50, y, "car"), object(nil, at: 70, y)]
      counter.update(objects, at: y)
    }
    #expect(counter.counts.lines[0].toRight == ["person": 2, "car": 1])
  }

  private static let square = Zone(
    name: "square", corners: [(20, 20), (80, 20), (80, 80), (20, 80)].map { Point(x: $0.0, y: $0.1) })

  @Test func `a zone counts each object once, with its duration of stay`() {
    var counter = Counter(zones: [Self.square], lines: [])
    // Inside from 1 s to 3 s, outside, and inside again from 5 s to 6 s; another object is inside only briefly.
    let places: [(time: Double, x: Double)] = [(0, 10), (1, 30), (2, 50), (3, 70), (4, 90), (5, 70), (6, 50)]
    for (time, x) in places {
      var objects = [object(1, at: x, 50)]
      if time == 2 { objects.append(object(2, at: 25, 25, "car")) }
      counter.update(objects, at: time)
      #expect(counter.counts.zones[0].inside["person", default: 0] == (x > 20 && x < 80 ? 1 : 0), "\(time)")
      #expect(counter.counts.zones[0].inside["car", default: 0] == (time == 2 ? 1 : 0))
    }
    #expect(counter.counts.zones[0].entered == ["person": 1, "car": 1])
    #expect(counter.counts.zones[0].dwellSeconds == ["person": 3, "car": 0])
    #expect(counter.counts.zones[0].longestDwellSeconds == ["person": 3, "car": 0])
  }

  @Test func `an object is in a zone by its label now, and at an edge that both share`() {
    let zone = Zone(
      name: "all", corners: [Point(x: 0, y: 0), Point(x: 100, y: 0), Point(x: 100, y: 60), Point(x: 0, y: 60)])
    var counter = Counter(zones: [zone], lines: [])
    counter.update([object(1, at: 50, 60, "car")], at: 0)
    counter.update([object(1, at: 50, 60, "truck")], at: 1)
    #expect(counter.counts.zones[0].inside == ["truck": 1])
    #expect(counter.counts.zones[0].entered == ["car": 1], "by its label then")
  }

  @Test func `a concave zone contains the points inside it`() {
    let arrow = Zone(
      name: "arrow", corners: [(0, 0), (100, 0), (50, 40), (100, 100), (0, 100)].map { Point(x: $0.0, y: $0.1) })
    for (x, y, isInside) in [(10.0, 50.0, true), (60, 10, true), (90, 50, false), (60, 90, true), (-1, 50, false)] {
      #expect(arrow.contains(Point(x: x, y: y)) == isInside, "\(x) \(y)")
    }
  }

  @Test(arguments: 1...20) func `each object is in exactly one half of a frame`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let corners = { (left: Double, right: Double) in
      [(left, 0.0), (right, 0), (right, 100), (left, 100)].map { Point(x: $0.0, y: $0.1) }
    }
    var counter = Counter(
      zones: [Zone(name: "l", corners: corners(0, 50)), Zone(name: "r", corners: corners(50, 100))],
      lines: [CountingLine(name: "m", start: Point(x: 50, y: -1e4), end: Point(x: 50, y: 1e4))])
    for frame in 0..<100 {
      let objects = (1...5).map { object($0, at: Double(random.below(1000)) / 10, 1 + Double(random.below(980)) / 10) }
      counter.update(objects, at: Double(frame))
      let inside = counter.counts.zones.map { $0.inside["person", default: 0] }
      #expect(inside.reduce(0, +) == 5)
      // Each object crosses back before it crosses again.
      let line = counter.counts.lines[0]
      #expect(abs(line.toRight["person", default: 0] - line.toLeft["person", default: 0]) <= 5)
    }
  }

  @Test func `degenerate zones and lines and invalid boxes are not counted`() {
    var counter = Counter(
      zones: [Zone(name: "point", corners: [Point(x: 1, y: 1)]), Zone(name: "none", corners: [])],
      lines: [CountingLine(name: "point", start: Point(x: 1, y: 1), end: Point(x: 1, y: 1))])
    for (index, side) in [10.0, .nan, .infinity, 0, -5, 1e300].enumerated() {
      var object = object(1, at: 50, 50)
      object.box.width = side
      counter.update([object], at: Double(index))
    }
    #expect(counter.counts.zones.allSatisfy { $0.entered.isEmpty })
    #expect(counter.counts.lines.allSatisfy { $0.toLeft.isEmpty && $0.toRight.isEmpty })
  }
}
