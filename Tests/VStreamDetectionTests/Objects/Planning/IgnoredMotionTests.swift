import Testing
import VStreamCore

@testable import VStreamDetection

/// Motion without objects.
struct IgnoredMotionTests {
  private static let digits = Box(x: 100, y: 20, width: 12, height: 20)
  private static let clock = Box(x: 60, y: 18, width: 56, height: 24)

  @Test func `motion searched twenty times without a detection is ignored, until an object is detected there`() {
    var ignored = IgnoredMotion()
    for search in 0..<20 {
      #expect(!ignored.contains(Self.digits), "after \(search)")
      ignored.add([Self.digits], found: [Box(x: 400, y: 300, width: 40, height: 80)], at: Double(search))
    }
    #expect(ignored.contains(Self.digits))
    // A part of it, too, and nothing larger, or elsewhere.
    #expect(ignored.contains(Box(x: 102, y: 22, width: 6, height: 12)))
    #expect(!ignored.contains(Self.clock) && !ignored.contains(Box(x: 300, y: 20, width: 12, height: 20)))
    ignored.add([Self.digits], found: [Box(x: 90, y: 10, width: 40, height: 80)], at: 20)
    #expect(!ignored.contains(Self.digits))
  }

  @Test func `all digits of a clock are one region`() {
    var ignored = IgnoredMotion()
    for second in 0..<60 {
      ignored.add([Self.digits], found: [], at: Double(second))
      if second % 10 == 0 {
        ignored.add([Self.digits.hull(Box(x: 88, y: 20, width: 12, height: 20))], found: [], at: Double(second))
      }
    }
    #expect(ignored.contains(Self.digits) && ignored.contains(Box(x: 89, y: 20, width: 22, height: 20)))
  }

  @Test func `a region that was not searched for long is forgotten`() {
    var ignored = IgnoredMotion()
    for search in 0..<30 { ignored.add([Self.digits], found: [], at: Double(search)) }
    ignored.add([], found: [], at: 600)
    #expect(ignored.contains(Self.digits))
    ignored.add([], found: [], at: 640)
    #expect(!ignored.contains(Self.digits))
  }

  @Test func `an object that moves through the frame is not ignored along its path`() {
    var ignored = IgnoredMotion()
    for step in 0..<200 {
      ignored.add([Box(x: Double(15 * step), y: 100, width: 30, height: 60)], found: [], at: Double(step) / 5)
    }
    #expect(!ignored.contains(Box(x: 400, y: 90, width: 60, height: 100)))
    for step in 0..<1000 {
      ignored.add([Box(x: Double(40 * (step % 90)), y: 0, width: 9, height: 9)], found: [], at: 50)
    }
    #expect(!ignored.contains(Box(x: 3000, y: 500, width: 9, height: 9)), "bounded")
  }
}
