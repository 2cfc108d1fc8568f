import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamTracking

/// Tracking where only parts of a frame were searched: what lies outside is unobserved, and not missed.
struct PartialSearchTests {
  private static let frame = PixelSize(width: 960, height: 540)
  private static let whole = Box(x: 0, y: 0, width: 960, height: 540)
  private static let rate = 25.0

  private static func search(_ boxes: Box..., scale: Double = 1) -> FrameSearch {
    FrameSearch(frame: frame, regions: boxes.map { .init(box: $0, scale: scale) })
  }

  private static func person(x: Double, y: Double = 200, score: Double = 0.9) -> DetectedObject {
    DetectedObject(
      classIndex: 0, label: "person", score: score, box: Box(x: x, y: y, width: 40, height: 90))
  }

  /// A tracker that has followed a person to the right, 4 pixels a frame, from 100 in frame 0 on.
  private static func following(until frame: Int, scale: Double = 1) -> Tracker {
    var tracker = Tracker()
    for index in 0...frame {
      _ = tracker.update(
        [person(x: 100 + 4 * Double(index))], searched: search(whole, scale: scale), at: Double(index) / rate)
    }
    return tracker
  }

  @Test func `a track outside the searched regions is predicted, without an event`() {
    var tracker = Self.following(until: 9)
    for index in 10..<20 {
      let found = tracker.update(
        [], searched: Self.search(Box(x: 600, y: 0, width: 300, height: 300)), at: Double(index) / Self.rate)
      #expect(found.map(\.id) == [1] && found.map(\.isPredicted) == [true])
      #expect(abs((found.first?.box.x ?? 0) - 100 - 4 * Double(index)) < 4)
      #expect(tracker.events.isEmpty)
    }
    let found = tracker.update([Self.person(x: 180)], searched: Self.search(Self.whole), at: 20 / Self.rate)
    #expect(found.map(\.id) == [1] && found.map(\.isPredicted) == [false] && tracker.events.isEmpty)
  }

