import Testing
import VStreamScene

@testable import VStreamTracking

struct KalmanFilterTests {
  @Test func `learns a steady velocity`() {
    var filter = AxisFilter(position: 0, variance: 1, velocityVariance: 100)
    for step in 1...50 {
      filter.predict(seconds: 0.1, acceleration: 0.01)
      filter.correct(Double(step) * 0.5, variance: 1)
    }
    #expect(abs(filter.velocity - 5) < 0.2)
    #expect(abs(filter.position - 25) < 0.5)
  }

  @Test func `without noise of motion, predicting in one step or in ten is the same`() {
    var once = AxisFilter(position: 3, variance: 1, velocityVariance: 4)
    once.correct(4, variance: 1)
    var often = once
    once.predict(seconds: 1, acceleration: 0)
    for _ in 0..<10 { often.predict(seconds: 0.1, acceleration: 0) }
    once.correct(10, variance: 1)
    often.correct(10, variance: 1)
    #expect(abs(once.position - often.position) < 1e-9)
    #expect(abs(once.velocity - often.velocity) < 1e-9)
  }

  @Test func `a box scaled by a power of two is estimated scaled, to the bit`() {
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

  private func estimate(_ path: [Box]) -> Box {
    var filter = BoxFilter(path[0])
    for box in path.dropFirst() {
      filter.predict(seconds: 0.04)
      filter.correct(box)
    }
    return filter.box(after: 0.1)
  }
}
