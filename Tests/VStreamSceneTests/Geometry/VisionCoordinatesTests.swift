import Testing
import VStreamScene
import VStreamTestSupport

/// Conversion to and from the coordinates of Apple's Vision.
struct VisionCoordinatesTests {
  private let size = PixelSize(width: 200, height: 100)

  @Test(arguments: [
    (Point(x: 0, y: 0), Point(x: 0, y: 1)), (Point(x: 200, y: 100), Point(x: 1, y: 0)),
    (Point(x: 50, y: 25), Point(x: 0.25, y: 0.75)), (Point(x: -20, y: 110), Point(x: -0.1, y: -0.1)),
  ])
  func `points are counted in fractions from the lower left`(point: Point, vision: Point) {
    let found = point.normalized(in: size)
    #expect(abs(found.x - vision.x) < 1e-12 && abs(found.y - vision.y) < 1e-12)
    let back = Point(normalized: found, in: size)
    #expect(abs(back.x - point.x) < 1e-9 && abs(back.y - point.y) < 1e-9)
  }

  @Test func `a box's corner is its lower left one`() {
    let box = Box(x: 20, y: 10, width: 100, height: 50)
    let vision = box.normalized(in: size)
    for (found, expected) in zip([vision.x, vision.y, vision.width, vision.height], [0.1, 0.4, 0.5, 0.5]) {
      #expect(abs(found - expected) < 1e-12)
    }
    let back = Box(normalized: vision, in: size)
    for (found, expected) in zip([back.x, back.y, back.width, back.height], [20.0, 10, 100, 50]) {
      #expect(abs(found - expected) < 1e-9)
    }
  }

  @Test(arguments: 1...10)
  func `a box is the same after conversion in both directions`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let size = PixelSize(width: 1 + numbers.below(4000), height: 1 + numbers.below(4000))
    let box = Box(
      x: Double(numbers.below(5000) - 500), y: Double(numbers.below(5000) - 500), width: Double(numbers.below(4000)),
      height: Double(numbers.below(4000)))
    let back = Box(normalized: box.normalized(in: size), in: size)
    for (found, expected) in [
      (back.x, box.x), (back.y, box.y), (back.width, box.width), (back.height, box.height),
    ] {
      #expect(abs(found - expected) < 1e-8)
    }
  }

  @Test func `the whole frame is the unit square`() {
    let frame = Box(x: 0, y: 0, width: 200, height: 100)
    #expect(frame.normalized(in: size) == Box(x: 0, y: 0, width: 1, height: 1))
  }
}
