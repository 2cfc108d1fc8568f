import Testing
import VStreamCore
import VStreamTestSupport
import VStreamTracking

/// Poses under the ID contract.
struct PoseTrackerTests {
  /// A person of a size in pixels, standing at a position, with the hands at given positions.
  private func pose(_ x: Double, _ y: Double = 200, height: Double = 200, reach: Double = 0.2) -> DetectedPose {
    func at(_ kind: PoseLandmark.Kind, _ across: Double, _ down: Double) -> PoseLandmark {
      PoseLandmark(
        kind, at: Point(x: x + across * height, y: y + down * height), z: 0, inFrameLikelihood: 0.9)
    }
    let landmarks = [
      at(.nose, 0, -0.45), at(.leftShoulder, 0.1, -0.3), at(.rightShoulder, -0.1, -0.3), at(.leftHip, 0.07, 0),
      at(.rightHip, -0.07, 0), at(.leftWrist, reach, -0.3), at(.rightWrist, -reach, -0.3),
      at(.leftAnkle, 0.1, 0.5), at(.rightAnkle, -0.1, 0.5),
    ]
    let box = Box(center: Point(x: x, y: y), width: 2 * max(0.1, reach) * height, height: height)
    return DetectedPose(score: 0.9, box: box, landmarks: landmarks)
  }

  @Test func `a pose has an ID from its second detection on, and keeps its landmarks`() {
    var tracker = PoseTracker()
    let first = tracker.update([pose(100)], at: 0)
    #expect(first.isEmpty)
    let found = tracker.update([pose(102)], at: 0.1)
    #expect(found.map(\.id) == [1])
    #expect(found.first?.landmarks == pose(102).landmarks)
    #expect(tracker.events.map(\.kind) == [.enter, .confirm])
    #expect(tracker.events.allSatisfy { $0.label == "pose" })
  }

  /// The box around a person with outstretched arms is five times as wide as with the arms down.
  @Test func `a person who waves their arms keeps their ID`() {
    var tracker = PoseTracker()
    var ids: Set<Int?> = []
    for step in 0..<40 {
      let reach = step % 2 == 0 ? 0.1 : 0.5
      ids.formUnion(tracker.update([pose(100 + Double(step), reach: reach)], at: 0.1 * Double(step)).map(\.id))
    }
    #expect(ids == [1])
  }

  @Test func `a person within another's reach has a separate ID`() {
    var tracker = PoseTracker()
    var found: [DetectedPose] = []
    for step in 0..<5 {
      found = tracker.update(
        [pose(300, height: 300, reach: 0.5), pose(410, 180, height: 100)], at: 0.1 * Double(step))
    }
    #expect(Set(found.map(\.id)) == [1, 2])
  }

  /// Seeds 1 to 5: people who walk along separate paths, listed in any order.
  @Test(arguments: 1...5) func `people who do not meet keep their IDs, in any order of detections`(seed: Int) {
    var random = SeededNumbers(seed: UInt64(seed))
    var tracker = PoseTracker()
    let speeds = (0..<4).map { _ in Double.random(in: -60...60, using: &random) }
    var owners: [Int: Set<Int>] = [:]
    for step in 0..<30 {
      let time = Double(step) / 15
      let people = speeds.indices.map { index in
        pose(200 + 300 * Double(index) + speeds[index] * time, reach: Double.random(in: 0.1...0.5, using: &random))
      }
      let order = people.indices.shuffled(using: &random)
      for found in tracker.update(order.map { people[$0] }, at: time) {
        let owner = people.firstIndex { $0.landmarks == found.landmarks }
        owners[found.id ?? 0, default: []].insert(owner ?? -1)
      }
    }
    #expect(owners.count == 4)
    #expect(owners.values.allSatisfy { $0.count == 1 }, "\(owners)")
  }

  @Test func `between detections a pose moves rigidly`() throws {
    var tracker = PoseTracker()
    for step in 0..<6 { _ = tracker.update([pose(100 + 10 * Double(step))], at: 0.1 * Double(step)) }
    let predicted = try #require(tracker.predicted(at: 0.6).first)
    #expect(predicted.id == 1)
    let last = pose(150)
    let shift = predicted.box.x - last.box.x
    #expect(shift > 5 && shift < 15, "it went 100 pixels a second")
    for (one, other) in zip(predicted.landmarks, last.landmarks) {
      #expect(abs(one.position.x - other.position.x - shift) < 0.5, "\(one.kind)")
      #expect(abs(one.position.y - other.position.y) < 0.5, "\(one.kind)")
    }
  }

  @Test func `a pose keeps its ID over a gap up to the limit, and not after it`() {
    for (gap, id) in [(0.9, 1), (1.2, 2)] {
      var tracker = PoseTracker(TrackerOptions(lostAfterSeconds: 1))
      for step in 0..<5 { _ = tracker.update([pose(100)], at: 0.1 * Double(step)) }
      for step in 1..<Int(gap * 10) { _ = tracker.update([], at: 0.4 + 0.1 * Double(step)) }
      _ = tracker.update([pose(100)], at: 0.4 + gap)
      let found = tracker.update([pose(100)], at: 0.5 + gap)
      #expect(found.map(\.id) == [id], "after \(gap) s")
    }
  }
}
