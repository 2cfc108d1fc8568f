import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamOverlay

/// What of a pose is drawn.
struct PoseOverlayTests {
  private static let size = PixelSize(width: 96, height: 80)

  private static func pose(
    _ places: [(PoseLandmark.Kind, Double, Double)], likelihood: Double = 1, id: Int? = 2
  ) -> DetectedPose {
    DetectedPose(
      id: id, score: 0.9, box: Box(x: 20, y: 15, width: 50, height: 50),
      landmarks: places.map { kind, x, y in
        PoseLandmark(kind, at: Point(x: x, y: y), z: 0, inFrameLikelihood: likelihood)
      })
  }

  private static let arm = [(PoseLandmark.Kind.leftShoulder, 30.0, 40.0), (.leftElbow, 60, 40)]

  private func drawn(_ elements: Set<OverlayOptions.Element>, _ pose: DetectedPose) throws -> [Sample] {
    var frame = try filled(try #require(PixelFormat(name: "yuv444p")), size: Self.size)
    var stage = try OverlayPainter(OverlayOptions(elements: elements), fontPath: "")
    var annotations = annotations([])
    annotations.found = Detections(poses: [pose])
    try stage.draw(annotations, on: &frame)
    return samples(frame).filter { $0.value != 100 }
  }

  @Test(arguments: [
    (OverlayOptions.Element.skeleton, [Box(x: 27, y: 37, width: 36, height: 6)]),
    (.landmarks, [Box(x: 24, y: 34, width: 12, height: 12), Box(x: 54, y: 34, width: 12, height: 12)]),
    (.boxes, [Box(x: 17, y: 12, width: 56, height: 56)]),
  ])
  func `each part is drawn if it is named`(element: OverlayOptions.Element, places: [Box]) throws {
    let changed = try drawn([element], Self.pose(Self.arm))
    #expect(!changed.isEmpty)
    for sample in changed {
      let box = Box(x: sample.x, y: sample.y, width: sample.width, height: sample.height)
      #expect(places.contains { $0.intersection(box) != nil }, "\(element) changed \(sample.x),\(sample.y)")
    }
    for place in places {
      #expect(changed.contains { Box(x: $0.x, y: $0.y, width: 1, height: 1).intersection(place) != nil })
    }
    #expect(try drawn([.contours, .angles], Self.pose(Self.arm)).isEmpty, "these are of faces")
  }

  @Test func `a limb is drawn only if both its ends are known`() throws {
    #expect(try drawn([.skeleton], Self.pose([Self.arm[0]])).isEmpty)
    #expect(try drawn([.skeleton], Self.pose([Self.arm[0], (.leftAnkle, 60, 40)])).isEmpty, "no limb joins these")
  }

  /// Samples are 100 where nothing is drawn; the difference is the opacity.
  @Test func `limbs fade as they are less likely in the frame, and then are not drawn`() throws {
    func strength(_ likelihood: Double) throws -> Int {
      try drawn([.skeleton], Self.pose(Self.arm, likelihood: likelihood)).reduce(0) { $0 + abs(Int($1.value) - 100) }
    }
    let strengths = try [1, 0.75, 0.5, 0.25, 0.1, 0.09, 0].map(strength)
    #expect(strengths == strengths.sorted(by: >))
    #expect(Set(strengths.prefix(5)).count == 5)
    #expect(strengths.suffix(2) == [0, 0])
    #expect(abs(Double(strengths[2]) / Double(strengths[0]) - 0.5) < 0.05, "half as likely, half as strong")
  }

  @Test func `left, right and what joins them have their own colours`() {
    let pose = Self.pose([
      (.leftShoulder, 60, 20), (.rightShoulder, 30, 20), (.leftElbow, 60, 40), (.rightElbow, 30, 40), (.nose, 45, 10),
      (.leftEyeInner, 50, 8),
    ])
    let strokes = PoseStrokes(pose, [.skeleton], lineWidth: 2).all
    func color(_ x: Double, _ y: Double, _ otherX: Double, _ otherY: Double) -> Color? {
      strokes.first { $0.points == [Point(x: x, y: y), Point(x: otherX, y: otherY)] }?.color
    }
    let (left, right) = (PoseStrokes.Side.left.color, PoseStrokes.Side.right.color)
    #expect(left != right)
    #expect(strokes.count == 4)
    #expect(color(60, 20, 60, 40) == left)
    #expect(color(30, 20, 30, 40) == right)
    #expect(color(60, 20, 30, 20) == PoseStrokes.Side.middle.color)
    #expect(color(45, 10, 50, 8) == left, "from the nose to the left eye")
  }

  @Test func `every landmark is the end of a limb, and no limb is there twice`() {
    let limbs = PoseStrokes.Limb.all
    #expect(Set(limbs.flatMap { [$0.start, $0.end] }) == Set(PoseLandmark.Kind.allCases))
    #expect(Set(limbs.map { Set([$0.start, $0.end]) }).count == limbs.count)
    let sides = limbs.map(\.side)
    #expect(sides.filter { $0 == .left }.count == sides.filter { $0 == .right }.count)
    #expect(sides.filter { $0 == .middle }.count == 3, "mouth, shoulders and hips")
  }

  /// Poses cut by every edge, beyond all, and with a foot far away.
  @Test(arguments: [(-40.0, 0.0), (60, 0), (0, -35), (0, 60), (500, 500), (1e7, 0)])
  func `a pose past the edge is drawn as far as it is in`(x: Double, y: Double) throws {
    let pose = Self.pose(Self.arm + [(.leftWrist, 1e6, 1e6)])
    let box = pose.box
    let moved = pose.moved(to: Box(x: box.x + x, y: box.y + y, width: 50, height: 50))
    let changed = try drawn([.boxes, .landmarks, .skeleton], moved)
    #expect(changed.isEmpty == (x >= 500))
  }

  @Test func `a label has the ID and the score`() {
    #expect(Mark(Self.pose(Self.arm)).text(withLabel: true, withID: true) == "pose 2  0.90")
    #expect(Mark(Self.pose(Self.arm, id: nil)).text(withLabel: true, withID: true) == "pose  0.90")
  }
}
