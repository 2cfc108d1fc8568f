import Foundation
import Testing
import VStreamCore

/// A pose's landmarks, and how they move with a box.
struct PoseTests {
  private static func pose(_ change: (inout [PoseLandmark.Kind: Point]) -> Void = { _ in }) -> DetectedPose {
    var places = Dictionary(
      uniqueKeysWithValues: PoseLandmark.Kind.allCases.enumerated().map { index, kind in
        (kind, Point(x: Double(10 + index), y: Double(20 + 2 * index)))
      })
    change(&places)
    return DetectedPose(
      id: 3, score: 0.9, box: Box(x: 10, y: 20, width: 40, height: 80),
      landmarks: PoseLandmark.Kind.allCases.map {
        PoseLandmark($0, at: places[$0] ?? Point(x: 0, y: 0), z: -5, inFrameLikelihood: 0.7)
      })
  }

  @Test func `there are 33 landmarks by ML Kit's names, in its order`() {
    let names = PoseLandmark.Kind.allCases.map(\.rawValue)
    #expect(names.count == 33)
    #expect(names.prefix(4) == ["nose", "leftEyeInner", "leftEye", "leftEyeOuter"])
    #expect(names[9...12] == ["leftMouth", "rightMouth", "leftShoulder", "rightShoulder"])
    #expect(names.suffix(4) == ["leftHeel", "rightHeel", "leftFootIndex", "rightFootIndex"])
    let sides = ["left", "right"].map { side in names.filter { $0.hasPrefix(side) }.map { $0.dropFirst(side.count) } }
    #expect(Set(sides[0]) == Set(sides[1]) && sides[0].count == 16)
  }

  @Test func `a transform applies to points and depths`() throws {
    let moved = Self.pose().transformed(
      by: BoxTransform(
        from: Box(x: 0, y: 0, width: 20, height: 20), to: Box(x: 100, y: 0, width: 40, height: 10)))
    #expect(moved.box == Box(x: 120, y: 10, width: 80, height: 40))
    let nose = try #require(moved[.nose])
    #expect(nose.position == Point(x: 120, y: 10))
    #expect(nose.z == -10 && nose.inFrameLikelihood == 0.7)
    #expect((moved.id, moved.score) == (3, 0.9))
  }

  /// Arms and legs may be anywhere.
  @Test func `the trunk is a square around shoulders and hips`() {
    func place(_ places: inout [PoseLandmark.Kind: Point]) {
      places[.leftShoulder] = Point(x: 60, y: 20)
      places[.rightShoulder] = Point(x: 40, y: 20)
      places[.leftHip] = Point(x: 55, y: 60)
      places[.rightHip] = Point(x: 45, y: 60)
    }
    let trunk = Self.pose(place).trunk
    #expect(trunk == Box(center: Point(x: 50, y: 40), width: 40, height: 40))
    let waving = Self.pose { places in
      place(&places)
      places[.leftWrist] = Point(x: 500, y: -70)
      places[.rightFootIndex] = Point(x: 0, y: 900)
    }
    #expect(waving.trunk == trunk)
  }

  @Test func `without shoulders or hips, or all in one place, the trunk is the box`() {
    var pose = Self.pose { places in
      for kind in [PoseLandmark.Kind.leftShoulder, .rightShoulder, .leftHip, .rightHip] {
        places[kind] = Point(x: 1, y: 1)
      }
    }
    #expect(pose.trunk == pose.box)
    pose.landmarks = []
    #expect(pose.trunk == pose.box)
    #expect(pose[.nose] == nil)
  }

  @Test func `a pose is the same after coding and decoding`() throws {
    let pose = Self.pose()
    #expect(try JSONDecoder().decode(DetectedPose.self, from: JSONEncoder().encode(pose)) == pose)
  }
}
