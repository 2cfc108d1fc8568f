import Testing
import VStreamCore

@testable import VStreamTracking

struct MotionTests {
  @Test func `a constant velocity is estimated`() {
    var filter = AxisFilter(position: 0, variance: 1, velocityVariance: 100)
    for step in 1...50 {
      filter.predict(seconds: 0.1, moving: 0.1, acceleration: 0.01)
      filter.correct(Double(step) * 0.5, noise: 1)
    }
    #expect(abs(filter.velocity - 5) < 0.2)
    #expect(abs(filter.position - 25) < 0.5)
  }

  @Test func `without process noise, one prediction step gives the same as ten`() {
    var once = AxisFilter(position: 3, variance: 1, velocityVariance: 4)
    once.correct(4, noise: 1)
    var often = once
    once.predict(seconds: 1, moving: 1, acceleration: 0)
    for _ in 0..<10 { often.predict(seconds: 0.1, moving: 0.1, acceleration: 0) }
    once.correct(10, noise: 1)
    often.correct(10, noise: 1)
    #expect(abs(once.position - often.position) < 1e-9)
    #expect(abs(once.velocity - often.velocity) < 1e-9)
  }

  @Test func `the estimate of a box scaled by a power of two is scaled exactly`() {
    let path = (0..<20).map { Box(x: Double($0) * 7, y: 30 + Double($0 % 3), width: 20, height: 41) }
    let plain = estimate(path)
    let scaled = estimate(path.map { Box(x: $0.x * 8, y: $0.y * 8, width: $0.width * 8, height: $0.height * 8) })
    #expect(scaled == Box(x: plain.x * 8, y: plain.y * 8, width: plain.width * 8, height: plain.height * 8))
  }

  @Test func `a prediction stays between half and twice the measured size`() {
    var filter = BoxFilter(Box(x: 0, y: 0, width: 10, height: 10))
    for step in 1...5 {
      filter.predict(seconds: 0.1)
      filter.correct(Box(x: 0, y: 0, width: 10 + 4 * Double(step), height: 10 - Double(step)))
    }
    let later = filter.box(after: 100)
    #expect(later.width <= 60)
    #expect(later.height >= 2.5)
  }

  struct CutRow: CustomTestStringConvertible, Sendable {
    let name: String
    /// Left and right edges of the visible part of a box that is expected from 0 to 40.
    let seen: (Double, Double)
    /// The expected displacement of the object, in pixels.
    let offset: ClosedRange<Double>
    var testDescription: String { name }
  }

  static let cuts = [
    CutRow(name: "whole, at the expected position", seen: (0, 40), offset: 0...0),
    CutRow(name: "whole, displaced", seen: (7, 47), offset: 7...7),
    CutRow(name: "the right half is hidden", seen: (0, 20), offset: -1...1),
    CutRow(name: "the left half is hidden", seen: (20, 40), offset: -1...1),
    CutRow(name: "the middle is visible", seen: (15, 25), offset: 0...0),
    CutRow(name: "half beyond the expected box", seen: (30, 50), offset: 9...11),
    CutRow(name: "longer than expected", seen: (0, 60), offset: 10...10),
  ]

  @Test(arguments: cuts)
  func `the position of a partly occluded object is estimated from its visible part`(_ row: CutRow) {
    let expected = Box(x: 0, y: 0, width: 40, height: 80)
    let seen = Box(x: row.seen.0, y: 0, width: row.seen.1 - row.seen.0, height: 80)
    let offset = BoxFilter.offset(of: seen, from: expected)
    #expect(row.offset.contains(offset.x))
    #expect(offset.y == 0)
    let upright = Box(x: 0, y: row.seen.0, width: 80, height: row.seen.1 - row.seen.0)
    #expect(row.offset.contains(BoxFilter.offset(of: upright, from: Box(x: 0, y: 0, width: 80, height: 40)).y))
  }

  @Test func `an object that is gradually occluded keeps its speed and size`() {
    var filter = BoxFilter(Box(x: 0, y: 0, width: 40, height: 80))
    func find(_ step: Int, hiddenFrom edge: Double) {
      let left = Double(step) * 4
      filter.predict(seconds: 0.04)
      filter.correct(Box(left: left, top: 0, right: min(left + 40, edge), bottom: 80))
    }
    for step in 1...20 { find(step, hiddenFrom: .infinity) }
    for step in 21...26 { find(step, hiddenFrom: 120) }
    // After 26 steps 16 of its 40 pixels are visible; its right edge is at 144, and the visible part's centre at 112.
    #expect(abs(filter.box().center.x - 124) < 3)
    #expect(abs(filter.box(after: 0.4).center.x - 164) < 5)
    #expect(filter.box().width > 32)
  }

  @Test func `an abrupt turn is followed within a few detections`() {
    var filter = BoxFilter(Box(x: 0, y: 0, width: 40, height: 80))
    for step in 1...40 {
      filter.predict(seconds: 0.04)
      filter.correct(Box(x: step <= 25 ? Double(step) * 6 : 150 - Double(step - 25) * 6, y: 0, width: 40, height: 80))
    }
    #expect(abs(filter.box(after: 0.04).x - 54) < 4)
  }

  @Test(arguments: [(interval: 0.04, expected: 1.0), (0.4, 1), (2, 4)])
  func `an object goes on for a second after the last frame, or for twice the frames' interval`(
    interval: Double, expected: Double
  ) {
    var filter = BoxFilter(Box(x: 0, y: 0, width: 40, height: 80))
    for step in 1...100 {
      filter.predict(seconds: interval)
      filter.correct(Box(x: Double(step) * interval * 30, y: 0, width: 40, height: 80))
    }
    let last = filter.box().x
    #expect(abs(filter.box(after: 0.5).x - last - 15) < 1)
    for seconds in [10.0, 1000] { #expect(abs(filter.box(after: seconds).x - last - 30 * expected) < 2) }
    filter.predict(seconds: 10)
    #expect(abs(filter.box().x - last - 30 * expected) < 2)
  }

  private func estimate(_ path: [Box]) -> Box {
    var filter = BoxFilter(path[0])
    for box in path.dropFirst() {
      filter.predict(seconds: 0.04)
      filter.correct(box)
    }
    return filter.box(after: 0.1)
  }
}