  struct Miss: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The searched regions: left, top, width, height.
    let regions: [[Double]]
    var scale = 1.0
    let isLost: Bool
  }

  /// The person is at 140, 200, 40 × 90.
  @Test(arguments: [
    Miss(testDescription: "nothing was searched", regions: [], isLost: false),
    Miss(testDescription: "the whole frame was", regions: [[0, 0, 960, 540]], isLost: true),
    Miss(testDescription: "a region around it", regions: [[50, 100, 300, 300]], isLost: true),
    Miss(testDescription: "a region that cuts it", regions: [[160, 100, 300, 300]], isLost: false),
    Miss(testDescription: "a region at whose edge it would be cut", regions: [[138, 100, 300, 300]], isLost: false),
    Miss(
      testDescription: "two regions with half of it each", regions: [[0, 100, 160, 300], [160, 100, 300, 300]],
      isLost: false),
    Miss(testDescription: "a region that it nearly fills", regions: [[130, 198, 60, 94]], isLost: false),
    Miss(testDescription: "the whole frame, more coarsely", regions: [[0, 0, 960, 540]], scale: 0.5, isLost: false),
    Miss(testDescription: "the whole frame, nearly as finely", regions: [[0, 0, 960, 540]], scale: 0.8, isLost: true),
    Miss(
      testDescription: "the frame coarsely and a region elsewhere finely",
      regions: [[0, 0, 960, 540], [500, 100, 300, 300]], scale: 0.5, isLost: false),
  ])
  func `a track is missed where a search could have found it`(row: Miss) {
    var tracker = Self.following(until: 9)
    let regions = row.regions.map {
      FrameSearch.Region(box: Box(x: $0[0], y: $0[1], width: $0[2], height: $0[3]), scale: row.scale)
    }
    let found = tracker.update(
      [], searched: FrameSearch(frame: Self.frame, regions: regions), at: 10 / Self.rate)
    #expect(tracker.events.map(\.kind) == (row.isLost ? [.lost] : []))
    #expect(found.isEmpty == row.isLost)
  }

  @Test func `confirmation counts the detections in a row among the searches for it`() {
    var tracker = Tracker(TrackerOptions(confirmAfter: 3))
    let elsewhere = Self.search(Box(x: 600, y: 0, width: 300, height: 300))
    var ids: [[Int?]] = []
    for index in 0..<7 {
      let isSearched = index % 3 == 0
      let found = tracker.update(
        isSearched ? [Self.person(x: 100)] : [], searched: isSearched ? Self.search(Self.whole) : elsewhere,
        at: Double(index) / Self.rate)
      ids.append(found.map(\.id))
    }
    #expect(ids == [[], [], [], [], [], [], [1]])
    // A search that misses it breaks the row.
    tracker = Tracker(TrackerOptions(confirmAfter: 2))
    _ = tracker.update([Self.person(x: 100)], searched: Self.search(Self.whole), at: 0)
    _ = tracker.update([], searched: Self.search(Self.whole), at: 1 / Self.rate)
    #expect(tracker.update([Self.person(x: 100)], searched: Self.search(Self.whole), at: 2 / Self.rate) == [])
  }

  @Test func `a track that is not searched for any more is lost after a time, and ends`() {
    var tracker = Self.following(until: 9)
    var lost: Double?
    var ended: Double?
    for index in 10..<120 {
      let time = Double(index) / Self.rate
      let found = tracker.update([], searched: Self.search(), at: time)
      if tracker.events.contains(where: { $0.kind == .lost }) { lost = time }
      if tracker.events.contains(where: { $0.kind == .exit }) { ended = ended ?? time }
      #expect(found.isEmpty == (lost != nil))
    }
    #expect(lost.map { abs($0 - 9 / Self.rate - Tracker.unobservedTime) <= 3 / Self.rate } == true)
    #expect(ended != nil)
  }

  @Test func `a track that leaves the frame is lost at once, whatever is searched`() {
    var tracker = Tracker()
    for index in 0..<10 {
      _ = tracker.update(
        [Self.person(x: 850 + 10 * Double(index))], searched: Self.search(Self.whole), at: Double(index) / Self.rate)
    }
    var lost: Int?
    for index in 10..<20 where lost == nil {
      _ = tracker.update([], searched: Self.search(), at: Double(index) / Self.rate)
      if tracker.events.contains(where: { $0.kind == .lost }) { lost = index }
    }
    // Its left edge passes the frame's right edge, at 960, in frame 11.
    #expect(lost.map { (11...13).contains($0) } == true, "\(String(describing: lost))")
  }

  @Test(arguments: [51, 52, 53, 54] as [UInt64])
  func `the contract holds with any regions`(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    let frames = DrawnScene.crossing(seed: seed).with {
      $0.faults = DrawnScene.Faults(missed: 0.1, jitter: 0.04, falseBoxes: 1)
    }.frames(seed: seed)
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 0.6))
    var (known, gone, lost): (Set<Int>, Set<Int>, Set<Int>) = ([], [], [])
    for (index, frame) in frames.enumerated() {
      let boxes =
        index % 4 == 0
        ? [Self.whole]
        : (0..<Int.random(in: 0...2, using: &generator)).map { _ in
          Box(
            x: Double.random(in: 0...660, using: &generator), y: Double.random(in: 0...240, using: &generator),
            width: 300, height: 300)
        }
      let search = FrameSearch(frame: Self.frame, regions: boxes.map { .init(box: $0, scale: 1) })
      let detections = frame.detections.filter { one in
        boxes.contains { $0.intersection(one.box) == one.box && !search.isCut(one.box, by: $0) }
      }
      let before = tracker
      let reported = tracker.update(detections, searched: search, at: frame.time)
      let ids = reported.compactMap(\.id)
      #expect(ids.count == reported.count && Set(ids).count == ids.count)
      for event in tracker.events {
        switch event.kind {
        case .confirm: #expect(known.insert(event.id).inserted)
        case .exit: gone.insert(event.id)
        case .lost:
          lost.insert(event.id)
          let predicted = before.predicted(at: frame.time).first { $0.id == event.id }?.box
          let reach = predicted.map { $0.buffered(by: 0.5) }
          #expect(
            boxes.contains { $0.intersection(reach ?? Self.whole) != nil }
              || predicted?.clipped(to: Self.frame) == nil, "lost without a search near it")
        case .recovered: lost.remove(event.id)
        case .enter: break
        }
      }
      #expect(known.isSuperset(of: ids) && gone.isDisjoint(with: ids) && lost.isDisjoint(with: ids))
      for one in reported { #expect(one.isPredicted == (one.id.flatMap(tracker.source) == nil)) }
    }
    #expect(known.count >= 8)
  }
}
