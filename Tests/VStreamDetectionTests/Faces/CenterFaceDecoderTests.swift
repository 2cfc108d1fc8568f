import Testing
import VStreamCore
import VStreamInference
import VStreamTestSupport

@testable import VStreamDetection

/// Outputs of the network and the merging of candidates.
struct CenterFaceDecoderTests {
  private static let region = Box(x: 100, y: 50, width: 400, height: 400)

  /// A cell of 16×16, in which there is a face of two cells' width and four cells' height.
  private struct Found {
    let column: Int
    let row: Int
    let center: Float
    var logSides: (height: Float, width: Float) = (1.386_294_4, 0.693_147_2)
  }

  /// Decodes outputs for an input of 64×64 that are empty but for a few cells.
  private func decode(
    _ found: [Found], minimumScore: Double = 0.5, angle: Double = 0, isMirrored: Bool = false
  ) -> [FaceCandidate] {
    let decoder = CenterFaceDecoder(input: PixelSize(width: 64, height: 64), minimumScore: minimumScore)
    func map(_ channels: Int) -> [Float] { [Float](repeating: 0, count: 256 * channels) }
    var (centers, sizes, offsets, points) = (map(1), map(2), map(2), map(10))
    for one in found {
      let cell = 16 * one.row + one.column
      centers[cell] = one.center
      (sizes[cell], sizes[256 + cell]) = (one.logSides.height, one.logSides.width)
      (offsets[cell], offsets[256 + cell]) = (0.5, 0.25)
      // The eyes at a quarter of the height, and a quarter and three quarters of the width.
      (points[cell], points[256 + cell]) = (0.25, 0.25)
      (points[512 + cell], points[768 + cell]) = (0.25, 0.75)
    }
    var region = RotatedBox(Self.region)
    region.angle = angle
    return decoder.decode(
      centers: centers.span, sizes: sizes.span, offsets: offsets.span, points: points.span, region: region,
      isMirrored: isMirrored)
  }

  /// A cell has 25 pixels of the region.
  @Test func `a box and its points are those of its cell in the region`() throws {
    let face = try #require(decode([Found(column: 3, row: 5, center: 7 / 17)], minimumScore: 0.4).first)
    #expect(abs(face.score - 0.5) < 1e-5)
    let center = Point(x: 100 + 25 * 3.75, y: 50 + 25 * 6)
    #expect(face.box.iou(Box(center: center, width: 50, height: 100)) > 0.9999, "\(face.box)")
    #expect(abs(face[.rightEye].x - (center.x - 12.5)) < 1e-3 && abs(face[.rightEye].y - (center.y - 25)) < 1e-3)
    #expect(abs(face[.leftEye].x - (center.x + 12.5)) < 1e-3)
  }

  /// The region's centre is at 300,250; the face's, unrotated, at 193.75,200.
  @Test(arguments: [
    ("a quarter turn", Double.pi / 2, false, Point(x: 350, y: 143.75), 100.0, 50.0),
    ("a half turn", .pi, false, Point(x: 406.25, y: 300), 50, 100),
    ("mirrored", 0, true, Point(x: 406.25, y: 200), 50, 100),
  ])
  func `a box in a turned or mirrored region is where that shows it`(
    name: String, angle: Double, isMirrored: Bool, center: Point, width: Double, height: Double
  ) throws {
    let face = try #require(
      decode([Found(column: 3, row: 5, center: 0.5)], angle: angle, isMirrored: isMirrored).first)
    #expect(abs(face.box.center.x - center.x) < 1e-3 && abs(face.box.center.y - center.y) < 1e-3, "\(face.box.center)")
    #expect(abs(face.box.width - width) < 1e-3 && abs(face.box.height - height) < 1e-3)
    // The person's right eye stays to the right of the left one.
    let shift = face[.leftEye].x - face[.rightEye].x
    #expect(isMirrored ? shift > 0 : shift < 1e-9, "\(shift)")
  }

  @Test(
    arguments: [
      ("at the threshold", 0.412, 0.5, 1), ("just below", 0.4115, 0.5, 0), ("certain", 1, 0.99, 1),
      ("low, with a low minimum", 0.2, 0.2, 1), ("not a number", .nan, 0.2, 0),
    ] as [(String, Float, Double, Int)])
  func `scores count from the threshold on`(name: String, center: Float, minimum: Double, count: Int) {
    let found = decode([Found(column: 7, row: 7, center: center)], minimumScore: minimum)
    #expect(found.count == count, "\(name)")
    #expect(found.allSatisfy { $0.score <= 1 })
  }

  @Test func `boxes without extent and outputs of another size give nothing`() {
    #expect(decode([Found(column: 3, row: 3, center: 1, logSides: (.nan, 1))]).isEmpty)
    #expect(decode([Found(column: 3, row: 3, center: 1, logSides: (-.infinity, 1))]).isEmpty)
    #expect(decode([Found(column: 3, row: 3, center: 1, logSides: (900, 900))]).allSatisfy { $0.box.width.isFinite })
    let decoder = CenterFaceDecoder(input: PixelSize(width: 64, height: 64), minimumScore: 0.5)
    let one: [Float] = [1]
    #expect(
      decoder.decode(
        centers: one.span, sizes: one.span, offsets: one.span, points: one.span, region: RotatedBox(Self.region)
      ).isEmpty)
  }

  /// What the float network gave in Python for the portrait at its own size, with OpenVINO 2026.4.
  @Test func `the portrait's face is that of the same network in Python`() throws {
    let model = try Model(
      path: try ModelCatalogue.centerFace.requirePath(),
      configuration: ModelConfiguration(threads: 1, precision: .float32, usesCache: false))
    var network = try CenterFace(model, input: PixelSize(width: 512, height: 512), minimumScore: 0.5)
    let frame = try Portrait.frame("format=rgb24")
    try network.start(on: frame, region: RotatedBox(Box(x: 0, y: 0, width: 512, height: 512)), timer: NoTimer())
    let face = try #require(try network.finish(timer: NoTimer()).first)
    #expect(face.score > 0.93)
    #expect(face.box.iou(Box(x: 181.6, y: 58.6, width: 88.2, height: 118.7)) > 0.93, "\(face.box)")
    let points = [(203.2, 101.5), (246.7, 103.9), (223.3, 124.5), (203.4, 141.7), (241.6, 144.0)]
    for (found, point) in zip(face.keypoints, points) {
      #expect(abs(found.x - point.0) < 4 && abs(found.y - point.1) < 4, "\(found), \(point)")
    }
  }

  private func candidate(_ x: Double, _ score: Double) -> FaceCandidate {
    FaceCandidate(
      score: score, box: Box(x: x, y: 0, width: 100, height: 100),
      keypoints: (0..<5).map { Point(x: x + Double($0), y: 1) })
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

  @Test func `the mesh's crop is a little larger than the box and level with the eyes`() {
    var face = candidate(0, 0.9)
    face.keypoints[0] = Point(x: 30, y: 40)
    face.keypoints[1] = Point(x: 70, y: 80)
    #expect(
      face.meshCrop == RotatedBox(center: Point(x: 50, y: 50), width: 125, height: 125, angle: .pi / 4))
  }
}
