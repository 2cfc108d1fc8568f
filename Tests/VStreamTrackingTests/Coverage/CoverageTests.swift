import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamTracking

/// The covered regions of each frame; where a position is uncertain, more is covered.
struct CoverageTrackerTests {
  private func covers(_ regions: [CoveredRegion], _ box: Box) -> Bool {
    box.coveredFraction(by: regions.map(\.ellipse)) == 1
  }

  @Test func `a detection is covered on its frame, completely and with a margin`() throws {
    var tracker = CoverageTracker(TrackerOptions())
    let regions = tracker.update([object(100, 100)], at: 0)
    #expect(regions.count == 1)
    let box = object(100, 100).box
    #expect(covers(regions, Box(left: box.x - 3, top: box.y - 3, right: box.right + 3, bottom: box.bottom + 3)))
    #expect(regions[0].extent == 80)
  }

  struct WeakRow: CustomTestStringConvertible, Sendable {
    let name: String
    let score: Double
    let x: Double
    let isCovered: Bool
    var testDescription: String { name }
  }

  static let weak = [
    WeakRow(name: "at the threshold, elsewhere", score: 0.5, x: 400, isCovered: true),
    WeakRow(name: "below it, elsewhere", score: 0.49, x: 400, isCovered: false),
    WeakRow(name: "below it, on a track", score: 0.12, x: 104, isCovered: true),
    WeakRow(name: "below it, half on a track", score: 0.12, x: 120, isCovered: true),
  ]

  @Test(arguments: weak)
  func `a detection below the threshold is covered if it continues a track`(row: WeakRow) {
    var tracker = CoverageTracker(TrackerOptions())
    _ = tracker.update([object(100, 100)], at: 0)
    let regions = tracker.update([object(row.x, 100, score: row.score)], at: 0.1)
    #expect(covers(regions, object(row.x, 100, score: row.score).box) == row.isCovered)
  }

