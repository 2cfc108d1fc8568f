import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamDetection

/// Outputs of the pose networks.
struct BlazePoseTests {
  @Test func `the detector has 2254 anchors on three grids`() {
    let decoder = BlazePoseDecoder(minimumScore: 0.5)
    let anchors = decoder.anchors
    #expect(BlazePoseDecoder.side == 224)
    #expect(anchors.count == 2254)
    #expect(anchors[0] == Point(x: 0.5 / 28, y: 0.5 / 28) && anchors[1] == anchors[0])
    #expect(anchors[1567] == Point(x: 27.5 / 28, y: 27.5 / 28))
    #expect(anchors[1568] == Point(x: 0.5 / 14, y: 0.5 / 14))
    #expect(anchors[1960] == Point(x: 0.5 / 7, y: 0.5 / 7) && anchors[1965] == anchors[1960])
    #expect(anchors[2253] == Point(x: 6.5 / 7, y: 6.5 / 7))
  }

  @Test func `a candidate has its box and four points from the anchor and the region`() throws {
    let decoder = BlazePoseDecoder(minimumScore: 0.5)
    var values = [Float](repeating: 0, count: 2254 * 12)
    var logits = [Float](repeating: -50, count: 2254)
    // The last anchor lies at 6.5/7 of the side, which is 208 of 224 pixels; the region has two pixels for each.
    logits[2253] = 3
    for (offset, value) in [-108, -108, 20, 30, -100, -90, -100, -140, 1, 2, 3, 4].enumerated() {
      values[2253 * 12 + offset] = Float(value)
    }
    let region = Box(x: 10, y: 20, width: 448, height: 448)
    let found = decoder.decode(values: values.span, logits: logits.span, region: region)
    #expect(found.count == 1)
    let candidate = try #require(found.first)
    #expect(abs(candidate.score - 0.9526) < 1e-4)
    #expect(near(candidate.box.center, Point(x: 210, y: 220)))
    #expect(abs(candidate.box.width - 40) < 1e-4 && abs(candidate.box.height - 60) < 1e-4)
    #expect(near(candidate[.hips], Point(x: 226, y: 256)) && near(candidate[.crown], Point(x: 226, y: 156)))
    #expect(near(candidate[.upperCrown], Point(x: 432, y: 444)))
  }

  private func near(_ one: Point, _ other: Point) -> Bool { hypot(one.x - other.x, one.y - other.y) < 1e-3 }

  /// Offset of the crown from the hips in pixels, and the crop's angle in degrees clockwise.
  @Test(arguments: [
    (0.0, -40.0, 0.0), (40, 0, 90), (0, 40, 180), (-40, 0, 270), (30, -30, 45), (-30, -30, 315),
  ])
  func `a landmark crop is centred on the hips and rotated towards the crown`(x: Double, y: Double, degrees: Double) {
    let hips = Point(x: 100, y: 200)
    let crop = LandmarkCrop.around(hips, crown: Point(x: 100 + x, y: 200 + y))
    #expect(crop.center == hips)
    #expect(abs(crop.width - 2.5 * hypot(x, y)) < 1e-9 && crop.height == crop.width)
    #expect(abs(sin(crop.angle) - sin(degrees * .pi / 180)) < 1e-9)
    #expect(abs(cos(crop.angle) - cos(degrees * .pi / 180)) < 1e-9)
    #expect(near(crop.point(across: 0.5, down: 0.1), Point(x: 100 + x, y: 200 + y)), "the crown, upright")
  }
}

/// Positions refined by probability maps.
struct HeatmapTests {
  private static let side = Heatmap.side

  private struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// Logits of the map's pixels; −100 everywhere else.
    let logits: [(x: Int, y: Int, logit: Float)]
    let position: Point
    let expected: Point
    var testDescription: String { name }
  }

  private static let coarse = Point(x: 20.4 / 64, y: 30.6 / 64)

  private static let rows = [
    Row(
      name: "one pixel", logits: [(22, 29, 5)], position: coarse, expected: Point(x: 22.0 / 64, y: 29.0 / 64)),
    Row(
      name: "two of the same likelihood", logits: [(21, 29, 5), (23, 31, 5)], position: coarse,
      expected: Point(x: 22.0 / 64, y: 30.0 / 64)),
    Row(
      name: "one and half of one", logits: [(20, 30, 100), (23, 30, 0)], position: coarse,
      expected: Point(x: 21.0 / 64, y: 30.0 / 64)),
    Row(
      name: "just above the minimum likelihood", logits: [(21, 30, 0)], position: coarse,
      expected: Point(x: 21.0 / 64, y: 30.0 / 64)),
    Row(name: "below the minimum likelihood", logits: [(21, 30, -0.01)], position: coarse, expected: coarse),
    Row(name: "at the radius", logits: [(23, 27, 5)], position: coarse, expected: Point(x: 23.0 / 64, y: 27.0 / 64)),
    Row(name: "beyond the radius", logits: [(24, 30, 5)], position: coarse, expected: coarse),
    Row(
      name: "in a corner", logits: [(0, 0, 5)], position: Point(x: 0.01, y: 0.02), expected: Point(x: 0, y: 0)),
    Row(
      name: "in the last corner", logits: [(63, 63, 5)], position: Point(x: 0.999, y: 0.999),
      expected: Point(x: 63.0 / 64, y: 63.0 / 64)),
    Row(name: "above", logits: [(20, 0, 5)], position: Point(x: 0.3, y: -0.01), expected: Point(x: 0.3, y: -0.01)),
    Row(name: "at the right edge", logits: [(63, 20, 5)], position: Point(x: 1, y: 0.3), expected: Point(x: 1, y: 0.3)),
    Row(
      name: "not a number", logits: [(20, 30, 5)], position: Point(x: .nan, y: 0.5), expected: Point(x: .nan, y: 0.5)),
  ]

  @Test(arguments: rows) private func `a position is refined to the mean of the likelihoods near it`(row: Row) {
    var map = [Float](repeating: -100, count: Self.side * Self.side * 3)
    for (x, y, logit) in row.logits { map[(y * Self.side + x) * 3 + 1] = logit }
    let heatmap = Heatmap(channels: 3)
    let refined = heatmap.refined(row.position, of: 1, in: map.span)
    if row.expected.x.isNaN {
      #expect(refined.x.isNaN && refined.y == row.expected.y)
    } else {
      #expect(abs(refined.x - row.expected.x) < 1e-6 && abs(refined.y - row.expected.y) < 1e-6, "\(refined)")
    }
    #expect(heatmap.refined(Self.coarse, of: 0, in: map.span) == Self.coarse, "each point has a map of its own")
  }
}

