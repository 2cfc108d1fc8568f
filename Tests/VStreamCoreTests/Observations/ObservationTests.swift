import Testing
import VStreamCore

/// What objects, faces and poses have in common.
struct ObservationTests {
  private static let box = Box(x: 10, y: 20, width: 40, height: 80)

  private static let face: DetectedFace = {
    var face = DetectedFace(id: 2, score: 0.8, box: box)
    face.landmarks = [FaceLandmark(.noseBase, at: Point(x: 20, y: 40))]
    return face
  }()

  private static let pose = DetectedPose(
    id: 3, score: 0.7, box: box,
    landmarks: [PoseLandmark(.nose, at: Point(x: 20, y: 40), z: 6, inFrameLikelihood: 1)])

  private static let observations = Detections(
    objects: [DetectedObject(id: 1, classIndex: 16, label: "dog", score: 0.9, box: box)], faces: [face], poses: [pose])

  @Test func `all lists objects, then faces, then poses`() {
    let all = Self.observations.all
    #expect(all.map(\.label) == ["dog", "face", "pose"])
    #expect(all.map(\.id) == [1, 2, 3])
    #expect(all.map(\.score) == [0.9, 0.8, 0.7])
    #expect(all.allSatisfy { $0.box == Self.box })
    #expect(Self.observations.count == 3)
    #expect(Detections().all.isEmpty && Detections().count == 0)
  }

  @Test func `a list is read and written by its type`() {
    var observations = Self.observations
    #expect(observations[DetectedFace.self] == [Self.face])
    observations[DetectedPose.self] = []
    #expect(observations.poses == [])
    observations[DetectedObject.self] = nil
    #expect(observations.objects == nil && observations.count == 1)
    #expect([DetectedObject.kind, DetectedFace.kind, DetectedPose.kind] == [.objects, .faces, .poses])
  }

  @Test func `a list of one kind is that kind's, also an empty one, and no other kind is asked for`() {
    #expect(Detections([Self.face]) == Detections(faces: [Self.face]))
    #expect(Detections([Self.pose]) == Detections(poses: [Self.pose]))
    let none = Detections([DetectedObject]())
    #expect(none.objects == [] && none.faces == nil && none.poses == nil)
    #expect(DetectionKind.allCases.map(none.includes) == [true, false, false])
  }

  @Test func `merging replaces the lists that the other pass provides`() {
    var observations = Self.observations
    observations.merge(Detections(faces: [], poses: nil))
    #expect(observations.faces == [])
    #expect(observations.poses == [Self.pose] && observations.objects?.count == 1)
  }

  @Test func `scaling scales boxes, points and depths of all kinds`() throws {
    let scaled = Self.observations.scaled(x: 2, y: 0.5)
    let expected = Box(x: 20, y: 10, width: 80, height: 40)
    #expect(scaled.all.allSatisfy { $0.box == expected })
    #expect(scaled.faces?.first?.position(of: .noseBase) == Point(x: 40, y: 20))
    let nose = try #require(scaled.poses?.first?[.nose])
    #expect(nose.position == Point(x: 40, y: 20) && nose.z == 12)
    #expect(scaled.all.map(\.id) == [1, 2, 3])
  }

  @Test func `moving puts the tracked box at the given position`() {
    let target = Box(x: 0, y: 0, width: 4, height: 8)
    for observation in Self.observations.all {
      #expect((observation as? any KnownDetection)?.moved(to: target).trackedBox == target)
    }
  }

  @Test func `a pose moves by its trunk, not by its box`() {
    var pose = Self.pose
    let corners: [(PoseLandmark.Kind, Double, Double)] = [
      (.leftShoulder, 30, 30), (.rightShoulder, 20, 30), (.leftHip, 30, 40), (.rightHip, 20, 40),
    ]
    pose.landmarks = corners.map { PoseLandmark($0, at: Point(x: $1, y: $2), z: 0, inFrameLikelihood: 1) }
    #expect(pose.trackedBox == Box(x: 20, y: 30, width: 10, height: 10))
    let moved = pose.moved(to: Box(x: 120, y: 130, width: 20, height: 20))
    #expect(moved.box == Box(x: 100, y: 110, width: 80, height: 160))
    #expect(moved[.leftHip]?.position == Point(x: 140, y: 150))
  }

  @Test func `a moved object changes its box alone`() {
    var object = DetectedObject(id: 4, classIndex: 2, label: "car", score: 0.5, box: Self.box)
    object.category = CategoryLabel(.homeGood, score: 0.3)
    var expected = object
    expected.box = Box(x: -5, y: 0, width: 1, height: 2)
    #expect(object.moved(to: expected.box) == expected)
    #expect(object.trackedBox == Self.box)
  }

  @Test func `scaling keeps missing kinds missing and empty kinds empty`() {
    let scaled = Detections(objects: [], faces: nil, poses: nil).scaled(x: 2, y: 2)
    #expect(scaled == Detections(objects: []))
  }

  @Test(arguments: [(2.0, 2.0), (0.5, 3), (1, 1)])
  func `scaling back restores boxes and points`(x: Double, y: Double) throws {
    let back = Self.observations.scaled(x: x, y: y).scaled(x: 1 / x, y: 1 / y)
    for (found, original) in zip(back.all, Self.observations.all) {
      #expect(abs(found.box.x - original.box.x) < 1e-9 && abs(found.box.bottom - original.box.bottom) < 1e-9)
    }
    let nose = try #require(back.faces?.first?.position(of: .noseBase))
    #expect(abs(nose.x - 20) < 1e-9 && abs(nose.y - 40) < 1e-9)
  }
}
