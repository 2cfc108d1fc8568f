import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// The crops in which faces of all sizes are detected.
struct FacePyramidTests {
  @Test(arguments: [
    ("a tenth of the width needs one crop", (1920, 1080), 0.1, 1),
    ("a twentieth takes one level", (640, 480), 0.05, 5),
    ("20 pixels in a small frame", (720, 528), 0.001, 13),
    ("20 pixels in 1080p take two", (1920, 1080), 0.001, 75),
    ("tall", (100, 1000), 0.001, 9),
    ("a small frame needs no crops", (176, 144), 0.001, 1),
  ])
  func `the number of crops follows from the smallest face`(
    name: String, frame: (Int, Int), minFaceSize: Double, count: Int
  ) {
    let crops = FacePyramid(minFaceSize: minFaceSize).crops(of: PixelSize(width: frame.0, height: frame.1))
    #expect(crops.count == count, "\(name)")
  }

  @Test(arguments: [0.001, 0.1, 0.9], [true, false])
  func `no crop is responsible for faces below the smallest`(minFaceSize: Double, searchesEdges: Bool) {
    let frame = PixelSize(width: 720, height: 528)
    let smallest = max(20, minFaceSize * 720)
    let pyramid = FacePyramid(minFaceSize: minFaceSize, searchesEdges: searchesEdges)
    let crops = pyramid.crops(of: frame)
    #expect(crops.allSatisfy { $0.minimumFaceWidth >= 0.75 * smallest }, "\(crops.map(\.minimumFaceWidth))")
  }

  @Test(
    arguments: [
      (1920, 1080, 20.0), (640, 480, 20), (100, 1000, 20), (720, 528, 24), (3840, 2160, 20), (7680, 4320, 30),
    ], [1, 0.85])
  func `every face lies whole, with its centre in the core, in a crop in which it is large enough`(
    frame: (width: Int, height: Int, smallestFace: Double), scale: Double
  ) {
    let (width, height, smallest) = frame
    let frame = PixelSize(width: width, height: height)
    let crops = FacePyramid(minFaceSize: smallest / Double(width), scale: scale).crops(of: frame)
    var numbers = SeededNumbers(seed: 6)
    for _ in 0..<1000 {
      let side = min((smallest * (1 + 0.1 * Double(numbers.below(300)))).rounded(.up), Double(min(width, height)))
      let face = Box(
        x: Double(numbers.below(max(1, width - Int(side)))), y: Double(numbers.below(max(1, height - Int(side)))),
        width: side, height: side)
      let holds = crops.contains { crop in
        crop.isResponsible(for: face, in: frame) && crop.region.intersection(face) == face
          && side >= crop.region.width / 12.001 && crop.core.contains(face.center)
      }
      #expect(holds, "\(face) in \(frame)")
    }
  }

  /// In a corner, the mirror image of a part of a face is no face.
  @Test func `crops that reach past a corner are searched with other margins as well`() {
    let frame = PixelSize(width: 640, height: 480)
    let crops = FacePyramid(minFaceSize: 0.03, searchesEdges: true).crops(of: frame)
    func reachesCorner(_ crop: FacePyramid.Crop) -> Bool {
      (crop.region.x < 0 || crop.region.right > 640) && (crop.region.y < 0 || crop.region.bottom > 480)
    }
    let mirrored = crops.filter { $0.margin == .mirrored }
    let corners = mirrored.filter(reachesCorner)
    #expect(corners.count >= 5 && corners.count < mirrored.count)
    for margin in FacePyramid.Margin.ofCorners {
      let others = crops.filter { $0.margin == margin }
      #expect(others.map(\.region) == corners.map(\.region) && others.map(\.core) == corners.map(\.core))
    }
    #expect(FacePyramid(minFaceSize: 0.03).crops(of: frame).allSatisfy { $0.margin == nil })
  }

  @Test(
    arguments: [
      ("inside the crop", Box(x: 100, y: 100, width: 40, height: 40), true),
      ("cut by its inner edge", Box(x: 220, y: 100, width: 40, height: 40), false),
      ("cut by the frame's edge", Box(x: -10, y: 100, width: 40, height: 40), true),
      ("too small", Box(x: 100, y: 100, width: 10, height: 40), false),
    ] as [(String, Box, Bool)])
  func `a crop is responsible for faces that are whole and large enough in it`(
    name: String, face: Box, isResponsible: Bool
  ) {
    let frame = PixelSize(width: 720, height: 528)
    #expect(
      FacePyramid(minFaceSize: 0.001).crops(of: frame)[1].isResponsible(for: face, in: frame) == isResponsible,
      "\(name)")
  }
}
