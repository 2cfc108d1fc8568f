import Foundation
import Testing
import VStreamScene

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
