import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamDetection

/// Head angles of meshes that are rotated by known angles.
struct HeadPoseTests {
  struct Turn: Sendable, CustomTestStringConvertible {
    let name: String
    let x: Double
    let y: Double
    let z: Double
    var testDescription: String { name }
  }

  static let turns = [
    Turn(name: "facing the camera", x: 0, y: 0, z: 0), Turn(name: "up", x: 20, y: 0, z: 0),
    Turn(name: "down", x: -35, y: 0, z: 0), Turn(name: "to the image's right", x: 0, y: 50, z: 0),
    Turn(name: "to the image's left", x: 0, y: -70, z: 0), Turn(name: "counter-clockwise", x: 0, y: 0, z: 40),
    Turn(name: "clockwise", x: 0, y: 0, z: -80), Turn(name: "upside down", x: 0, y: 0, z: 175),
    Turn(name: "all at once", x: 12, y: -33, z: 27),
  ]

  /// The mean face rotated about X, then Y, then Z, with 80 pixels between the outer eye corners.
  private func mesh(_ turn: Turn) -> [Vector] {
    func rotated(_ a: Double, _ b: Double, _ degrees: Double) -> (Double, Double) {
      let angle = degrees * .pi / 180
      return (a * cos(angle) - b * sin(angle), a * sin(angle) + b * cos(angle))
    }
    var mesh = [Vector](repeating: Vector(0, 0, 0), count: 468)
    for vertex in MeanFace.vertices {
      var point = vertex.at
      (point.y, point.z) = rotated(point.y, point.z, -turn.x)
      (point.z, point.x) = rotated(point.z, point.x, -turn.y)
      (point.x, point.y) = rotated(point.x, point.y, -turn.z)
      mesh[vertex.index] = point * 80 + Vector(300, 200, -7)
    }
    return mesh
  }

  @Test(arguments: turns) func `a rotated mesh has the angles of its rotation`(turn: Turn) throws {
    let pose = try #require(HeadPose(mesh(turn)))
    #expect(abs(pose.angles.x - turn.x) < 1e-6)
    #expect(abs(pose.angles.y - turn.y) < 1e-6)
    #expect(abs(pose.angles.z - turn.z) < 1e-6)
    #expect(abs(pose.scale - 80) < 1e-6)
  }

  @Test(arguments: turns) func `a rotated mesh is normalised`(turn: Turn) throws {
    let mesh = mesh(turn)
    let pose = try #require(HeadPose(mesh))
    for vertex in MeanFace.vertices {
      #expect((pose.normalised(mesh[vertex.index]) - vertex.at).length < 1e-9)
    }
  }

  /// The nose's tip has the smallest z, towards the camera: it moves in the direction that the face turns to.
  @Test func `positive angles are up, to the image's right, and counter-clockwise`() {
    let nose = MeanFace.vertices.firstIndex { $0.index == 1 }.map { MeanFace.vertices[$0].index } ?? 0
    let frontal = mesh(Turn(name: "", x: 0, y: 0, z: 0))[nose]
    #expect(mesh(Turn(name: "", x: 20, y: 0, z: 0))[nose].y < frontal.y, "up")
    #expect(mesh(Turn(name: "", x: 0, y: 20, z: 0))[nose].x > frontal.x, "to the image's right")
    #expect(
      mesh(Turn(name: "", x: 0, y: 0, z: 20))[nose].x > frontal.x,
      "counter-clockwise: points below the centre move right")
  }

  @Test func `a mesh without extent has no angles`() {
    #expect(HeadPose([Vector](repeating: Vector(5, 5, 5), count: 468)) == nil)
    #expect(HeadPose([Vector](repeating: Vector(.nan, 5, 5), count: 468)) == nil)
  }

  @Test func `the eigenvector of the greatest eigenvalue is computed`() {
    let found = greatestEigenvector([[2, 1, 0], [1, 2, 0], [0, 0, 1]])
    #expect(abs(abs(found[0]) - 0.5.squareRoot()) < 1e-12 && abs(found[0] - found[1]) < 1e-12)
    #expect(abs(found[2]) < 1e-12)
  }

  /// The figures are symmetrical, and the outer corners of the eyes are 1 apart.
  @Test func `the mean face is symmetrical`() {
    func at(_ index: Int) -> Vector { MeanFace.vertices.first { $0.index == index }?.at ?? Vector(.nan, 0, 0) }
    #expect((at(33) - Vector(-0.5, 0, 0)).length < 1e-4)
    for (right, left) in [(33, 263), (133, 362), (54, 284), (234, 454), (98, 327)] {
      #expect(abs(at(right).x + at(left).x) < 2e-4 && abs(at(right).y - at(left).y) < 2e-4)
    }
  }
}

/// The points of contours.
struct FaceMeshMapTests {
  @Test(arguments: FaceContour.Kind.allCases)
  func `a contour has the number of points of its kind, each once`(kind: FaceContour.Kind) {
    let indices = FaceMeshMap.indices(of: kind)
    #expect(indices.count == kind.pointCount)
    #expect(Set(indices).count == indices.count)
    #expect(indices.allSatisfy { (0..<468).contains($0) })
  }
}

/// Smoothing of points over time.
struct OneEuroFilterTests {
  private func run(_ frames: [Vector], rate: Double = 30, size: Double = 100) -> [Vector] {
    var filter = OneEuroFilter()
    return frames.enumerated().map { index, point in
      filter.smoothed([point], size: size, at: Double(index) / rate)[0]
    }
  }

  @Test func `jitter of a still point is reduced`() {
    var numbers = SeededNumbers(seed: 1)
    let raw = (0..<90).map { _ in Vector(50 + Double(numbers.below(100)) / 1000, 50, 0) }
    let smoothed = run(raw)
    func jitter(_ points: ArraySlice<Vector>) -> Double {
      zip(points, points.dropFirst()).reduce(0) { $0 + abs($1.1.x - $1.0.x) }
    }
    #expect(jitter(smoothed[30...]) < 0.6 * jitter(raw[30...]))
  }

  /// A face that crosses its own size ten times a second.
  @Test func `fast motion does not lag`() {
    let raw = (0..<30).map { Vector(Double($0) * 33, 0, 0) }
    for (found, expected) in zip(run(raw), raw).dropFirst(5) { #expect(abs(found.x - expected.x) < 1) }
  }

  @Test func `faces near and far are smoothed alike`() {
    var numbers = SeededNumbers(seed: 2)
    let raw = (0..<30).map { _ in Vector(Double(numbers.below(100)), 0, 0) }
    for (near, far) in zip(run(raw.map { $0 * 8 }, size: 800), run(raw)) { #expect(abs(near.x - 8 * far.x) < 1e-6) }
  }

  @Test func `points are not smoothed if time has not advanced`() {
    var filter = OneEuroFilter()
    _ = filter.smoothed([Vector(1, 2, 3)], size: 10, at: 5)
    let same = filter.smoothed([Vector(4, 5, 6)], size: 10, at: 5)
    #expect(same == [Vector(4, 5, 6)])
    let earlier = filter.smoothed([Vector(7, 8, 9)], size: 10, at: 4)
    #expect(earlier == [Vector(7, 8, 9)])
  }
}