/// Bodies: mirroring, duplicates, and boxes.
struct BodyLandmarksTests {
  /// A standing body of 33 landmarks within a circle of `size` pixels.
  static func body(x: Double = 300, y: Double = 300, size: Double = 200, score: Double = 0.9) -> BodyLandmarks {
    var random = SeededNumbers(seed: 7)
    var body = BodyLandmarks(
      points: (0..<33).map { _ in
        Vector(
          x + Double.random(in: -0.3...0.3, using: &random) * size,
          y + Double.random(in: -0.5...0.5, using: &random) * size, 0)
      },
      likelihoods: [Double](repeating: 0.9, count: 33), hips: Vector(x, y, 0), crown: Vector(x, y - size / 2, 0),
      score: score)
    let kinds = PoseLandmark.Kind.allCases
    for (kind, across, down) in [
      (PoseLandmark.Kind.leftHip, 0.08, 0.0), (.rightHip, -0.08, 0), (.leftShoulder, 0.1, -0.25),
      (.rightShoulder, -0.1, -0.25),
    ] {
      body.points[kinds.firstIndex(of: kind) ?? 0] = Vector(x + across * size, y + down * size, 0)
    }
    return body
  }

  @Test func `mirroring twice restores each landmark, and the nose is its own mirror image`() {
    let mirrored = BodyLandmarks.mirrored
    #expect(mirrored.map { mirrored[$0] } == Array(0..<33))
    #expect(mirrored.indices.filter { mirrored[$0] == $0 } == [0])
    #expect(mirrored[11] == 12 && mirrored[31] == 32)
  }

  @Test func `two passes on a body are averaged`() {
    let mean = Self.body().mean(with: Self.body(x: 310, y: 296, score: 0.7))
    #expect(abs(mean.score - 0.8) < 1e-9)
    #expect(abs(mean.hips.x - 305) < 1e-9 && abs(mean.crown.y - 198) < 1e-9)
    #expect(abs(mean.points[5].x - Self.body().points[5].x - 5) < 1e-9)
  }

  @Test func `the box encloses the likely landmarks, or all if few are likely`() {
    var body = Self.body()
    body.points[32] = Vector(300, 5000, 0)
    body.likelihoods[32] = 0.49
    #expect(body.box.bottom < 500)
    body.likelihoods[32] = 0.5
    #expect(body.box.bottom == 5000)
    body.likelihoods = [Double](repeating: 0.1, count: 33)
    #expect(body.box.bottom == 5000)
  }

  /// Shifts of bodies 200 pixels wide, in pixels: from 16 pixels on there are two bodies.
  @Test(arguments: [(0.0, true), (10, true), (15.9, true), (16.1, false), (200, false)])
  func `bodies that coincide are duplicates`(shift: Double, isSame: Bool) {
    let pose = TrackedPose(Self.body(), number: 1, isSmoothed: true, at: 0)
    #expect(pose.isSame(as: Self.body(x: 300 + shift)) == isSame)
  }

  @Test func `a body of another size at the same position is not a duplicate`() {
    let pose = TrackedPose(Self.body(), number: 1, isSmoothed: true, at: 0)
    #expect(!pose.isSame(as: Self.body(size: 80)))
  }

  /// The trunk is 50 pixels long.
  @Test(arguments: [(0.0, true), (29, true), (31, false), (-31, false), (400, false)])
  func `a candidate with its trunk at another position is another person`(shift: Double, isSame: Bool) {
    let pose = TrackedPose(Self.body(), number: 1, isSmoothed: true, at: 0)
    let candidate = PoseCandidate(
      score: 0.9, box: Box(x: 0, y: 0, width: 10, height: 10),
      keypoints: [(300.0, 300.0), (300, 200), (300, 250), (300, 180)].map { Point(x: $0.0 + shift, y: $0.1) })
    #expect(pose.isSame(as: candidate) == isSame)
  }

  @Test func `a change of likelihood is smoothed over some tenths of a second`() {
    var pose = TrackedPose(Self.body(), number: 1, isSmoothed: true, at: 0)
    var unlikely = Self.body()
    unlikely.likelihoods = [Double](repeating: 0, count: 33)
    pose.update(unlikely, at: 0.1)
    #expect(pose.smoothed.likelihoods[0] > 0.5 && pose.smoothed.likelihoods[0] < 0.8)
    for step in 2...15 { pose.update(unlikely, at: Double(step) / 10) }
    #expect(pose.smoothed.likelihoods[0] < 0.05)
    var unsmoothed = TrackedPose(Self.body(), number: 1, isSmoothed: false, at: 0)
    unsmoothed.update(unlikely, at: 0.1)
    #expect(unsmoothed.smoothed.likelihoods[0] == 0)
  }
}
