import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamTracking

/// A detection of a 40×80 object, by its centre.
func object(_ x: Double, _ y: Double, score: Double = 0.9, label: String = "person", classIndex: Int = 0)
  -> DetectedObject
{
  DetectedObject(
    classIndex: classIndex, label: label, score: score,
    box: Box(center: Point(x: x, y: y), width: 40, height: 80))
}

/// The ID contract, clause by clause.
struct TrackerContractTests {
  @Test func `an ID comes with the second matched detection, is positive, and stays`() {
    var tracker = Tracker()
    #expect(tracker.update([object(100, 100)], at: 0) == [])
    for step in 1...20 {
      let found = tracker.update([object(100 + Double(step) * 5, 100)], at: Double(step) / 10)
      #expect(found.map(\.id) == [1])
    }
  }

  @Test(arguments: [1, 2, 3, 5])
  func `a track is confirmed after the given number of matches`(count: Int) {
    var tracker = Tracker(TrackerOptions(confirmAfter: count))
    for match in 1...6 {
      let found = tracker.update([object(100, 100)], at: Double(match) / 10)
      #expect(found.isEmpty == (match < count))
    }
  }

  @Test func `an ID is kept over a gap of up to lost-after, and not longer`() {
    for (gap, expected) in [(0.9, 1), (1.0, 1), (1.2, 2)] {
      var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1))
      _ = tracker.update([object(100, 100)], at: 0)
      _ = tracker.update([object(100, 100)], at: 0.5)
      _ = tracker.update([], at: 0.6)
      _ = tracker.update([object(100, 100)], at: 0.5 + gap)
      let found = tracker.update([object(100, 100)], at: 0.6 + gap)
      #expect(found.map(\.id) == [expected], "gap of \(gap) s")
    }
  }

  @Test func `an ID is kept over a gap of exactly lost-after at any stream time`() {
    for frame in 1...3000 {
      var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1, confirmAfter: 1))
      _ = tracker.update([object(100, 100)], at: Double(frame) / 30)
      _ = tracker.update([], at: Double(frame + 1) / 30)
      #expect(tracker.update([object(100, 100)], at: Double(frame + 30) / 30).map(\.id) == [1], "frame \(frame)")
    }
  }

  @Test func `an object that is detected at every update keeps its ID, however rare updates are`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1))
    _ = tracker.update([object(100, 100)], at: 0)
    for update in 1...5 { #expect(tracker.update([object(100, 100)], at: Double(update) * 3).map(\.id) == [1]) }
  }

  @Test func `a moving object keeps its ID after an occlusion`() {
    var tracker = Tracker()
    for step in 0...10 { _ = tracker.update([object(100 + Double(step) * 8, 100)], at: Double(step) / 10) }
    for step in 11...18 { #expect(tracker.update([], at: Double(step) / 10).isEmpty) }
    let found = tracker.update([object(100 + 19 * 8, 100)], at: 1.9)
    #expect(found.map(\.id) == [1])
  }

  @Test func `IDs are never reused`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 0.2))
    var seen: [Int] = []
    for visit in 0..<10 {
      _ = tracker.update([], at: Double(visit) - 0.5)
      for step in 0..<3 {
        let time = Double(visit) + Double(step) * 0.1
        seen += tracker.update([object(100, 100)], at: time).compactMap(\.id)
      }
    }
    #expect(Set(seen) == Set(1...10))
    #expect(seen == seen.sorted())
  }

  @Test func `on a detected frame only matched tracks are reported`() {
    var tracker = Tracker()
    for step in 0...3 { _ = tracker.update([object(100, 100), object(400, 100)], at: Double(step) / 10) }
    let found = tracker.update([object(100, 100)], at: 0.4)
    #expect(found.count == 1)
    #expect(tracker.predicted(at: 0.5).count == 1)
    #expect(tracker.update([object(100, 100), object(400, 100)], at: 0.6).count == 2)
  }

  @Test func `an object that is detected as two classes has one ID`() {
    var tracker = Tracker()
    let double = [
      object(100, 100, score: 0.8, label: "car", classIndex: 2),
      object(101, 100, score: 0.7, label: "truck", classIndex: 7),
    ]
    _ = tracker.update(double, at: 0)
    #expect(tracker.update(double, at: 0.1).map(\.label) == ["car"])
  }

  @Test func `a class that changes briefly gives no new ID, and the prevailing class is reported`() {
    var tracker = Tracker()
    var found: [DetectedObject] = []
    for step in 0...10 {
      let isOdd = step % 3 == 2
      found = tracker.update(
        [object(100, 100, label: isOdd ? "truck" : "car", classIndex: isOdd ? 7 : 2)], at: Double(step) / 10)
      if step > 0 { #expect(found.map(\.id) == [1]) }
    }
    #expect(found.map(\.label) == ["car"])
  }

  @Test func `a vehicle that is a car and, in a somewhat larger box, a truck is one object`() {
    var tracker = Tracker()
    let car = DetectedObject(classIndex: 2, label: "car", score: 0.9, box: Box(x: 649, y: 44, width: 73, height: 56))
    let truck = DetectedObject(
      classIndex: 7, label: "truck", score: 0.55, box: Box(x: 642, y: 40, width: 83, height: 65))
    for step in 0...5 {
      let found = tracker.update(step < 2 ? [car] : [car, truck], at: Double(step) / 10)
      if step > 0 { #expect(found.map(\.id) == [1]) }
    }
  }

  @Test func `of two classes that are as likely, the first stays`() {
    var tracker = Tracker()
    var labels: Set<String> = []
    for step in 0...200 {
      let isKite = step % 2 == 0
      let score = isKite ? [0.55, 0.57][step / 2 % 2] : 0.56
      let found = tracker.update(
        [object(100, 100, score: score, label: isKite ? "first" : "second", classIndex: isKite ? 3 : 2)],
        at: Double(step) / 10)
      labels.formUnion(found.map(\.label))
      if step > 0 { #expect(found.first?.detectedLabel == (isKite ? nil : "second")) }
    }
    #expect(labels == ["first"])
  }

  @Test func `an object whose class changes on every frame has one ID`() {
    var tracker = Tracker()
    for step in 0...20 {
      let found = tracker.update(
        [object(100 + Double(step) * 3, 100, label: "class \(step % 5)", classIndex: step % 5)], at: Double(step) / 10)
      if step > 0 { #expect(found.map(\.id) == [1]) }
    }
  }

  @Test func `a track has the label with the most evidence, and reports that of a detection that differs`() {
    var tracker = Tracker()
    var labels: [String] = []
    for (step, label) in ["car", "car", "truck", "car"].enumerated() + (4...8).map({ ($0, "truck") }) {
      let found = tracker.update(
        [object(100, 100, label: label, classIndex: label == "car" ? 2 : 7)], at: Double(step) / 10)
      labels += found.map { $0.label + ($0.detectedLabel.map { " as \($0)" } ?? "") }
    }
    #expect(
      labels == ["car", "car as truck", "car"] + Array(repeating: "car as truck", count: 3) + ["truck", "truck"])
    #expect(tracker.predicted(at: 0.9).map(\.detectedLabel) == [nil])
  }

  @Test func `streams do not share IDs`() {
    var one = Tracker()
    var other = Tracker()
    for step in 0...1 {
      _ = one.update([object(100, 100)], at: Double(step))
      _ = other.update([object(100, 100), object(300, 100)], at: Double(step))
    }
    #expect(one.predicted(at: 1).map(\.id) == [1])
    #expect(other.predicted(at: 1).map(\.id) == [1, 2])
  }

  @Test func `a prediction does not change the tracker`() {
    var tracker = Tracker()
    for step in 0...5 { _ = tracker.update([object(100 + Double(step) * 10, 100)], at: Double(step) / 10) }
    let before = tracker
    let predicted = tracker.predicted(at: 0.7)
    #expect(tracker == before)
    #expect(abs((predicted.first?.box.center.x ?? 0) - 170) < 6)
    #expect(predicted.first?.score == 0.9)
  }
}

struct TrackerAssociationTests {
  @Test(arguments: [5.0, 10, 25, 60])
  func `the same motion is followed at any frame rate`(rate: Double) {
    var tracker = Tracker()
    var ids: Set<Int> = []
    for frame in 0..<Int(6 * rate) {
      let time = Double(frame) / rate
      let found = [object(50 + 90 * time, 100), object(640 - 80 * time, 190), object(300, 60 + 70 * time)]
      ids.formUnion(tracker.update(found, at: time).compactMap(\.id))
    }
    #expect(ids == [1, 2, 3])
  }

  @Test func `at a varying frame rate with missing updates, IDs are kept`() {
    var generator = SeededNumbers(seed: 8)
    var tracker = Tracker()
    var time = 0.0
    var ids: Set<Int> = []
    while time < 10 {
      time += [0.02, 0.04, 0.1, 0.25].randomElement(using: &generator) ?? 0.04
      let found = [object(50 + 60 * time, 100), object(640 - 55 * time, 170)]
      ids.formUnion(tracker.update(found, at: time).compactMap(\.id))
    }
    #expect(ids == [1, 2])
  }

  @Test func `when the camera moves suddenly, neighbouring objects do not swap IDs`() {
    var tracker = Tracker()
    var order: [[Int?]] = []
    for step in 0...12 {
      let knock = step >= 6 ? 46.0 : 0
      let row = [(100.0, 100.0), (150, 110), (200, 95), (250, 105), (300, 100)]
      let found = tracker.update(row.map { object($0.0 + knock, $0.1 - knock / 2) }, at: Double(step) / 25)
      if step > 0 { order.append(found.sorted { $0.box.x < $1.box.x }.map(\.id)) }
    }
    #expect(Set(order).count == 1)
    #expect(order.first?.count == 5)
  }

  @Test func `objects that cross keep their IDs`() {
    var tracker = Tracker()
    var found: [DetectedObject] = []
    for step in 0...40 {
      let shift = Double(step) * 6
      found = tracker.update([object(100 + shift, 100), object(340 - shift, 115)], at: Double(step) / 25)
    }
    #expect(
      found.first { $0.id == 1 }.map { $0.box.center.x > 300 } == (found.first { $0.id == 1 }?.box.center.y == 100))
    #expect(found.count == 2)
    #expect(Set(found.compactMap(\.id)) == [1, 2])
  }

  struct ScoreRow: CustomTestStringConvertible, Sendable {
    let name: String
    let score: Double
    let starts: Bool
    let continues: Bool
    var testDescription: String { name }
  }

  static let scores = [
    ScoreRow(name: "at the threshold", score: 0.5, starts: true, continues: true),
    ScoreRow(name: "just below", score: 0.499, starts: false, continues: true),
    ScoreRow(name: "low", score: 0.1, starts: false, continues: true),
    ScoreRow(name: "not a number", score: .nan, starts: false, continues: false),
  ]

  @Test(arguments: scores)
  func `a score decides whether a detection starts or continues a track`(_ row: ScoreRow) {
    var fresh = Tracker(TrackerOptions(confirmAfter: 1))
    #expect(!fresh.update([object(100, 100, score: row.score)], at: 0).isEmpty == row.starts)
    var running = Tracker(TrackerOptions(confirmAfter: 1))
    _ = running.update([object(100, 100)], at: 0)
    #expect(!running.update([object(102, 100, score: row.score)], at: 0.1).isEmpty == row.continues)
  }

  @Test(arguments: [("the same box", 0.0), ("nearly the same", 3)])
  func `two detections of one object give one ID`(name: String, right: Double) {
    for confirmAfter in 1...3 {
      var tracker = Tracker(TrackerOptions(confirmAfter: confirmAfter))
      for update in 1...6 {
        let found = tracker.update(
          [object(100, 100), object(100 + right, 100, score: 0.8)], at: Double(update) / 10)
        #expect(found.compactMap(\.id) == (update < confirmAfter ? [] : [1]), "\(name)")
      }
    }
  }

  @Test func `a stationary object keeps its ID over a minute's gap if lost-after allows it`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 100))
    for tenth in 0...30 { _ = tracker.update([object(100, 100)], at: Double(tenth) / 10) }
    for tenth in 31...600 { _ = tracker.update([], at: Double(tenth) / 10) }
    #expect(tracker.update([object(100, 100)], at: 60.1).map(\.id) == [1])
  }

  @Test func `weak detections alone continue a track for as long as it may be lost`() {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 1, confirmAfter: 1))
    _ = tracker.update([object(100, 100)], at: 0)
    for tenth in 1...10 {
      #expect(tracker.update([object(100, 100, score: 0.3)], at: Double(tenth) / 10).map(\.id) == [1])
    }
    #expect(tracker.update([object(100, 100, score: 0.3)], at: 1.1).isEmpty)
    #expect(tracker.update([object(100, 100)], at: 1.5).map(\.id) == [1], "it was lost a moment ago")
    #expect(
      tracker.update([object(100, 100, score: 0.3)], at: 2.4).map(\.id) == [1], "counted from the last strong one")
  }

  @Test(arguments: [("more than half of it", 36.0, [1]), ("less than half of it", 44.0, [1, 2])])
  func `a detection that is part of a matched one gives no second object`(name: String, down: Double, ids: [Int]) {
    var tracker = Tracker(TrackerOptions(confirmAfter: 1))
    _ = tracker.update([object(100, 100)], at: 0)
    #expect(
      tracker.update([object(100, 100), object(100, 100 + down, score: 0.6)], at: 0.1).compactMap(\.id) == ids,
      "\(name)")
  }

  @Test func `invalid boxes are ignored`() {
    let odd: [Double] = [.nan, .infinity, -.infinity, 0, -5]
    var tracker = Tracker(TrackerOptions(confirmAfter: 1))
    _ = tracker.update([object(100, 100)], at: 0)
    let broken = odd.flatMap { value in
      [
        Box(x: value.isFinite ? .nan : value, y: 0, width: 10, height: 10),
        Box(x: 0, y: 0, width: value, height: 10), Box(x: 0, y: 0, width: 10, height: value),
      ]
    }.map { DetectedObject(classIndex: 0, label: "person", score: 0.9, box: $0) }
    #expect(tracker.update(broken + [object(100, 100)], at: 0.1).map(\.id) == [1])
  }

  @Test func `of more than a thousand detections the best are used, and the others are counted`() {
    var tracker = Tracker(TrackerOptions(confirmAfter: 1))
    let crowd = (0..<1100).map { index in
      DetectedObject(
        classIndex: 0, label: "person", score: 0.5 + Double(index) / 4000,
        box: Box(x: Double(index % 40) * 20, y: Double(index / 40) * 20, width: 10, height: 10))
    }
    #expect(tracker.update(crowd, at: 0).count == 1000)
    #expect(tracker.detectionsOmitted == 100)
  }
}

