import Testing
import VStreamCore

@testable import VStreamTracking

struct SearchCountTests {
  @Test(
    arguments: [
      ("none", [Bool](), 0.7, 0.7...0.7), ("found", [true, true, true], 0, 0.7...0.8),
      ("not found", [false, false, false], 1, 0.2...0.3),
      ("found at last", [false] + Array(repeating: true, count: 12), 0, 0.8...0.85),
    ] as [(String, [Bool], Double, ClosedRange<Double>)])
  func `recent searches count more, and few leave what was expected`(
    row: (name: String, searches: [Bool], expected: Double, rate: ClosedRange<Double>)
  ) {
    var count = SearchCount()
    for wasFound in row.searches { count.add(wasFound: wasFound) }
    #expect(row.rate.contains(count.rate(expected: row.expected)), "\(row.name): \(count.rate(expected: row.expected))")
  }

  @Test func `searches of the whole frame alone are counted`() throws {
    let frame = PixelSize(width: 600, height: 600)
    let whole = FrameSearch.Region(box: Box(x: 0, y: 0, width: 600, height: 600), scale: 0.5)
    let crop = FrameSearch.Region(box: Box(x: 0, y: 0, width: 300, height: 300), scale: 1)
    let person = DetectedObject(
      classIndex: 0, label: "person", score: 0.9, box: Box(x: 100, y: 100, width: 40, height: 90))
    func rate(_ regions: [FrameSearch.Region], found: Bool) throws -> Double {
      var tracker = Tracker()
      for index in 0..<10 {
        let search = FrameSearch(frame: frame, regions: index == 0 ? [crop] : regions)
        _ = tracker.update(index == 0 || found ? [person] : [], searched: search, at: Double(index) * 0.04)
      }
      return try #require(tracker.snapshots(at: 0.4).first).wholeSearches.rate(expected: 0.5)
    }
    #expect(try rate([whole], found: true) > 0.85)
    #expect(try rate([whole, crop], found: true) == 0.5)
    #expect(try rate([crop], found: true) == 0.5)
  }
}
