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
      FaceLandmark(.noseBase, at: Point(x: 30, y: 50)), FaceLandmark(.leftEye, at: Point(x: 40, y: 35)),
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

/// Places as Apple's Vision has them.
struct VisionCoordinatesTests {
  private let size = PixelSize(width: 200, height: 100)

  @Test(arguments: [
    (Point(x: 0, y: 0), Point(x: 0, y: 1)), (Point(x: 200, y: 100), Point(x: 1, y: 0)),
    (Point(x: 50, y: 25), Point(x: 0.25, y: 0.75)), (Point(x: -20, y: 110), Point(x: -0.1, y: -0.1)),
  ])
  func `points are counted in fractions from the lower left`(point: Point, vision: Point) {
    let found = point.normalized(in: size)
    #expect(abs(found.x - vision.x) < 1e-12 && abs(found.y - vision.y) < 1e-12)
    let back = Point(normalized: found, in: size)
    #expect(abs(back.x - point.x) < 1e-9 && abs(back.y - point.y) < 1e-9)
  }

  @Test func `a box's corner is its lower left one`() {
    let box = Box(x: 20, y: 10, width: 100, height: 50)
    let vision = box.normalized(in: size)
    for (found, expected) in zip([vision.x, vision.y, vision.width, vision.height], [0.1, 0.4, 0.5, 0.5]) {
      #expect(abs(found - expected) < 1e-12)
    }
    let back = Box(normalized: vision, in: size)
    for (found, expected) in zip([back.x, back.y, back.width, back.height], [20.0, 10, 100, 50]) {
      #expect(abs(found - expected) < 1e-9)
    }
  }
}

/// Rectangles that stand askew.
struct RotatedBoxTests {
  @Test func `a quarter turn clockwise brings the top left corner to the top right`() {
    let box = RotatedBox(center: Point(x: 10, y: 20), width: 8, height: 4, angle: .pi / 2)
    let (corner, end) = (box.point(across: 0, down: 0), box.point(across: 1, down: 1))
    #expect(abs(corner.x - 12) < 1e-12 && abs(corner.y - 16) < 1e-12)
    #expect(abs(end.x - 8) < 1e-12 && abs(end.y - 24) < 1e-12)
    #expect(box.upright == Box(x: 6, y: 18, width: 8, height: 4))
  }

  @Test func `an upright box has its own corners`() {
    let box = Box(x: 3, y: 4, width: 10, height: 6)
    #expect(RotatedBox(box).point(across: 0, down: 0) == Point(x: 3, y: 4))
    #expect(RotatedBox(box).point(across: 1, down: 0.5) == Point(x: 13, y: 7))
  }
}