  struct RepeatedRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var score = 0.42
    /// Pixels a frame.
    var speed = 0.0
    /// The first frame, of ten, on which it is covered.
    let coveredFrom: Int?
  }

  @Test(arguments: [
    RepeatedRow(testDescription: "at one place", coveredFrom: 3),
    RepeatedRow(testDescription: "that moves", speed: 5, coveredFrom: 3),
    RepeatedRow(testDescription: "elsewhere each time", speed: 200, coveredFrom: nil),
    RepeatedRow(testDescription: "with lower scores", score: 0.38, coveredFrom: nil),
  ])
  func `what is detected repeatedly below the threshold is covered`(row: RepeatedRow) {
    var tracker = CoverageTracker(TrackerOptions(lostAfterSeconds: 1))
    for step in 0..<10 {
      let detection = object(100 + Double(step) * row.speed, 100, score: row.score)
      let regions = tracker.update([detection], at: Double(step) / 25)
      #expect(covers(regions, detection.box) == (row.coveredFrom.map { step >= $0 } ?? false), "frame \(step)")
      #expect(regions.allSatisfy { $0.id == 3 }, "its mosaic moves with it")
    }
    let later = tracker.update([], at: 0.5)
    #expect(covers(later, object(100 + 9 * row.speed, 100).box) == (row.coveredFrom != nil), "it is held as others are")
  }

  @Test(arguments: [(0.42, true), (0.38, false)])
  func `in a photo a detection is covered as if it were repeated`(score: Double, isCovered: Bool) {
    var tracker = CoverageTracker(TrackerOptions(), isTracked: false)
    let detection = object(100, 100, score: score)
    #expect(covers(tracker.update([detection], at: 0), detection.box) == isCovered)
  }

  @Test(arguments: [true, false])
  func `the cover of an object that has left the frame grows no more, and stays`(leaves: Bool) throws {
    var tracker = CoverageTracker(TrackerOptions(lostAfterSeconds: 2))
    tracker.frame = PixelSize(width: leaves ? 300 : 3000, height: 400)
    for step in 0...10 { _ = tracker.update([object(100 + Double(step) * 15, 100)], at: Double(step) / 10) }
    let areas = try [1.3, 1.6, 1.9].map { time in
      let region = try #require(tracker.update([], at: time).first)
      #expect(covers([region], try #require(object(250, 100).box.clipped(to: PixelSize(width: 300, height: 400)))))
      return region.ellipse.bounds.area
    }
    #expect(leaves == (areas[2] == areas[1]), "\(areas)")
  }

  @Test func `a missed object is covered at its last and its predicted position until its track ends`() {
    var tracker = CoverageTracker(TrackerOptions(lostAfterSeconds: 1))
    for step in 0...10 { _ = tracker.update([object(100 + Double(step) * 10, 100)], at: Double(step) / 10) }
    for step in 11...20 {
      let regions = tracker.update([], at: Double(step) / 10)
      #expect(covers(regions, object(200, 100).box), "it may have stopped, \(step)")
      #expect(covers(regions, object(100 + Double(step) * 10, 100).box), "it may have gone on, \(step)")
    }
    #expect(tracker.update([], at: 2.2).isEmpty)
  }

  @Test(arguments: [
    ("on it", 100.0, 0.12, true), ("on it, nearly certain", 100, 0.45, true), ("beside it, by half", 125, 0.12, false),
  ])
  func `detections below the threshold hold a covered region without limit`(
    name: String, x: Double, score: Double, isHeld: Bool
  ) {
    var tracker = CoverageTracker(TrackerOptions(lostAfterSeconds: 1))
    _ = tracker.update([object(100, 100)], at: 0)
    let weak = object(x, 100, score: score)
    for step in 1...50 {
      let regions = tracker.update([weak], at: Double(step) / 10)
      if isHeld || step <= 10 { #expect(covers(regions, weak.box), "\(name), \(step)") }
      #expect(regions.allSatisfy { $0.id == 2 || !isHeld }, "it keeps its ID, by which its mosaic moves with it")
    }
    #expect(covers(tracker.update([], at: 5.5), weak.box) == isHeld, "\(name): between detections")
    #expect(tracker.update([], at: 7).isEmpty, "\(name): it ends as a track does")
    #expect(tracker.update([weak], at: 7.1).isEmpty, "\(name): a new region needs a higher score")
  }

  @Test func `an object that was detected once is covered until its track ends`() {
    var tracker = CoverageTracker(TrackerOptions(lostAfterSeconds: 1))
    _ = tracker.update([object(100, 100)], at: 0)
    for step in 1...10 { #expect(covers(tracker.update([], at: Double(step) / 10), object(100, 100).box)) }
  }

  struct HiddenRow: CustomTestStringConvertible, Sendable {
    let name: String
    /// Distance of the person behind to the right of the one in front, in pixels.
    let distance: Double
    /// The frames, of ten, on which the person behind is detected.
    let found: Set<Int>
    /// The frames on which that person is covered.
    let covered: ClosedRange<Int>
    var testDescription: String { name }
  }

  static let hidden = [
    HiddenRow(name: "mostly hidden, always detected", distance: 12, found: Set(2...9), covered: 2...9),
    HiddenRow(name: "mostly hidden, missed on some frames", distance: 12, found: [2, 3, 6, 9], covered: 2...9),
    HiddenRow(name: "mostly hidden, detected once", distance: 12, found: [4], covered: 4...9),
    HiddenRow(name: "half hidden, missed on some frames", distance: 24, found: [2, 3, 6, 9], covered: 2...9),
  ]

  @Test(arguments: hidden)
  func `a person behind another is covered while missed`(row: HiddenRow) {
    var tracker = CoverageTracker(TrackerOptions(lostAfterSeconds: 1))
    let (front, behind) = (object(100, 100), object(100 + row.distance, 100))
    for step in 0..<10 {
      let regions = tracker.update([front] + (row.found.contains(step) ? [behind] : []), at: Double(step) / 10)
      #expect(covers(regions, front.box))
      #expect(covers(regions, behind.box) == row.covered.contains(step), "frame \(step)")
    }
  }

  @Test func `the margin grows with the speed`() {
    func width(speed: Double) -> Double {
      var tracker = CoverageTracker(TrackerOptions())
      var regions: [CoveredRegion] = []
      for step in 0...10 {
        regions = tracker.update([object(100 + Double(step) * speed / 10, 100)], at: Double(step) / 10)
      }
      return regions.map(\.ellipse.radiusX).max() ?? 0
    }
    #expect(width(speed: 200) > width(speed: 0) + 5)
  }

  @Test func `between two detections an object is covered along its path`() {
    var tracker = CoverageTracker(TrackerOptions())
    for step in 0...5 { _ = tracker.update([object(100 + Double(step) * 10, 100)], at: Double(step) / 10) }
    let before = tracker
    #expect(covers(tracker.regions(at: 0.8), object(180, 100).box))
    #expect(tracker == before)
  }

  static let seeds: [UInt64] = [51, 52, 53]

  @Test(arguments: seeds)
  func `in generated scenes every detection above the threshold is covered`(seed: UInt64) {
    var tracker = CoverageTracker(TrackerOptions())
    let frames = DrawnScene.turns(seed: seed).with {
      $0.faults = DrawnScene.Faults(missed: 0.3, jitter: 0.06, falseBoxes: 2)
    }.frames(seed: seed)
    for frame in frames {
      let ellipses = tracker.update(frame.detections, at: frame.time).map(\.ellipse)
      let strong = frame.detections.filter { $0.score >= 0.5 }
      #expect(strong.allSatisfy { $0.box.coveredFraction(by: ellipses) == 1 })
    }
  }
}

/// The coverage of frames that are delayed by the look-back window.
struct LookBackTests {
  /// Runs a tracker over frames a tenth of a second apart and returns the final coverage of each.
  private func covered(_ frames: [[DetectedObject]], seconds: Double, frames least: Int = 0) -> [[CoveredRegion]] {
    var tracker = CoverageTracker(TrackerOptions())
    var lookBack = CoverageLookBack(seconds: seconds, frames: least)
    var covered: [[CoveredRegion]] = []
    for (index, detections) in frames.enumerated() {
      lookBack.add(tracker.update(detections, at: Double(index) / 10), at: Double(index) / 10)
      while lookBack.isReady { covered.append(lookBack.next(in: nil) ?? []) }
    }
    while lookBack.count > 0 { covered.append(lookBack.next(in: nil) ?? []) }
    return covered
  }

  @Test(arguments: [0, 1, 3, 5])
  func `an object is covered along its path for the look-back window before its first detection`(tenths: Int) {
    let frames = (0..<20).map { step in step < 10 ? [] : [object(100 + Double(step) * 10, 100)] }
    let covered = covered(frames, seconds: Double(tenths) / 10)
    #expect(covered.count == frames.count)
    for step in 0..<20 {
      let share = object(100 + Double(step) * 10, 100).box.coveredFraction(by: covered[step].map(\.ellipse))
      if step >= 10 - tenths {
        #expect(share == 1, "frame \(step)")
      } else {
        #expect(covered[step].isEmpty, "frame \(step)")
      }
    }
  }

  @Test func `a person who appears mostly occluded is covered before the first detection`() {
    let (front, behind) = (object(100, 100), object(112, 100))
    let covered = covered((0..<12).map { $0 < 8 ? [front] : [front, behind] }, seconds: 0.3)
    for step in 5..<12 { #expect(behind.box.coveredFraction(by: covered[step].map(\.ellipse)) == 1, "frame \(step)") }
    #expect(behind.box.coveredFraction(by: covered[3].map(\.ellipse)) < 1)
  }

  @Test func `an object that changed direction while it was missed is covered along its path`() {
    // The object moves right, is missed, turns, and is detected again.
    let x = { (step: Int) in Double(step <= 6 ? 100 + step * 15 : 190 - (step - 6) * 15) }
    let frames = (0..<14).map { step in (5...8).contains(step) ? [] : [object(x(step), 100)] }
    let covered = covered(frames, seconds: 0.5)
    for step in frames.indices {
      #expect(object(x(step), 100).box.coveredFraction(by: covered[step].map(\.ellipse)) > 0.9, "frame \(step)")
    }
  }

  struct ReadyRow: CustomTestStringConvertible, Sendable {
    let name: String
    let seconds: Double
    let frames: Int
    let times: [Double]
    let isReady: Bool
    var testDescription: String { name }
  }

  static let ready = [
    ReadyRow(name: "no frame waits", seconds: 0, frames: 0, times: [], isReady: false),
    ReadyRow(name: "no look-back", seconds: 0, frames: 1, times: [1], isReady: true),
    ReadyRow(name: "too short to measure motion", seconds: 0.5, frames: 0, times: [0, 0.6], isReady: false),
    ReadyRow(name: "just long enough", seconds: 0.5, frames: 0, times: [0.1, 0.3, 0.8], isReady: true),
    ReadyRow(name: "long enough, too few frames", seconds: 0.5, frames: 2, times: [0, 0.3, 0.6, 0.9], isReady: false),
    ReadyRow(name: "enough frames", seconds: 0.5, frames: 2, times: [0, 0.2, 0.4, 0.6, 0.8], isReady: true),
  ]

  @Test(arguments: ready)
  func `a frame waits for the given time and number of frames`(row: ReadyRow) {
    var lookBack = CoverageLookBack(seconds: row.seconds, frames: row.frames)
    for time in row.times { lookBack.add([], at: time) }
    #expect(lookBack.isReady == row.isReady)
    #expect(lookBack.count == row.times.count)
  }

  @Test func `a frame that leaves early has the coverage known by then`() {
    var tracker = CoverageTracker(TrackerOptions())
    var lookBack = CoverageLookBack(seconds: 10)
    lookBack.add(tracker.update([], at: 0), at: 0)
    lookBack.add(tracker.update([object(100, 100)], at: 0.1), at: 0.1)
    #expect(object(100, 100).box.coveredFraction(by: (lookBack.next(in: nil) ?? []).map(\.ellipse)) == 1)
    _ = lookBack.next(in: nil)
    #expect(lookBack.next(in: nil) == nil, "no frame is delayed")
  }

  @Test func `the cover before an object enters the frame reaches its edge, and grows no more outside`() throws {
    let frame = PixelSize(width: 640, height: 400)
    var (tracker, lookBack) = (CoverageTracker(TrackerOptions()), CoverageLookBack(seconds: 1))
    tracker.frame = frame
    for step in 0...20 {
      let found = step < 10 ? [] : [object(Double(step - 10) * 15, 100)]
      lookBack.add(tracker.update(found, at: Double(step) / 20), at: Double(step) / 20)
    }
    let bounds = try (0..<10).map { _ in try #require(lookBack.next(in: frame)?.first).ellipse.bounds }
    #expect(bounds.allSatisfy { object(0, 100).box.coveredFraction(by: [Ellipse(around: $0)]) > 0.9 })
    #expect(bounds[0].area <= bounds[8].area * 1.01, "\(bounds.map(\.area))")
  }

  @Test func `before its first detection a fast object is covered on its whole path`() {
    let frame = PixelSize(width: 4000, height: 400)
    var (tracker, lookBack) = (CoverageTracker(TrackerOptions()), CoverageLookBack(seconds: 0.5))
    tracker.frame = frame
    // 25 frames a second, and half a width in each: 12 widths a second.
    func place(_ step: Int) -> DetectedObject { object(500 + Double(step) * 25, 100) }
    for step in 0...30 {
      lookBack.add(tracker.update(step < 12 ? [] : [place(step)], at: Double(step) / 25), at: Double(step) / 25)
    }
    for step in 0..<12 {
      let covers = (lookBack.next(in: frame) ?? []).map(\.ellipse)
      #expect(place(step).box.coveredFraction(by: covers) > 0.95, "frame \(step)")
    }
  }

  @Test func `what is covered in one shot is not in the next, nor before it there`() {
    var tracker = CoverageTracker(TrackerOptions())
    var lookBack = CoverageLookBack(seconds: 0.5)
    let (before, after) = (object(100, 100), object(400, 100))
    for (step, found) in [[before], [], [], [], [after], [after]].enumerated() {
      let (time, shot) = (0.1 * Double(step), step < 2 ? 0 : 1)
      tracker.change(toShot: shot, at: time)
      lookBack.add(tracker.update(found, at: time), at: time, in: shot)
    }
    let covers = (0..<6).map { _ in (lookBack.next(in: nil) ?? []).map(\.ellipse) }
    #expect(covers.map { before.box.coveredFraction(by: $0) == 1 } == [true, true, false, false, false, false])
    #expect(covers.map { after.box.coveredFraction(by: $0) == 1 } == [false, false, true, true, true, true])
  }

  @Test(arguments: [0.0, 0.5])
  func `in an interruption in which nothing is found, what was covered stays so`(seconds: Double) {
    var tracker = CoverageTracker(TrackerOptions())
    var lookBack = CoverageLookBack(seconds: seconds)
    var covers: [[Ellipse]] = []
    for step in 0..<12 {
      let (time, isInterrupted) = (0.04 * Double(step), step == 5)
      tracker.change(toShot: isInterrupted ? 1 : 0, at: time)
      let found = tracker.update(isInterrupted ? [] : [object(100, 100)], at: time)
      lookBack.add(found, at: time, in: isInterrupted ? 1 : 0, left: tracker.leftRegions(at: time))
      while lookBack.isReady, let leaving = lookBack.next(in: nil) { covers.append(leaving.map(\.ellipse)) }
    }
    while let leaving = lookBack.next(in: nil) { covers.append(leaving.map(\.ellipse)) }
    #expect(covers.count == 12)
    #expect(covers.allSatisfy { object(100, 100).box.coveredFraction(by: $0) == 1 })
  }

  @Test func `a weak detection holds its region after an interruption as before it`() {
    var tracker = CoverageTracker(TrackerOptions(lostAfterSeconds: 1))
    _ = tracker.update([object(100, 100)], at: 0)
    func covers(_ found: [DetectedObject], at time: Double) -> Bool {
      object(100, 100).box.coveredFraction(by: tracker.update(found, at: time).map(\.ellipse)) == 1
    }
    for step in 1...20 { #expect(covers([object(100, 100, score: 0.42)], at: 0.1 * Double(step))) }
    tracker.change(toShot: 1, at: 2.1)
    _ = tracker.update([], at: 2.1)
    tracker.change(toShot: 0, at: 2.2)
    #expect(covers([object(100, 100, score: 0.42)], at: 2.2))
  }

  struct Scene: CustomTestStringConvertible, Sendable {
    let name: String
    let draw: @Sendable (UInt64) -> DrawnScene
    var testDescription: String { name }
  }

  static let scenes = [
    Scene(name: "crossing") { .crossing(seed: $0) },
    Scene(name: "turning on the spot") { .turns(seed: $0) },
    Scene(name: "crossing, 10 frames a second") { .crossing(seed: $0).at(rate: 10) },
    Scene(name: "turning on the spot, at a varying rate") { .turns(seed: $0).atVaryingRate(seed: $0) },
  ]

  @Test(arguments: scenes, [UInt64(61), 62, 63])
  func `with 30 % of the detections removed at random, every object is covered on every frame`(
    scene: Scene, seed: UInt64
  ) {
    let frames = scene.draw(seed).frames(seed: seed)
    var numbers = SeededNumbers(seed: seed)
    var tracker = CoverageTracker(TrackerOptions())
    var lookBack = CoverageLookBack(seconds: 0.5, frames: 1)
    var covers: [[Ellipse]] = []
    for frame in frames {
      let found = frame.detections.filter { _ in numbers.below(10) >= 3 }
      lookBack.add(tracker.update(found, at: frame.time), at: frame.time)
      while lookBack.isReady { covers.append((lookBack.next(in: nil) ?? []).map(\.ellipse)) }
    }
    while lookBack.count > 0 { covers.append((lookBack.next(in: nil) ?? []).map(\.ellipse)) }
    #expect(covers.count == frames.count)
    let shares = zip(frames, covers).flatMap { frame, ellipses in
      frame.detections.map { $0.box.coveredFraction(by: ellipses) }
    }
    #expect(shares.allSatisfy { $0 >= 0.8 }, "\(shares.filter { $0 < 0.8 }.count) of \(shares.count)")
  }
}
