import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamOverlay

/// Strokes, and what of a face is drawn.
struct FaceOverlayTests {
  private static let size = PixelSize(width: 96, height: 80)

  private static let face: DetectedFace = {
    var face = DetectedFace(id: 2, score: 0.9, box: Box(x: 20, y: 15, width: 50, height: 50))
    face.landmarks = [FaceLandmark(.noseBase, at: Point(x: 45, y: 40))]
    face.contours = [FaceContour(.upperLipTop, points: [Point(x: 35, y: 52), Point(x: 55, y: 52)])]
    face.angles = HeadAngles(x: 0, y: 30, z: 0)
    return face
  }()

  private func drawn(_ elements: Set<OverlayOptions.Element>, _ face: DetectedFace = face) throws -> [Sample] {
    var frame = try filled(try #require(PixelFormat(name: "yuv420p")), size: Self.size)
    var stage = try OverlayPainter(OverlayOptions(elements: elements), fontPath: "")
    var annotations = annotations([])
    annotations.found = Detections(faces: [face])
    try stage.draw(annotations, on: &frame)
    return samples(frame).filter { $0.value != 100 }
  }

  /// Each element touches its own place, and nothing else does.
  @Test(arguments: [
    (OverlayOptions.Element.landmarks, Box(x: 40, y: 35, width: 10, height: 10)),
    (.contours, Box(x: 32, y: 49, width: 26, height: 6)), (.angles, Box(x: 15, y: 12, width: 33, height: 33)),
    (.boxes, Box(x: 17, y: 12, width: 56, height: 56)),
  ])
  func `each part is drawn if it is named`(element: OverlayOptions.Element, place: Box) throws {
    let changed = try drawn([element])
    #expect(!changed.isEmpty)
    for sample in changed {
      let box = Box(x: sample.x, y: sample.y, width: sample.width, height: sample.height)
      #expect(place.intersection(box) != nil, "\(element) changed \(sample.x),\(sample.y)")
    }
  }

  @Test func `nothing is drawn that was not found`() throws {
    let plain = DetectedFace(score: 0.9, box: Self.face.box)
    #expect(try drawn([.landmarks, .contours, .angles], plain).isEmpty)
    #expect(try drawn([]).isEmpty)
  }

  /// Faces cut by every edge and beyond all.
  @Test(arguments: [(-40.0, 0.0), (70, 0), (0, -40), (0, 60), (500, 500)])
  func `a face past the edge is drawn as far as it is in`(x: Double, y: Double) throws {
    let box = Box(x: 20 + x, y: 15 + y, width: 50, height: 50)
    let changed = try drawn([.boxes, .landmarks, .contours, .angles], Self.face.moved(to: box))
    #expect(changed.isEmpty == (x == 500))
  }

  @Test func `a stroke covers whole pixels along its line and none beyond its ends`() {
    var mask = Mask()
    let stroke = Stroke(points: [Point(x: 4.5, y: 5.5), Point(x: 9.5, y: 5.5)], width: 3, color: .white)
    let isInside = mask.reset(covering: stroke.bounds, frame: Self.size, chromaShiftX: 0, chromaShiftY: 0)
    #expect(isInside)
    mask.draw(stroke)
    func share(_ x: Int, _ y: Int) -> UInt8 { mask.coverage[(y - mask.top) * mask.stride + x - mask.left] }
    for x in 4...9 { #expect((share(x, 4), share(x, 5), share(x, 6)) == (255, 255, 255)) }
    #expect(share(3, 5) == 255, "round ends reach half the width further")
    #expect(share(mask.left, mask.top) == 0, "corners are round")
  }

  @Test func `labels say the ID, and whether the face smiles if that is known`() {
    var face = Self.face
    #expect(Mark(face).text(withLabel: true, withID: true) == "face 2  0.90")
    face.smiling = 0.916
    #expect(Mark(face).text(withLabel: true, withID: true) == "face 2  smiling 0.92")
    #expect(Mark(face).text(withLabel: false, withID: true) == "2")
  }
}
