import Foundation
import Synchronization
import Testing
import VStream
import VStreamTestSupport

/// Detectors and marks of the user's own in a run.
struct OwnDetectorTests {
  private let folder: TemporaryFolder
  private let input: String

  /// A white square that moves by 4 pixels a frame over black, from the 24th on.
  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "color=black:s=320x240:r=10:d=2", "-f", "lavfi", "-i", "color=white:s=40x40:r=10:d=2",
      "-filter_complex", "overlay=x=20+4*n:y=100", "-c:v", "ffv1", input,
    ])
  }

  /// Finds the square by its brightness.
  private struct SquareDetector: FrameDetector {
    var label = "square"

    mutating func detect(in frame: VideoFrame) throws -> [DetectedObject] {
      let (pixels, width) = (try frame.pixels(as: .gray), frame.size.width)
      let bright = pixels.indices.filter { pixels[$0] > 200 }
      guard let first = bright.first, let last = bright.last else { return [] }
      let box = Box(
        left: Double(first % width), top: Double(first / width), right: Double(last % width + 1),
        bottom: Double(last / width + 1))
      let empty = DetectedObject(classIndex: 0, label: label, score: 1, box: Box(x: 0, y: 0, width: 0, height: 5))
      return [empty, DetectedObject(classIndex: 0, label: label, score: 0.9, box: box)]
    }
  }

  private func run(_ change: (inout VideoPipeline.Options) -> Void) throws -> [VideoPipeline.Frame] {
    var options = VideoPipeline.Options()
    options.output = folder.file("out.mkv")
    options.encoder = EncoderSettings(codec: "ffv1")
    change(&options)
    let received = Mutex<[VideoPipeline.Frame]>([])
    _ = try VideoPipeline(input: input, options: options).runBlocking { frame in
      received.withLock { $0.append(frame) }
    }
    return received.withLock { $0 }
  }

  private func gray(_ x: Int, _ y: Int) throws -> UInt8 {
    let frame = try VideoFrame(contentsOf: folder.file("out.mkv"))
    return try frame.pixels(as: .gray)[y * frame.size.width + x]
  }

  @Test(arguments: [true, false])
  func `its results are tracked, counted and recorded`(isConcurrent: Bool) throws {
    let frames = try run {
      $0.use(isConcurrent: isConcurrent) { SquareDetector() }
      $0.records = [folder.file("r.jsonl"), folder.file("r.csv")]
      $0.lines = [CountedRegions.Region(name: "gate", pixels: [Point(x: 60, y: 0), Point(x: 60, y: 240)])]
    }
    #expect(frames.count == 20)
    #expect(
      frames.dropFirst().allSatisfy { $0.found.objects?.map(\.id) == [1] && $0.found.objects?[0].label == "square" })
    for frame in frames.dropFirst() {
      let expected = Box(x: 24 + 4 * Double(frame.index), y: 100, width: 40, height: 40)
      #expect(frame.found.objects?[0].box.iou(expected) ?? 0 > 0.9)
    }
    var reader = try RecordReader(contentsOf: folder.file("r.jsonl"))
    var last: RecordReader.Frame?
    while let frame = try reader.next() { last = frame }
    #expect(last?.found.objects?.first?.label == "square")
    #expect(last?.counts?.lines.first?.toLeft["square"] ?? 0 + (last?.counts?.lines.first?.toRight["square"] ?? 0) == 1)
    #expect(try String(contentsOfFile: folder.file("r.csv"), encoding: .utf8).contains("square"))
  }

  @Test func `its results are drawn`() throws {
    _ = try run { $0.use { SquareDetector() } }
    // The square's left edge in the first frame has no ID yet; a label is above it in the last one.
    let last = folder.file("last.png")
    try Program.ffmpeg(["-sseof", "-0.15", "-i", folder.file("out.mkv"), "-frames:v", "1", last])
    let frame = try VideoFrame(contentsOf: last)
    let pixels = try frame.pixels(as: .gray)
    #expect((80..<98).contains { row in pixels[row * 320 + 104] > 40 })
  }

  @Test func `its results are redacted`() throws {
    _ = try run {
      $0.use { SquareDetector() }
      $0.redaction = RedactionOptions(.fill, labels: ["square"])
      $0.overlay = OverlayOptions(elements: [])
    }
    #expect(try gray(40, 120) < 30)
  }

  @Test func `another kind is detected beside it, and one of the same kind is replaced`() throws {
    struct NoFaces: FrameDetector {
      mutating func detect(in frame: VideoFrame) throws -> [DetectedFace] { [] }
    }
    let frames = try run {
      $0.use { SquareDetector(label: "first") }
      $0.use { SquareDetector(label: "second") }
      $0.use { NoFaces() }
      $0.duration = .seconds(0.5)
    }
    #expect(frames.last?.found.objects?.map(\.label) == ["second"])
    #expect(frames.allSatisfy { $0.found.faces == [] })
  }

  @Test func `an error of it ends the run and is reported, and what was written plays`() throws {
    struct Broken: FrameDetector {
      struct Lamp: Error, CustomStringConvertible { let description = "the lamp is broken" }
      var count = 0
      mutating func detect(in frame: VideoFrame) throws -> [DetectedObject] {
        count += 1
        if count > 5 { throw Lamp() }
        return []
      }
    }
    let error = #expect(throws: VStreamError.self) { try run { $0.use { Broken() } } }
    #expect(error?.message.contains("the lamp is broken") == true, "\(String(describing: error))")
    let name = try #require(folder.names.first { $0.hasPrefix("out.mkv") })
    #expect(try Probe(folder.file(name)).frameTimes().count <= 20)
  }

  @Test func `marks are drawn with nothing else, with their labels, and nothing outside the frame harms`() throws {
    _ = try run { options in
      options.objects = nil
      options.marks = { frame in
        [
          OverlayMark(Box(x: 200, y: 20, width: 60, height: 40), color: Color(red: 1, green: 1, blue: 1), lineWidth: 4),
          OverlayMark(
            points: [Point(x: 5, y: 200), Point(x: 315, y: 200)], text: "frame \(frame.index)", lineWidth: 3),
          OverlayMark(points: [Point(x: .nan, y: 1), Point(x: 1e12, y: -1e12)], text: "nowhere"),
          OverlayMark(points: [], text: "none"), OverlayMark(points: [Point(x: 300, y: 230)], lineWidth: .infinity),
        ]
      }
    }
    #expect(try gray(230, 20) > 200)
    #expect(try gray(230, 40) < 30)
    #expect(try gray(160, 200) > 200)
    #expect(try gray(300, 120) < 30)
  }

  @Test func `a label that no detection has is a warning, and a class of faces is faces`() throws {
    func run(label: String, redacted: String) throws -> VideoPipeline.Summary {
      var options = VideoPipeline.Options()
      options.use { SquareDetector(label: label) }
      options.output = folder.file("out.mkv")
      options.overwritesOutput = true
      options.redaction = RedactionOptions(.fill, labels: [redacted])
      return try VideoPipeline(input: input, options: options).runBlocking { _ in }
    }
    let misspelt = try run(label: "lamp", redacted: " Lmap")
    #expect(misspelt.framesRedacted == 0)
    #expect(
      misspelt.warnings == ["'lmap' was to be redacted, and no detection has that label (redaction)"])
    let right = try run(label: "Lamp", redacted: "lamp ")
    #expect(right.framesRedacted == 20 && right.warnings.isEmpty)
    let face = try run(label: "face", redacted: "faces")
    #expect(face.framesRedacted == 20)
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let object: DetectedObject
    let expected: String

    init(_ name: String, score: Double = 1, x: Double = 0, _ expected: String) {
      testDescription = name
      object = DetectedObject(
        classIndex: 0, label: "a", score: score, box: Box(x: x, y: 0, width: 5, height: 5))
      self.expected = expected
    }
  }

  @Test(arguments: [
    Fault("a score of 7", score: 7, "the detector Faulty returned a score of 7.0, which is not from 0 to 1"),
    Fault("a score that is no number", score: .nan, "the detector Faulty returned a score of nan"),
    Fault("a box far away", x: 1e12, "the detector Faulty returned a box that is in no frame"),
    Fault("a box that is nowhere", x: .nan, "the detector Faulty returned a box that is in no frame"),
  ])
  func `a detection that cannot be ends the run, as what it is of might stay visible`(fault: Fault) {
    struct Faulty: FrameDetector {
      let object: DetectedObject
      mutating func detect(in frame: VideoFrame) throws -> [DetectedObject] { [object] }
    }
    let error = #expect(throws: VStreamError.self) { try run { $0.use { Faulty(object: fault.object) } } }
    #expect(error?.code == .usage && error?.message.hasPrefix(fault.expected) == true, "\(String(describing: error))")
  }
}
