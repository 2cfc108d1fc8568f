import Testing
import VStreamCore
import VStreamTracking

@testable import VStreamPipeline

/// How long tracks are predicted, and when they end.
struct TrackersTests {
  /// (name, times of detections, time of the prediction, whether the car is predicted)
  static let rows: [(name: String, detected: [Double], time: Double, isPredicted: Bool)] = [
    ("at once", [0, 0.1], 0.15, true),
    ("as long as a lost track is kept", [0, 0.1], 1.1, true),
    ("no longer", [0, 0.1], 1.2, false),
    ("until the next detection, however late it is", [0, 5, 10], 14.9, true),
    ("no longer than 1.5 intervals", [0, 5, 10], 18, false),
    ("the last interval decides", [0, 5, 5.1], 6.2, false),
  ]

  private let car = DetectedObject(
    classIndex: 2, label: "car", score: 0.9, box: Box(x: 100, y: 100, width: 50, height: 40))

  @Test(arguments: rows)
  func `a track is predicted for a limited time`(
    row: (name: String, detected: [Double], time: Double, isPredicted: Bool)
  ) {
    var trackers = Trackers([.objects: TrackerOptions(lostAfterSeconds: 1, confirmAfter: 1)])
    for time in row.detected { _ = trackers.update(Detections(objects: [car]), at: time) }
    #expect(trackers.predicted(at: row.time, in: 0).objects?.count == (row.isPredicted ? 1 : 0), "\(row.name)")
  }

  @Test func `a track that ends is listed once, under its kind`() {
    let options = TrackerOptions(lostAfterSeconds: 0.1)
    var trackers = Trackers([.objects: options, .faces: options])
    var ended: [[DetectionKind: [Int]]] = []
    for index in 0..<12 {
      let face = DetectedFace(score: 1, box: Box(x: 20, y: 20, width: 50, height: 50))
      let found = Detections(objects: index < 2 ? [car] : [], faces: index < 4 ? [face] : [])
      _ = trackers.update(found, at: Double(index) * 0.04)
      ended.append(trackers.ended)
    }
    #expect(ended.flatMap { $0[.faces] ?? [] } == [1])
    #expect(ended.flatMap { $0[.objects] ?? [] } == [1])
    #expect(ended.prefix(4).allSatisfy { $0.isEmpty })
  }

  @Test func `a frame that is not later changes nothing`() {
    var trackers = Trackers([.objects: TrackerOptions(confirmAfter: 1)])
    let first = trackers.update(Detections(objects: [car]), at: 1)
    #expect(trackers.update(Detections(objects: []), at: 1).objects?.map(\.box) == first.objects?.map(\.box))
    #expect(trackers.update(Detections(objects: []), at: 0.5).objects?.map(\.id) == [1])
    #expect(trackers.lastSearch == 1 && trackers.events.isEmpty)
  }

  @Test func `a kind that is searched for in some frames only is predicted in the others`() {
    let options = TrackerOptions(lostAfterSeconds: 1, confirmAfter: 1)
    var trackers = Trackers([.objects: options, .faces: options])
    func face(at x: Double) -> DetectedFace { DetectedFace(score: 1, box: Box(x: x, y: 20, width: 50, height: 50)) }
    for (time, x) in [(0.0, 0.0), (0.2, 10), (0.4, 20)] {
      _ = trackers.update(Detections(objects: [car], faces: [face(at: x)]), at: time)
    }
    let between = trackers.update(Detections(objects: [car]), at: 0.5)
    #expect(between.faces?.count == 1 && between.faces?[0].id == 1 && between.objects?.count == 1)
    #expect(between.faces.map { (20.5...30).contains($0[0].box.x) } == true, "\(between.faces ?? [])")
    // Cars alone do not keep a face that is not searched for any more.
    for time in stride(from: 0.6, through: 1.8, by: 0.2) {
      _ = trackers.update(Detections(objects: [car]), at: time)
    }
    #expect(trackers.predicted(at: 1.9, in: 0).faces == [] && trackers.predicted(at: 1.9, in: 0).objects?.count == 1)
    #expect(trackers.lastSearch.map { abs($0 - 1.8) < 1e-9 } == true)
  }

  @Test func `a frame in which nothing was searched is no search`() {
    var trackers = Trackers([.poses: TrackerOptions(confirmAfter: 1)])
    _ = trackers.update(Detections(poses: [DetectedPose(score: 1, box: car.box, landmarks: [])]), at: 0)
    let predicted = trackers.update(Detections(), at: 0.04)
    #expect(predicted.poses?.map(\.id) == [1] && predicted.objects == nil)
    #expect(trackers.lastSearch == 0 && trackers.events.isEmpty && trackers.ended.isEmpty)
  }

