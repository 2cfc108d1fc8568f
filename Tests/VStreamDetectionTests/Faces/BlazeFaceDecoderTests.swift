import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// Anchors, outputs and the merging of candidates.
struct BlazeFaceDecoderTests {
  private static let region = Box(x: 100, y: 50, width: 400, height: 400)

  private struct Found {
    let index: Int
    let logit: Float
    var values: [Float]
  }

  /// Decodes outputs that are empty but for a few anchors.
  private func decode(
    _ found: [Found], _ range: BlazeFaceDecoder.Range = .short, minimumScore: Double = 0.5,
    angle: Double = 0, isMirrored: Bool = false
  ) -> [FaceCandidate] {
    let decoder = BlazeFaceDecoder(range, minimumScore: minimumScore)
    var values = [Float](repeating: 0, count: decoder.anchors.count * 16)
    var logits = [Float](repeating: -200, count: decoder.anchors.count)
    for one in found {
      logits[one.index] = one.logit
      for (offset, value) in one.values.enumerated() { values[one.index * 16 + offset] = value }
    }
    var region = RotatedBox(Self.region)
    region.angle = angle
    return decoder.decode(values: values.span, logits: logits.span, region: region, isMirrored: isMirrored)
  }

  @Test func `the short range has 896 anchors on two grids, the full range 2304 on one`() {
    let short = BlazeFaceDecoder(.short, minimumScore: 0.5).anchors
    #expect(short.count == 896)
    #expect(short[0] == Point(x: 0.5 / 16, y: 0.5 / 16) && short[1] == short[0])
    #expect(short[2] == Point(x: 1.5 / 16, y: 0.5 / 16))
    #expect(short[511] == Point(x: 15.5 / 16, y: 15.5 / 16))
    #expect(short[512] == Point(x: 0.5 / 8, y: 0.5 / 8) && short[517] == short[512])
    #expect(short[895] == Point(x: 7.5 / 8, y: 7.5 / 8))
    let full = BlazeFaceDecoder(.full, minimumScore: 0.5).anchors
    #expect(full.count == 2304)
    #expect(full[49] == Point(x: 1.5 / 48, y: 1.5 / 48))
  }

  @Test func `a box and its keypoints are relative to the anchor and the region`() throws {
    // Anchor 0 lies at 1/32; offsets are in pixels of 128, which are 3.125 pixels of the region's 400.
    let values: [Float] = [4, 8, 32, 64] + (0..<6).flatMap { [Float($0), Float(2 * $0)] }
    let face = try #require(decode([Found(index: 0, logit: 0, values: values)]).first)
    #expect(abs(face.score - 0.5) < 1e-6)
    #expect(face.box == Box(center: Point(x: 125, y: 87.5), width: 100, height: 200))
    #expect(face[.rightEye] == Point(x: 112.5, y: 62.5))
    #expect(face[.leftEar] == Point(x: 112.5 + 5 * 3.125, y: 62.5 + 10 * 3.125))
  }

  /// The region's centre is at 300,250.
  @Test(arguments: [
    ("a quarter turn", Double.pi / 2, false, Point(x: 462.5, y: 75), 200.0, 100.0),
    ("a half turn", .pi, false, Point(x: 475, y: 412.5), 100, 200),
    ("mirrored; the last pixel of a row is the first", 0, true, Point(x: 471.875, y: 87.5), 100, 200),
  ])
  func `a box in a turned or mirrored region is where that shows it`(
    name: String, angle: Double, isMirrored: Bool, center: Point, width: Double, height: Double
  ) throws {
    let values: [Float] = [4, 8, 32, 64] + (0..<6).flatMap { [Float($0), Float(2 * $0)] }
    let found = decode([Found(index: 0, logit: 0, values: values)], angle: angle, isMirrored: isMirrored)
    let face = try #require(found.first)
    #expect(abs(face.box.center.x - center.x) < 1e-6 && abs(face.box.center.y - center.y) < 1e-6, "\(face.box.center)")
    #expect(abs(face.box.width - width) < 1e-6 && abs(face.box.height - height) < 1e-6)
    // The person's right eye stays to the right of the left one.
    let shift = face[.leftEye].x - face[.rightEye].x
    #expect(isMirrored || angle == 0 ? shift > 0 : shift < 1e-9, "\(shift)")
  }

  @Test(
    arguments: [
      ("at the threshold", 0.0, 0.5, 1), ("just below", -0.001, 0.5, 0),
      ("beyond the range of the logistic function", 300, 0.5, 1),
      ("low, with a low minimum", -1, 0.2, 1),
    ] as [(String, Float, Double, Int)])
  func `scores count from the threshold on`(name: String, logit: Float, minimum: Double, count: Int) {
    let found = decode([Found(index: 700, logit: logit, values: [0, 0, 20, 20])], minimumScore: minimum)
    #expect(found.count == count, "\(name)")
    #expect(found.allSatisfy { $0.score <= 1 })
  }

  @Test func `boxes without extent and outputs of another size give nothing`() {
    #expect(decode([Found(index: 3, logit: 5, values: [0, 0, 0, 10])]).isEmpty)
    #expect(decode([Found(index: 3, logit: 5, values: [0, 0, .nan, 10])]).isEmpty)
    let decoder = BlazeFaceDecoder(.short, minimumScore: 0.5)
    #expect(decoder.decode(values: [1].span, logits: [1].span, region: RotatedBox(Self.region)).isEmpty)
  }

  private func candidate(_ x: Double, _ score: Double) -> FaceCandidate {
    FaceCandidate(
      score: score, box: Box(x: x, y: 0, width: 100, height: 100),
      keypoints: (0..<6).map { Point(x: x + Double($0), y: 1) })
  }

  @Test func `candidates of one face become their mean, weighted by score, with the best score`() throws {
    let merged = weightedSuppression([candidate(10, 0.6), candidate(0, 0.9)], maximumIoU: 0.3)
    #expect(merged.count == 1)
    let face = try #require(merged.first)
    #expect(face.score == 0.9)
    #expect(abs(face.box.x - 4) < 1e-9 && abs(face.box.width - 100) < 1e-9)
    #expect(abs(face[.leftEye].x - 5) < 1e-9)
  }

  @Test func `candidates of different faces are not merged, best first`() {
    let merged = weightedSuppression([candidate(0, 0.6), candidate(300, 0.9), candidate(60, 0.7)], maximumIoU: 0.3)
    #expect(merged.map(\.score) == [0.9, 0.7, 0.6])
    #expect(merged.map(\.box.x) == [300, 60, 0])
  }

  @Test func `the mesh's crop is 1.5 times the box and level with the eyes`() {
    var face = candidate(0, 0.9)
    face.keypoints[0] = Point(x: 30, y: 40)
    face.keypoints[1] = Point(x: 70, y: 80)
    #expect(
      face.meshCrop == RotatedBox(center: Point(x: 50, y: 50), width: 150, height: 150, angle: .pi / 4))
  }
}
