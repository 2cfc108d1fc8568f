import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamTracking

/// The ID contract in generated scenes, with all of a detector's faults at once.
struct ContractPropertyTests {
  static let seeds: [UInt64] = [31, 32, 33, 34, 35, 36]

  private func frames(_ seed: UInt64) -> [DrawnScene.Frame] {
    DrawnScene.turns(seed: seed).atVaryingRate(seed: seed).with {
      $0.shake = 5
      $0.faults = DrawnScene.Faults(missed: 0.25, jitter: 0.06, falseBoxes: 2)
    }.frames(seed: seed)
  }

  @Test(arguments: seeds)
  func `IDs are positive, and each object of a frame has its own`(seed: UInt64) {
    var tracker = Tracker()
    for frame in frames(seed) {
      let ids = tracker.update(frame.detections, at: frame.time).compactMap(\.id)
      #expect(ids.allSatisfy { $0 > 0 })
      #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test(arguments: seeds)
  func `only a frame's detections are reported on it, with their scores, and boxes near theirs`(seed: UInt64) throws {
    var tracker = Tracker()
    for frame in frames(seed) {
      let reported = tracker.update(frame.detections, at: frame.time)
      for object in reported {
        let detection = frame.detections[try #require(object.id.flatMap(tracker.source))]
        #expect(object.score == detection.score)
        #expect(object.box.iou(detection.box) > 0.3, "\(object.box), \(detection.box)")
      }
      #expect(Set(tracker.matchedBoxes).isSubset(of: frame.detections.map(\.box)))
      #expect(tracker.predicted(at: frame.time + 0.01).map(\.id) == reported.map(\.id))
    }
  }

  @Test(arguments: seeds)
  func `an ID first appears when it is confirmed, and never after its exit`(seed: UInt64) {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 0.3))
    var known: Set<Int> = []
    var gone: Set<Int> = []
    for frame in frames(seed) {
      let reported = Set(tracker.update(frame.detections, at: frame.time).compactMap(\.id))
      let confirmed = Set(tracker.events.filter { $0.kind == .confirm }.map(\.id))
      gone.formUnion(tracker.events.filter { $0.kind == .exit }.map(\.id))
      #expect(known.isDisjoint(with: confirmed))
      known.formUnion(confirmed)
      #expect(reported.isSubset(of: known))
      #expect(reported.isDisjoint(with: gone))
    }
    #expect(known == Set(1...known.count))
    #expect(gone.count > 5)
  }

  @Test(arguments: seeds)
  func `an ID is never missing for longer than lost-after`(seed: UInt64) {
    var tracker = Tracker(TrackerOptions(lostAfterSeconds: 0.5))
    var lastSeen: [Int: (time: Double, update: Int)] = [:]
    for (update, frame) in frames(seed).enumerated() {
      for id in tracker.update(frame.detections, at: frame.time).compactMap(\.id) {
        if let last = lastSeen[id], last.update < update - 1 { #expect(frame.time - last.time <= 0.5 + 1e-6) }
        lastSeen[id] = (frame.time, update)
      }
    }
  }

  @Test(arguments: [2, 3, 5])
  func `an ID does not appear before the given number of detections`(count: Int) {
    var tracker = Tracker(TrackerOptions(confirmAfter: count))
    for (update, frame) in frames(37).enumerated() {
      let reported = tracker.update(frame.detections, at: frame.time)
      if update < count - 1 { #expect(reported.isEmpty) }
      for event in tracker.events where event.kind == .confirm {
        let entered = tracker.events.first { $0.kind == .enter && $0.id == event.id }
        let updates = frames(37).count { $0.time >= entered?.time ?? .infinity && $0.time <= frame.time }
        #expect(updates == count)
      }
    }
  }

  @Test(arguments: seeds)
  func `the same detections give the same IDs, also beside another stream`(seed: UInt64) {
    var alone = Tracker()
    var beside = Tracker()
    var other = Tracker()
    for (frame, another) in zip(frames(seed), frames(seed + 100)) {
      let expected = alone.update(frame.detections, at: frame.time)
      _ = other.update(another.detections, at: another.time)
      #expect(beside.update(frame.detections, at: frame.time) == expected)
      #expect(beside.events == alone.events)
    }
  }

  @Test(arguments: seeds)
  func `a copy of a tracker continues like the original`(seed: UInt64) {
    let frames = frames(seed)
    var whole = Tracker()
    var half = Tracker()
    for frame in frames.prefix(60) {
      _ = whole.update(frame.detections, at: frame.time)
      _ = half.update(frame.detections, at: frame.time)
    }
    var copy = half
    for frame in frames.dropFirst(60) {
      #expect(copy.update(frame.detections, at: frame.time) == whole.update(frame.detections, at: frame.time))
    }
    #expect(copy == whole)
  }

  @Test func `two objects far apart keep one ID each, however many detections are missed`() {
    var generator = SeededNumbers(seed: 41)
    var tracker = Tracker()
    var ids: [Int: Set<Int>] = [:]
    for step in 0..<500 {
      let all = [object(100 + Double(step), 100), object(900 - Double(step), 700)]
      let found = all.filter { _ in Double.random(in: 0...1, using: &generator) < 0.6 || step < 3 }
      for one in tracker.update(found, at: Double(step) / 25) {
        ids[one.box.center.y < 400 ? 0 : 1, default: []].formUnion([one.id ?? 0])
      }
    }
    #expect(ids == [0: [1], 1: [2]])
  }

  @Test func `with times that repeat or go back only detections are reported`() {
    var tracker = Tracker(TrackerOptions(confirmAfter: 1))
    #expect(tracker.update([object(100, 100)], at: 5).map(\.id) == [1])
    for time in [5, 4, -1, Double.nan, -Double.infinity] {
      #expect(tracker.update([], at: time) == [])
      #expect(tracker.update([object(100, 100)], at: time).map(\.id) == [1])
    }
  }

  @Test(arguments: seeds)
  func `any input is handled without a crash or an invalid box`(seed: UInt64) {
    var generator = SeededNumbers(seed: seed)
    let odd: [Double] = [.nan, .infinity, -.infinity, 0, -0.0, -7, 1e-300, 1e300, .leastNonzeroMagnitude, 1e9, 1e-6]
    func number() -> Double {
      Bool.random(using: &generator)
        ? odd.randomElement(using: &generator) ?? 0 : Double.random(in: -100...500, using: &generator)
    }
    var tracker = Tracker()
    for _ in 0..<300 {
      let found = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
        DetectedObject(
          classIndex: Int.random(in: -2...90, using: &generator), label: "any", score: number(),
          box: Box(x: number(), y: number(), width: number(), height: number()))
      }
      for one in tracker.update(found, at: number()) {
        #expect(one.box.width > 0 && one.box.height > 0 && one.box.x.isFinite && one.box.y.isFinite)
      }
      for one in tracker.predicted(at: number()) { #expect(one.box.width > 0) }
    }
  }
}
