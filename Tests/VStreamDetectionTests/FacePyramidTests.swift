import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// The looks by which faces of all sizes are found.
struct FacePyramidTests {
  @Test(arguments: [
    ("a tenth of the width is seen at one look", (1920, 1080), 0.1, 1),
    ("a twentieth takes one level", (640, 480), 0.05, 5),
    ("20 pixels in a small frame", (720, 528), 0.001, 13),
    ("20 pixels in 1080p take two", (1920, 1080), 0.001, 75),
    ("tall", (100, 1000), 0.001, 9),
    ("so small a frame is seen well as it is", (176, 144), 0.001, 1),
  ])
  func `there are as many looks as the smallest face takes`(
    name: String, frame: (Int, Int), minFaceSize: Double, count: Int
  ) {
    let looks = FacePyramid(minFaceSize: minFaceSize).looks(at: PixelSize(width: frame.0, height: frame.1))
    #expect(looks.count == count, "\(name)")
  }

  @Test(arguments: [
    (1920, 1080, 20.0), (640, 480, 20), (100, 1000, 20), (720, 528, 24), (3840, 2160, 20), (7680, 4320, 30),
  ])
  func `every face lies whole in a square in which it is large enough`(width: Int, height: Int, smallest: Double) {
    let frame = PixelSize(width: width, height: height)
    let looks = FacePyramid(minFaceSize: smallest / Double(width)).looks(at: frame)
    var numbers = SeededNumbers(seed: 6)
    for _ in 0..<1000 {
      let side = min(smallest * Double(1 + numbers.below(30)), Double(min(width, height)))
      let face = Box(
        x: Double(numbers.below(max(1, width - Int(side)))), y: Double(numbers.below(max(1, height - Int(side)))),
        width: side, height: side)
      let holds = looks.contains { look in
        look.tells(face, in: frame) && look.region.intersection(face) == face && side >= look.region.width / 12.001
      }
      #expect(holds, "\(face) in \(frame)")
    }
  }

  @Test(
    arguments: [
      ("amid the square", Box(x: 100, y: 100, width: 40, height: 40), true),
      ("cut by its inner edge", Box(x: 220, y: 100, width: 40, height: 40), false),
      ("cut by the frame's edge", Box(x: -10, y: 100, width: 40, height: 40), true),
      ("too small", Box(x: 100, y: 100, width: 10, height: 40), false),
    ] as [(String, Box, Bool)])
  func `a look tells faces that it sees whole and well`(name: String, face: Box, tells: Bool) {
    let frame = PixelSize(width: 720, height: 528)
    #expect(FacePyramid(minFaceSize: 0.001).looks(at: frame)[1].tells(face, in: frame) == tells, "\(name)")
  }
}
