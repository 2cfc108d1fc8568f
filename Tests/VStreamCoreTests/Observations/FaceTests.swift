import Foundation
import Testing
import VStreamCore

/// A face's parts, and how they move with its box.
struct FaceTests {
  @Test func `there are ten landmarks and fifteen contours of 133 points`() {
    #expect(FaceLandmark.Kind.allCases.count == 10)
    #expect(FaceContour.Kind.allCases.count == 15)
    #expect(FaceContour.Kind.allCases.reduce(0) { $0 + $1.pointCount } == 133)
  }

  private static let face: DetectedFace = {
    var face = DetectedFace(id: 3, score: 0.9, box: Box(x: 10, y: 20, width: 40, height: 60))
    face.angles = HeadAngles(x: 1, y: 2, z: 3)
    face.landmarks = [
      FaceLandmark(.leftEye, at: Point(x: 40, y: 35)), FaceLandmark(.noseBase, at: Point(x: 30, y: 50)),
    ]
    face.contours = [FaceContour(.noseBridge, points: [Point(x: 30, y: 35), Point(x: 10, y: 20)])]
    face.smiling = 0.5
    return face
  }()

  @Test func `points are carried along with the box`() {
    let moved = Self.face.moved(to: Box(x: 100, y: 0, width: 80, height: 30))
    #expect(moved.box == Box(x: 100, y: 0, width: 80, height: 30))
    #expect(moved.position(of: .noseBase) == Point(x: 140, y: 15))
    #expect(moved.position(of: .leftEye) == Point(x: 160, y: 7.5))
    #expect(moved.points(of: .noseBridge) == [Point(x: 140, y: 7.5), Point(x: 100, y: 0)])
    #expect(moved.position(of: .rightEye) == nil)
    #expect(moved.angles == Self.face.angles)
    #expect((moved.id, moved.score) == (3, 0.9))
  }

  @Test func `a face without extent is moved without growing`() {
    var point = Self.face
    point.box = Box(x: 30, y: 50, width: 0, height: 0)
    #expect(point.moved(to: Box(x: 0, y: 0, width: 10, height: 10)).position(of: .noseBase) == Point(x: 5, y: 5))
  }

  @Test func `a face is the same after coding and decoding`() throws {
    #expect(try JSONDecoder().decode(DetectedFace.self, from: JSONEncoder().encode(Self.face)) == Self.face)
  }
}

struct FaceQualityTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let better: DetectedFace
    let worse: DetectedFace
    var testDescription: String { name }
  }

  private static func face(
    _ x: Double = 100, side: Double = 100, angles: (x: Double, y: Double, z: Double)? = (0, 0, 0)
  ) -> DetectedFace {
    var face = DetectedFace(score: 1, box: Box(x: x, y: 100, width: side, height: side))
    face.angles = angles.map { HeadAngles(x: $0.x, y: $0.y, z: $0.z) }
    return face
  }

  static let rows = [
    Row(name: "larger", better: face(side: 101), worse: face(side: 100)),
    Row(name: "facing the camera, not aside", better: face(), worse: face(angles: (0, 20, 0))),
    Row(name: "facing the camera, not down", better: face(), worse: face(angles: (-20, 0, 0))),
    Row(name: "a little aside, not far", better: face(angles: (0, -10, 0)), worse: face(angles: (0, 40, 0))),
    Row(name: "within the frame, not half outside", better: face(), worse: face(-50)),
    Row(name: "frontal, not a box alone", better: face(), worse: face(angles: nil)),
    Row(
      name: "frontal, not larger by a fifth and from the side", better: face(),
      worse: face(side: 120, angles: (0, 60, 0))),
  ]

  private static let frame = PixelSize(width: 1000, height: 1000)

  @Test(arguments: rows) func `a better face has the higher score`(row: Row) {
    let scores = [row.better, row.worse].map { FaceQuality(of: $0, in: Self.frame).score }
    #expect(scores[0] > scores[1])
  }

  @Test func `a tilted head is as good as an upright one, once rotated`() {
    let (upright, tilted) = (Self.face(), Self.face(angles: (0, 0, 40)))
    #expect(FaceQuality(of: upright, in: Self.frame) == FaceQuality(of: tilted, in: Self.frame))
  }

  @Test func `a face larger than crops show is no better`() {
    let large = FaceQuality(of: Self.face(side: 400), in: Self.frame)
    #expect(large.size == FaceQuality.maximumSize)
    #expect(large == FaceQuality(of: Self.face(side: 500), in: Self.frame))
  }

  static let worthless = [
    Row(name: "rotated away", better: face(), worse: face(angles: (0, 120, 0))),
    Row(name: "rotated away about both axes", better: face(), worse: face(angles: (170, 170, 0))),
    Row(name: "angles that are no numbers", better: face(), worse: face(angles: (.nan, 0, 0))),
    Row(name: "outside the frame", better: face(), worse: face(-500)),
    Row(name: "of no size", better: face(), worse: face(side: 0)),
  ]

  @Test(arguments: worthless) func `what is not visible has quality 0`(row: Row) {
    #expect(FaceQuality(of: row.worse, in: Self.frame).score == 0)
  }

  @Test func `the score is the product of its parts`() {
    #expect(FaceQuality(sharpness: 0.5, size: 80, frontality: 0.25).score == 10)
    #expect(FaceQuality(of: Self.face(), in: Self.frame, sharpness: 0.5).score == 50)
  }
}
