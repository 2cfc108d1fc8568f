import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamTracking

/// What is covered, frame by frame: rather too much than too little.
struct CoverageTrackerTests {
  private func covers(_ places: [CoveredRegion], _ box: Box) -> Bool {
    box.coveredFraction(by: places.map(\.ellipse)) == 1
  }

  @Test func `a detection is covered at once, whole, with a margin`() throws {
    var tracker = CoverageTracker(TrackerOptions())
    let places = tracker.update([object(100, 100)], at: 0)
    #expect(places.count == 1)
    let box = object(100, 100).box
    #expect(covers(places, Box(left: box.x - 3, top: box.y - 3, right: box.right + 3, bottom: box.bottom + 3)))
    #expect(places[0].extent == 80)
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
  func `a weak detection is covered where it continues something`(row: WeakRow) {
    var tracker = CoverageTracker(TrackerOptions())
    _ = tracker.update([object(100, 100)], at: 0)
    let places = tracker.update([object(row.x, 100, score: row.score)], at: 0.1)
    #expect(covers(places, object(row.x, 100, score: row.score).box) == row.isCovered)
  }

  @Test func `what is missed is covered until it is given up, where it was and where it goes`() {
    var tracker = CoverageTracker(TrackerOptions(lostAfter: 1))
    for step in 0...10 { _ = tracker.update([object(100 + Double(step) * 10, 100)], at: Double(step) / 10) }
    for step in 11...20 {
      let places = tracker.update([], at: Double(step) / 10)
      #expect(covers(places, object(200, 100).box), "it may have stopped, \(step)")
      #expect(covers(places, object(100 + Double(step) * 10, 100).box), "it may have gone on, \(step)")
    }
    #expect(tracker.update([], at: 2.2).isEmpty)
  }

  @Test func `one single detection is held as well`() {
    var tracker = CoverageTracker(TrackerOptions(lostAfter: 1))
    _ = tracker.update([object(100, 100)], at: 0)
    for step in 1...10 { #expect(covers(tracker.update([], at: Double(step) / 10), object(100, 100).box)) }
  }

  struct HiddenRow: CustomTestStringConvertible, Sendable {
    let name: String
    /// How far the one behind is to the right of the one in front, in pixels.
    let aside: Double
    /// In which of ten frames the one behind is found.
    let found: Set<Int>
    /// In which it is covered.
    let covered: ClosedRange<Int>
    var testDescription: String { name }
  }

  static let hidden = [
    HiddenRow(name: "mostly hidden, always found", aside: 12, found: Set(2...9), covered: 2...9),
    HiddenRow(name: "mostly hidden, missed now and then", aside: 12, found: [2, 3, 6, 9], covered: 2...9),
    HiddenRow(name: "mostly hidden, found once", aside: 12, found: [4], covered: 4...9),
    HiddenRow(name: "half hidden, missed now and then", aside: 24, found: [2, 3, 6, 9], covered: 2...9),
  ]

  @Test(arguments: hidden)
  func `who is behind somebody is covered while missed, too`(row: HiddenRow) {
    var tracker = CoverageTracker(TrackerOptions(lostAfter: 1))
    let (front, behind) = (object(100, 100), object(100 + row.aside, 100))
    for step in 0..<10 {
      let places = tracker.update([front] + (row.found.contains(step) ? [behind] : []), at: Double(step) / 10)
      #expect(covers(places, front.box))
      #expect(covers(places, behind.box) == row.covered.contains(step), "frame \(step)")
    }
  }

  @Test func `the margin grows with the speed`() {
    func width(speed: Double) -> Double {
      var tracker = CoverageTracker(TrackerOptions())
      var places: [CoveredRegion] = []
      for step in 0...10 {
        places = tracker.update([object(100 + Double(step) * speed / 10, 100)], at: Double(step) / 10)
      }
      return places.map(\.ellipse.radiusX).max() ?? 0
    }
    #expect(width(speed: 200) > width(speed: 0) + 5)
  }

  @Test func `between two detections a subject is covered along its path`() {
    var tracker = CoverageTracker(TrackerOptions())
    for step in 0...5 { _ = tracker.update([object(100 + Double(step) * 10, 100)], at: Double(step) / 10) }
    let before = tracker
    #expect(covers(tracker.regions(at: 0.8), object(180, 100).box))
    #expect(tracker == before)
  }

  static let seeds: [UInt64] = [51, 52, 53]

  @Test(arguments: seeds)
  func `on drawn scenes with missed detections everything strong that is found is covered`(seed: UInt64) {
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

/// What is covered in frames that wait for what is found after them.
struct LookBackTests {
  /// Runs a tracker over frames a tenth of a second apart and gives what is covered in each in the end.
  private func covered(_ frames: [[DetectedObject]], seconds: Double, frames least: Int = 0) -> [[CoveredRegion]] {
    var tracker = CoverageTracker(TrackerOptions())
    var lookBack = CoverageLookBack(seconds: seconds, frames: least)
    var covered: [[CoveredRegion]] = []
    for (index, detections) in frames.enumerated() {
      lookBack.add(tracker.update(detections, at: Double(index) / 10), at: Double(index) / 10)
      while lookBack.isReady { covered.append(lookBack.next()) }
    }
    while lookBack.count > 0 { covered.append(lookBack.next()) }
    return covered
  }

  @Test(arguments: [0, 1, 3, 5])
  func `what appears is covered so many tenths of a second before, along its way`(tenths: Int) {
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

  @Test func `who appears mostly hidden by somebody is covered before`() {
    let (front, behind) = (object(100, 100), object(112, 100))
    let covered = covered((0..<12).map { $0 < 8 ? [front] : [front, behind] }, seconds: 0.3)
    for step in 5..<12 { #expect(behind.box.coveredFraction(by: covered[step].map(\.ellipse)) == 1, "frame \(step)") }
    #expect(behind.box.coveredFraction(by: covered[3].map(\.ellipse)) < 1)
  }

  @Test func `what turned while it was not found is covered where it must have been`() {
    // It walks to the right, stops being found, turns, and is found again.
    let place = { (step: Int) in Double(step <= 6 ? 100 + step * 15 : 190 - (step - 6) * 15) }
    let frames = (0..<14).map { step in (5...8).contains(step) ? [] : [object(place(step), 100)] }
    let covered = covered(frames, seconds: 0.5)
    for step in frames.indices {
      #expect(object(place(step), 100).box.coveredFraction(by: covered[step].map(\.ellipse)) > 0.9, "frame \(step)")
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
    ReadyRow(name: "none waits", seconds: 0, frames: 0, times: [], isReady: false),
    ReadyRow(name: "no look-back", seconds: 0, frames: 1, times: [1], isReady: true),
    ReadyRow(name: "too short for movement to show", seconds: 0.5, frames: 0, times: [0, 0.6], isReady: false),
    ReadyRow(name: "just long enough", seconds: 0.5, frames: 0, times: [0.1, 0.3, 0.8], isReady: true),
    ReadyRow(name: "long enough, too few frames", seconds: 0.5, frames: 2, times: [0, 0.3, 0.6, 0.9], isReady: false),
    ReadyRow(name: "frames enough", seconds: 0.5, frames: 2, times: [0, 0.2, 0.4, 0.6, 0.8], isReady: true),
  ]

  @Test(arguments: ready)
  func `a frame waits as long as it should, in time and in frames`(row: ReadyRow) {
    var lookBack = CoverageLookBack(seconds: row.seconds, frames: row.frames)
    for time in row.times { lookBack.add([], at: time) }
    #expect(lookBack.isReady == row.isReady)
    #expect(lookBack.count == row.times.count)
  }

  @Test func `a frame that has to leave early knows what was found by then`() {
    var tracker = CoverageTracker(TrackerOptions())
    var lookBack = CoverageLookBack(seconds: 10)
    lookBack.add(tracker.update([], at: 0), at: 0)
    lookBack.add(tracker.update([object(100, 100)], at: 0.1), at: 0.1)
    #expect(object(100, 100).box.coveredFraction(by: lookBack.next().map(\.ellipse)) == 1)
    _ = lookBack.next()
    #expect(lookBack.next().isEmpty)
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
  func `with 30 % of the detections suppressed by chance nobody is in the clear in any frame`(
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
      while lookBack.isReady { covers.append(lookBack.next().map(\.ellipse)) }
    }
    while lookBack.count > 0 { covers.append(lookBack.next().map(\.ellipse)) }
    #expect(covers.count == frames.count)
    let shares = zip(frames, covers).flatMap { frame, ellipses in
      frame.detections.map { $0.box.coveredFraction(by: ellipses) }
    }
    #expect(shares.allSatisfy { $0 >= 0.8 }, "\(shares.filter { $0 < 0.8 }.count) of \(shares.count)")
  }
}