struct TrackerPropertyTests {
  @Test func `the order of detections does not matter`() {
    var generator = SeededNumbers(seed: 11)
    var plain = Tracker()
    var shuffled = Tracker()
    for step in 0..<100 {
      let found = scene(step, &generator)
      let time = Double(step) / 15
      #expect(plain.update(found, at: time) == shuffled.update(found.shuffled(using: &generator), at: time))
    }
  }

  @Test func `scaling the input by a power of two scales the output exactly`() {
    var generator = SeededNumbers(seed: 12)
    var plain = Tracker()
    var scaled = Tracker()
    for step in 0..<100 {
      let found = scene(step, &generator)
      let time = Double(step) / 15
      let expected = plain.update(found, at: time).map { times4($0) }
      #expect(scaled.update(found.map { times4($0) }, at: time) == expected)
    }
  }

  /// A dozen objects that move at constant speed, with missed detections, jitter and occasional false positives.
  private func scene(_ step: Int, _ generator: inout SeededNumbers) -> [DetectedObject] {
    var found: [DetectedObject] = []
    for index in 0..<12 where Double.random(in: 0...1, using: &generator) > 0.15 {
      let x = 50 + Double(index) * 60 + Double(step) * (index % 2 == 0 ? 3 : -2)
      let jitter = Double.random(in: -2...2, using: &generator)
      found.append(
        object(x + jitter, 100 + Double(index % 4) * 50, score: Double.random(in: 0.1...1, using: &generator)))
    }
    if step % 7 == 0 { found.append(object(Double.random(in: 0...700, using: &generator), 300, score: 0.6)) }
    return found
  }

  private func times4(_ object: DetectedObject) -> DetectedObject {
    var object = object
    object.box = Box(
      x: object.box.x * 4, y: object.box.y * 4, width: object.box.width * 4, height: object.box.height * 4)
    return object
  }
}
