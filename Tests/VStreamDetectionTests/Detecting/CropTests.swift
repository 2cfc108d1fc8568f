import Testing
import VStreamCore

@testable import VStreamDetection

/// Crops that cover a frame, and when searches are due.
struct CropTests {
  @Test func `the square around a frame is centred`() {
    #expect(Box.square(around: PixelSize(width: 640, height: 480)) == Box(x: 0, y: -80, width: 640, height: 640))
    #expect(Box.square(around: PixelSize(width: 3, height: 5)) == Box(x: -1, y: 0, width: 5, height: 5))
  }

  @Test(arguments: [
    ("as large as the frame", PixelSize(width: 100, height: 100), 100.0, 20.0, 1),
    ("larger than the frame", PixelSize(width: 50, height: 20), 100, 20, 1),
    ("two side by side", PixelSize(width: 180, height: 100), 100, 20, 2),
    ("one pixel more", PixelSize(width: 181, height: 100), 100, 20, 3),
    ("two by two", PixelSize(width: 180, height: 150), 100, 20, 4),
  ])
  func `crops cover the frame with their overlap`(
    name: String, frame: PixelSize, side: Double, overlap: Double, count: Int
  ) {
    let crops = Box.crops(covering: frame, side: side, overlap: overlap)
    #expect(crops.count == count)
    #expect(crops.allSatisfy { $0.width == side && $0.height == side })
    #expect((crops.map(\.x).min() ?? 1) <= 0 && (crops.map(\.right).max() ?? 0) >= Double(frame.width) - 1e-9)
    let lefts = Set(crops.map(\.x)).sorted()
    for (one, next) in zip(lefts, lefts.dropFirst()) { #expect(one + side - next >= overlap - 1e-9) }
  }

  @Test(arguments: [
    ("at once", 0.2, 5.0, 5.0, false), ("just before", 0.2, 5, 5.19, false), ("after it", 0.2, 5, 5.2, true),
    ("but for rounding", 0.2, 5, 5.199_999_9, true), ("back in time", 0.2, 5, 4.9, true),
    ("every frame", 0, 5, 5, true),
  ])
  func `a search is due after the interval`(name: String, interval: Double, last: Double, now: Double, isOver: Bool) {
    #expect(SearchInterval(seconds: interval).isOver(since: last, at: now) == isOver)
  }

  @Test func `the minimum score is raised for crops of poses`() {
    #expect(abs(PoseCrops.raised(0.5) - 0.6) < 1e-12)
    #expect(PoseCrops.raised(1) == 1)
    #expect(PoseCrops.crops(of: PixelSize(width: 640, height: 480)).count == 6)
  }

  @Test func `idle networks are reused, and failed ones are not`() throws {
    var made = 0
    var pool = try NetworkPool { () throws(VStreamError) -> Int in
      made += 1
      return made
    }
    let (one, two) = (try pool.take(), try pool.take())
    #expect([one, two, made] == [1, 2, 2])
    pool.putBack(one)
    #expect(try pool.take() == 1)
    #expect(try pool.take() == 3)
  }
}
