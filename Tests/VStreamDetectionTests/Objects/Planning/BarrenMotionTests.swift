import Testing
import VStreamScene

@testable import VStreamDetection

/// Where something moves that is no object.
struct BarrenMotionTests {
  private static let digits = Box(x: 100, y: 20, width: 12, height: 20)
  private static let clock = Box(x: 60, y: 18, width: 56, height: 24)

  @Test func `what was searched twenty times in vain is barren, until something is found there`() {
    var barren = BarrenMotion()
    for search in 0..<20 {
      #expect(!barren.contains(Self.digits), "after \(search)")
      barren.add([Self.digits], found: [Box(x: 400, y: 300, width: 40, height: 80)], at: Double(search))
    }
    #expect(barren.contains(Self.digits))
    // A part of it, too, and nothing larger, or elsewhere.
    #expect(barren.contains(Box(x: 102, y: 22, width: 6, height: 12)))
    #expect(!barren.contains(Self.clock) && !barren.contains(Box(x: 300, y: 20, width: 12, height: 20)))
    barren.add([Self.digits], found: [Box(x: 90, y: 10, width: 40, height: 80)], at: 20)
    #expect(!barren.contains(Self.digits))
  }

  @Test func `all digits of a clock are one region`() {
    var barren = BarrenMotion()
    for second in 0..<60 {
      barren.add([Self.digits], found: [], at: Double(second))
      if second % 10 == 0 {
        barren.add([Self.digits.hull(Box(x: 88, y: 20, width: 12, height: 20))], found: [], at: Double(second))
      }
    }
    #expect(barren.contains(Self.digits) && barren.contains(Box(x: 89, y: 20, width: 22, height: 20)))
  }

  @Test func `a region that was not searched for long is forgotten`() {
    var barren = BarrenMotion()
    for search in 0..<30 { barren.add([Self.digits], found: [], at: Double(search)) }
    barren.add([], found: [], at: 600)
    #expect(barren.contains(Self.digits))
    barren.add([], found: [], at: 640)
    #expect(!barren.contains(Self.digits))
  }

  @Test func `what moves through a picture makes no barren region of it`() {
    var barren = BarrenMotion()
    for step in 0..<200 {
      barren.add([Box(x: Double(15 * step), y: 100, width: 30, height: 60)], found: [], at: Double(step) / 5)
    }
    #expect(!barren.contains(Box(x: 400, y: 90, width: 60, height: 100)))
    for step in 0..<1000 {
      barren.add([Box(x: Double(40 * (step % 90)), y: 0, width: 9, height: 9)], found: [], at: 50)
    }
    #expect(!barren.contains(Box(x: 3000, y: 500, width: 9, height: 9)), "bounded")
  }
}
