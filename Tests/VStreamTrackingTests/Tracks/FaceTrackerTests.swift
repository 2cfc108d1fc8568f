import Testing
import VStreamCore
import VStreamTracking

/// Faces under the ID contract.
struct FaceTrackerTests {
  private func face(_ x: Double, _ y: Double = 100, size: Double = 50, score: Double = 0.9) -> DetectedFace {
    var face = DetectedFace(score: score, box: Box(x: x, y: y, width: size, height: size))
    face.landmarks = [FaceLandmark(.noseBase, at: Point(x: x + size / 2, y: y + size / 2))]
    return face
  }

  @Test func `a face has an ID from its second detection on, and keeps its landmarks and contours`() {
    var tracker = FaceTracker()
    let first = tracker.update([face(10)], at: 0)
    #expect(first.isEmpty)
    let found = tracker.update([face(12)], at: 0.1)
    #expect(found.map(\.id) == [1])
    #expect(found.first?.position(of: .noseBase) == Point(x: 37, y: 125))
    #expect(tracker.events.map(\.kind) == [.enter, .confirm])
  }

  /// In any order of the faces, each ID stays with its own face's landmarks.
  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func `landmarks stay with their faces`(order: [Int]) {
    var tracker = FaceTracker()
    let centers = [10.0, 200, 400]
    _ = tracker.update(centers.map { face($0) }, at: 0)
    let first = tracker.update(centers.map { face($0) }, at: 0.1)
    let second = tracker.update(order.map { face(centers[$0] + 3) }, at: 0.2)
    #expect(second.map(\.id) == first.map(\.id))
    for (one, other) in zip(first, second) {
      #expect(other.box.x == one.box.x + 3)
      #expect(other.position(of: .noseBase)?.x == other.box.center.x)
    }
  }

  @Test func `between detections landmarks move with their box`() throws {
    var tracker = FaceTracker()
    for step in 0..<6 { _ = tracker.update([face(10 + 10 * Double(step))], at: 0.1 * Double(step)) }
    let predicted = try #require(tracker.predicted(at: 0.6).first)
    #expect(predicted.id == 1)
    #expect(predicted.box.x > 60, "it went 100 pixels a second")
    let nose = try #require(predicted.position(of: .noseBase))
    #expect(abs(nose.x - predicted.box.center.x) < 1e-9 && abs(nose.y - predicted.box.center.y) < 1e-9)
  }

  @Test func `while nothing moves a face keeps its ID and its landmarks`() throws {
    var tracker = FaceTracker(TrackerOptions(lostAfterSeconds: 1))
    for step in 0..<6 { _ = tracker.update([face(100)], at: 0.1 * Double(step)) }
    tracker.idle(until: 60) { _ in true }
    let idle = try #require(tracker.predicted(at: 60).first)
    #expect(idle.id == 1 && idle.box.x == 100)
    #expect(idle.position(of: .noseBase)?.x == idle.box.center.x)
    #expect(tracker.update([], at: 60.1).isEmpty, "it is not there any more")
    #expect(tracker.update([face(100)], at: 60.9).map(\.id) == [1], "lost for less than a second")
  }

  @Test func `a face that disappears and another that appears do not share an ID`() {
    var tracker = FaceTracker()
    for step in 0..<5 { _ = tracker.update([face(400 + 20 * Double(step))], at: 0.1 * Double(step)) }
    let gone = tracker.update([], at: 0.5)
    #expect(gone.isEmpty)
    var ids: [Int?] = []
    for step in 6..<10 { ids += tracker.update([face(20)], at: 0.1 * Double(step)).map(\.id) }
    #expect(ids == [2, 2, 2])
  }
}
