import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamOverlay

/// The geometry of strokes, and the strokes of faces.
struct StrokeTests {
  private static let frame = PixelSize(width: 64, height: 48)

  @Test(arguments: 1...8)
  func `a stroke covers pixels by their distance to its line`(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    func point() -> Point { Point(x: Double(numbers.below(840)) / 10 - 10, y: Double(numbers.below(680)) / 10 - 10) }
    let (start, end) = (point(), point())
    let stroke = Stroke(points: [start, end], width: Double(1 + numbers.below(8)), color: .white)
    var mask = try Mask(ofWhole: Self.frame)
    mask.draw(stroke)
    for _ in 0..<250 {
      let (x, y) = (numbers.below(64), numbers.below(48))
      // The minimum over many points of the line.
      let distances = (0...2000).map { step in
        let along = Double(step) / 2000
        let dx = start.x + along * (end.x - start.x) - Double(x) - 0.5
        let dy = start.y + along * (end.y - start.y) - Double(y) - 0.5
        return (dx * dx + dy * dy).squareRoot()
      }
      let distance = distances.min() ?? .infinity
      let expected = min(1, max(0, stroke.width / 2 + 0.5 - distance)) * 255
      #expect(abs(Double(mask.coverage[y * mask.stride + x]) - expected) <= 4, "\(x),\(y)")
    }
  }

  @Test func `bounds hold all points and half the width`() {
    let stroke = Stroke(points: [Point(x: 30, y: 5), Point(x: 10, y: 25), Point(x: 20, y: 1)], width: 4, color: .white)
    #expect(stroke.bounds == Box(left: 7.5, top: -1.5, right: 32.5, bottom: 27.5))
    #expect(stroke.lines.count == 2)
    #expect(Stroke(points: [Point(x: 3, y: 4)], width: 1, color: .white).lines.map(\.start) == [Point(x: 3, y: 4)])
  }

  @Test(arguments: [
    ("not a number", Point(x: .nan, y: 20)), ("infinite", Point(x: .infinity, y: 20)),
    ("minus infinity", Point(x: 20, y: -.infinity)),
  ])
  func `a point that is not finite covers nothing`(name: String, point: Point) throws {
    for points in [[point], [Point(x: 40, y: 40), point]] {
      let stroke = Stroke(points: points, width: 3, color: .white)
      var mask = try Mask(ofWhole: Self.frame)
      mask.draw(stroke)
      #expect(mask.coverage.allSatisfy { $0 == 0 })
    }
  }

  // MARK: Faces

  /// A face of 80 pixels, whose axis starts at (20, 20) and has lines of 20 pixels.
  private static func face(angles: HeadAngles? = nil) -> DetectedFace {
    var face = DetectedFace(id: 1, score: 0.9, box: Box(x: 0, y: 0, width: 80, height: 60))
    face.angles = angles
    return face
  }

  struct AxisRow: CustomTestStringConvertible, Sendable {
    let name: String
    let angles: HeadAngles
    /// The ends of the lines to the person's left, down and ahead, from the origin, in lengths of the axis.
    let ends: [Point]
    var testDescription: String { name }
  }

  static let axes = [
    AxisRow(
      name: "towards the camera", angles: HeadAngles(x: 0, y: 0, z: 0),
      ends: [Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: 0, y: 0)]),
    AxisRow(
      name: "up", angles: HeadAngles(x: 90, y: 0, z: 0),
      ends: [Point(x: 1, y: 0), Point(x: 0, y: 0), Point(x: 0, y: -1)]),
    AxisRow(
      name: "to the image's right", angles: HeadAngles(x: 0, y: 90, z: 0),
      ends: [Point(x: 0, y: 0), Point(x: 0, y: 1), Point(x: 1, y: 0)]),
    AxisRow(
      name: "rotated counter-clockwise", angles: HeadAngles(x: 0, y: 0, z: 90),
      ends: [Point(x: 0, y: -1), Point(x: 1, y: 0), Point(x: 0, y: 0)]),
  ]

  @Test(arguments: axes)
  func `the axis shows the directions of the head`(row: AxisRow) {
    let strokes = FaceStrokes(Self.face(angles: row.angles), [.angles], lineWidth: 2).all
    #expect(strokes.count == 3)
    for (stroke, end) in zip(strokes, row.ends) {
      #expect(stroke.points[0] == Point(x: 20, y: 20))
      #expect(abs(stroke.points[1].x - 20 - 20 * end.x) < 1e-9, "\(stroke.points)")
      #expect(abs(stroke.points[1].y - 20 - 20 * end.y) < 1e-9, "\(stroke.points)")
    }
    #expect(Set(strokes.map(\.color)).count == 3)
  }

  @Test func `closed contours end at their first point, and a single point is a dot`() {
    var face = Self.face()
    let points = [Point(x: 1, y: 1), Point(x: 5, y: 1), Point(x: 3, y: 4)]
    face.contours = [
      FaceContour(.leftEye, points: points), FaceContour(.noseBottom, points: points),
      FaceContour(.leftCheek, points: [points[0]]),
    ]
    let strokes = FaceStrokes(face, [.contours], lineWidth: 2).all
    #expect(strokes.map(\.points) == [points + [points[0]], points, [points[0]]])
    #expect(strokes[2].width > strokes[1].width)
  }

  @Test(arguments: [(1.0, 1.0), (80, 1), (160, 2), (4000, 3)])
  func `lines are thin on small faces and as wide as boxes on large ones`(extent: Double, width: Double) {
    var face = DetectedFace(score: 1, box: Box(x: 0, y: 0, width: extent, height: extent / 2))
    face.contours = [FaceContour(.noseBridge, points: [Point(x: 0, y: 0), Point(x: 1, y: 1)])]
    #expect(FaceStrokes(face, [.contours], lineWidth: 3).all.map(\.width) == [width])
  }
}