  /// The boxes before the idle frames resemble motion.
  @Test(arguments: [0.5, 3, 100])
  func `while nothing moves, tracks stay where they are and keep their IDs`(seconds: Double) {
    var trackers = Trackers([.objects: TrackerOptions(lostAfterSeconds: 1, confirmAfter: 1)])
    var last = Detections()
    for index in 0..<10 {
      var moved = car
      moved.box.x += Double(3 * index)
      last = trackers.update(Detections(objects: [moved]), at: Double(index) / 25)
    }
    for time in stride(from: 0.4, through: 0.4 + seconds, by: 0.04) {
      let idle = trackers.idle(at: time, in: 0).objects ?? []
      #expect(idle.map(\.id) == [1] && idle[0].isPredicted)
      #expect(abs(idle[0].box.x - (last.objects?[0].box.x ?? 0)) < 3, "\(idle)")
    }
    var still = Detections(objects: last.objects)
    still.isStill = true
    let after = trackers.update(still, at: 0.5 + seconds)
    #expect(after.objects?.map(\.id) == [1] && trackers.events.isEmpty)
  }

  /// A person who begins to walk is seen again in the next key frame, two seconds later.
  @Test func `what has moved since the last key frame keeps its ID`() {
    var trackers = Trackers([.objects: TrackerOptions(lostAfterSeconds: 1, confirmAfter: 1)])
    for index in 0..<100 { _ = trackers.update(Detections(objects: [car]), at: Double(index) / 25) }
    for index in 100..<150 { _ = trackers.idle(at: Double(index) / 25, in: 0) }
    var moved = car
    moved.box.x += 0.6 * car.box.width
    var found = Detections(objects: [moved])
    found.isStill = false
    #expect(trackers.update(found, at: 6).objects?.map(\.id) == [1])
    for index in 1..<10 {
      moved.box.x += 1
      #expect(trackers.update(Detections(objects: [moved]), at: 6 + Double(index) / 25).objects?.map(\.id) == [1])
    }
  }

  /// A key frame's result may be ready only when its frame, and some that follow, have left.
  @Test func `while a result is late after idle frames, tracks stay where they were`() {
    var trackers = Trackers([.objects: TrackerOptions(lostAfterSeconds: 1, confirmAfter: 1)])
    var last = car
    for index in 0..<10 {
      last.box.x = car.box.x + Double(3 * index)
      _ = trackers.update(Detections(objects: [last]), at: Double(index) / 25)
    }
    for index in 10..<60 { _ = trackers.idle(at: Double(index) / 25, in: 0) }
    let late = trackers.predicted(at: 2.4, in: 0).objects ?? []
    #expect(late.map(\.id) == [1] && abs(late[0].box.x - last.box.x) < 8, "\(late)")
    for index in 61..<70 { #expect(trackers.idle(at: Double(index) / 25, in: 0).objects?.map(\.id) == [1]) }
    var found = Detections(objects: [last])
    found.isStill = true
    #expect(trackers.update(found, at: 2.4).objects?.map(\.id) == [1] && trackers.events.isEmpty)
    for index in 71..<110 { #expect(trackers.idle(at: Double(index) / 25, in: 0).objects?.map(\.id) == [1]) }
    #expect(trackers.update(found, at: 4.4).objects?.map(\.id) == [1] && trackers.events.isEmpty)
  }

  @Test func `a result that comes while nothing moves counts for its own frame`() {
    var trackers = Trackers([.objects: TrackerOptions(lostAfterSeconds: 1, confirmAfter: 2)])
    _ = trackers.update(Detections(objects: [car]), at: 0)
    #expect(trackers.idle(at: 0.08, in: 0).objects == [])
    #expect(trackers.update(Detections(objects: [car]), at: 0.04).objects?.map(\.id) == [1])
    #expect(trackers.idle(at: 5, in: 0).objects?.map(\.id) == [1])
    // What is not there any more is lost.
    #expect(trackers.update(Detections(objects: []), at: 5.04).objects == [])
  }

  @Test func `kinds that are not detected have no list, others an empty one`() {
    let trackers = Trackers([.faces: TrackerOptions()])
    #expect(trackers.predicted(at: 0, in: 0) == Detections(faces: []))
  }

  @Test func `a label is new once for each ID`() {
    var trackers = Trackers([.objects: TrackerOptions(), .poses: TrackerOptions()])
    func found(_ ids: [Int], poses: [Int] = []) -> Detections {
      Detections(
        objects: ids.map { DetectedObject(id: $0, classIndex: 2, label: "car", score: 1, box: car.box) },
        poses: poses.map { id in
          var pose = DetectedPose(score: 1, box: car.box, landmarks: [])
          pose.id = id
          return pose
        })
    }
    #expect(trackers.newLabels(in: found([1, 2])) == ["car", "car"])
    #expect(trackers.newLabels(in: found([2, 3], poses: [1])) == ["car", "pose"])
    #expect(trackers.newLabels(in: found([1, 2, 3], poses: [1])) == [])
  }

  @Test func `at the end every track exits`() {
    var trackers = Trackers([.objects: TrackerOptions(confirmAfter: 1)])
    _ = trackers.update(Detections(objects: [car]), at: 0)
    let exits = trackers.finish(at: 2)
    #expect(exits.map(\.kind) == [.exit])
    #expect(exits.map(\.id) == [1])
  }
}
