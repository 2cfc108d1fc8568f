import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamDetection

/// Searches in rotated frames.
struct QuarterTurnsTests {
  @Test func `frames are searched at each turn in half a second, at those that find a face always`() {
    var (turns, options) = (QuarterTurns(), FaceDetectorOptions())
    func due(_ time: Double, isEmpty: Bool = false) -> [Int] { turns.due(at: time, options, isEmpty: isEmpty) }
    #expect(due(0).isEmpty)
    options.search(for: .redaction)
    #expect(due(0, isEmpty: true) == [1, 2, 3])
    #expect(due(0.12, isEmpty: true) == [])
    #expect((1...12).flatMap { due(0.12 + Double($0) * 0.04) } == [2, 3, 1])
    turns.record(3, hasOwnFace: true)
    #expect(due(0.64) == [3])
    #expect(due(0.8) == [2, 3])
    turns.record(3, hasOwnFace: false)
    #expect(due(0.84) == [])
    #expect(due(0.88, isEmpty: true) == [1, 2, 3])
    options.detectorMode = .singleImage
    #expect(due(1.1) == [1, 2, 3])
  }

  @Test func `the first frame of a shot is searched at all turns, and the others as before it`() {
    var (turns, options) = (QuarterTurns(), FaceDetectorOptions())
    options.search(for: .redaction)
    #expect(turns.due(at: 0, options, isEmpty: false) == [1, 2, 3])
    turns.record(2, hasOwnFace: true)
    #expect(turns.due(at: 0.04, options, isEmpty: false) == [2])
    turns.restart()
    #expect(turns.due(at: 0.08, options, isEmpty: false) == [1, 2, 3])
    #expect(turns.due(at: 0.12, options, isEmpty: false) == [2])
    options.search(for: .annotation)
    turns.restart()
    #expect(turns.due(at: 0.16, options, isEmpty: false).isEmpty)
  }

  @Test func `frames without an upright object are each searched at another quarter turn, of the others a quarter`() {
    func turns(isEmpty: Bool) -> [Int] {
      (0..<48).compactMap {
        QuarterTurns.turns(at: Time(ticks: $0 * 40, base: .milliseconds), isEmpty: isEmpty, isAlways: false)
      }
    }
    let all = turns(isEmpty: true)
    #expect(all.count == 48)
    // Within half a second at each.
    for first in 0...36 { #expect(Set(all[first..<first + 12]) == [1, 2, 3], "from frame \(first)") }
    #expect((6...18).contains(turns(isEmpty: false).count))
  }

  @Test(arguments: [
    (turns: 1, expected: Box(x: 60, y: 10, width: 30, height: 20)),
    (turns: 2, expected: Box(x: 70, y: 10, width: 20, height: 30)),
    (turns: 3, expected: Box(x: 10, y: 20, width: 30, height: 20)),
  ])
  func `a box in a rotated frame has a place in the frame`(row: (turns: Int, expected: Box)) {
    let turn = QuarterTurn(row.turns, of: PixelSize(width: 100, height: 50))
    #expect(turn.size == (row.turns == 2 ? PixelSize(width: 100, height: 50) : PixelSize(width: 50, height: 100)))
    let box = turn.box(Box(x: 10, y: 10, width: 20, height: 30))
    #expect(box.iou(row.expected) > 0.999, "\(box)")
    #expect(turn.region(Box(x: 10, y: 10, width: 20, height: 30)).center == box.center)
  }

  @Test(arguments: ["transpose=1", "transpose=2", "vflip,hflip"])
  func `a person who is to be redacted is found lying down and upside down`(filter: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("rotated.mkv")
    try Program.ffmpeg([
      "-i", Checkout.sample("face-panning.mp4"), "-vf", filter, "-frames:v", "13", "-c:v", "ffv1", path,
    ])
    let person = try #require(ClassList.coco.names.firstIndex(of: "person"))
    var detector = try SharedModel.detector(
      ObjectDetectionOptions(classes: [person], margin: .init(classes: [person], minimumScore: 0.5)))
    let frames = try SampleFrames.read(path: path, at: Array(0..<13))
    let found = try frames.filter { frame in
      try detector.objects(in: frame, timer: NoTimer()).contains {
        $0.score >= 0.5 && $0.box.area > 0.1 * Double(frame.size.width * frame.size.height)
      }
    }
    #expect(found.count >= 3, "on \(found.count) of 13 frames")
  }
}
