import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamOverlay
import VStreamTestSupport

@testable import VStreamPipeline

/// A detector that answers by script, and now and then does not see what is there.
struct FailingDetector: FrameDetecting {
  /// Whether it sees the subject of a frame, by its time in seconds.
  let sees: @Sendable (Double) -> Bool

  /// Where the subject is.
  static func box(at seconds: Double) -> Box { Box(x: 20 + seconds * 40, y: 30, width: 24, height: 40) }

  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    let seconds = frame.time.seconds
    guard sees(seconds) else { return Detections(objects: []) }
    return Detections(objects: [
      DetectedObject(classIndex: 0, label: "person", score: 0.9, box: Self.box(at: seconds)),
      DetectedObject(classIndex: 2, label: "car", score: 0.9, box: Box(x: 140, y: 104, width: 18, height: 12)),
    ])
  }
}

/// What is redacted in the frames that leave a pipeline.
struct RedactionFlowTests {
  private let folder: TemporaryFolder
  private static let frameCount = 40

  init() throws {
    folder = try TemporaryFolder()
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=20:duration=2", "-f", "lavfi", "-i", "sine=duration=2",
      "-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "flac", folder.file("in.mkv"),
    ])
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    var every = 1
    var lookBack: Double?
    /// Frames in which the subject is not detected.
    var missed: Set<Int> = []
    /// Frames in which it is redacted.
    let redacted: Range<Int>
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "always detected", redacted: 0..<40),
    Row(name: "missed now and then, up to a second", missed: Set(3..<10).union(20..<38), redacted: 0..<40),
    Row(name: "found late", missed: Set(0..<10), redacted: 0..<40),
    Row(name: "found later than the look-back window", missed: Set(0..<16), redacted: 6..<40),
    Row(name: "found late, a shorter look-back", lookBack: 0.2, missed: Set(0..<16), redacted: 12..<40),
    Row(name: "found late, no look-back", lookBack: 0, missed: Set(0..<16), redacted: 16..<40),
    Row(name: "every seventh frame", every: 7, redacted: 0..<40),
    Row(
      name: "every eighth frame, a window of one frame: at least the interval", every: 8, lookBack: 0.05,
      missed: Set(0..<16), redacted: 8..<40),
    Row(
      name: "30 % missed by chance",
      missed: {
        var numbers = SeededNumbers(seed: 5)
        return Set((0..<40).filter { _ in numbers.below(10) < 3 })
      }(), redacted: 0..<40),
    Row(name: "lost for more than a second", missed: Set(5..<40), redacted: 0..<25),
  ]

  @Test(arguments: rows)
  func `the subject is redacted, and nothing else is touched`(row: Row) throws {
    let missed = row.missed
    var configuration = try configuration(FailingDetector { !missed.contains(Int(($0 * 20).rounded())) })
    configuration.detectEvery = .every(row.every)
    configuration.redaction = RedactionOptions(.fill, labels: ["person"], lookBack: row.lookBack.map { .seconds($0) })
    let result = try Pipeline(configuration).run()
    #expect(result.warnings.isEmpty)
    #expect(result.framesRedacted == row.redacted.count)

    let (before, after) = (try lumas("in.mkv"), try lumas("out.mkv"))
    #expect(before.count == Self.frameCount)
    #expect(after.count == Self.frameCount)
    for index in 0..<min(before.count, after.count) {
      let box = FailingDetector.box(at: Double(index) / 20)
      let inside = pixels(of: box)
      if row.redacted.contains(index) {
        #expect(inside.allSatisfy { after[index][$0] == 16 }, "frame \(index)")
        let car = pixels(of: Box(x: 142, y: 106, width: 14, height: 8))
        #expect(car.allSatisfy { after[index][$0] == before[index][$0] }, "a car is not redacted, frame \(index)")
      } else {
        #expect(before[index] == after[index], "frame \(index)")
      }
    }
    #expect(
      try Probe(folder.file("out.mkv")).packets("a:0").count == (try Probe(folder.file("in.mkv")).packets("a:0").count))
  }

  /// Luma of every frame.
  private func lumas(_ name: String) throws -> [[UInt8]] {
    let raw = try Program.ffmpeg(["-i", folder.file(name), "-map", "0:v", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"])
    let bytes = [UInt8](raw.output)
    return stride(from: 0, to: bytes.count, by: 160 * 120 * 3 / 2).map { Array(bytes[$0..<$0 + 160 * 120]) }
  }

  private func pixels(of box: Box) -> [Int] {
    (Int(box.y)..<Int(box.bottom)).flatMap { y in (Int(box.x.rounded(.up))..<Int(box.right)).map { y * 160 + $0 } }
  }

  private func configuration(_ detector: some FrameDetecting & Sendable) throws -> PipelineConfiguration {
    var configuration = PipelineConfiguration(input: MediaInput(folder.file("in.mkv")), fontPath: "", threads: 2)
    configuration.detectors = [DetectorSpec(.objects) { _, _ in { detector } }]
    configuration.overlay = OverlayOptions(elements: [])
    configuration.redaction = RedactionOptions(.mosaic, labels: ["person"])
    configuration.output = PipelineOutput(
      destination: try OutputDestination(folder.file("out.mkv"), overwrite: true),
      codec: try VideoCodec(encoder: "ffv1"), encoder: EncoderSettings(codec: "ffv1"))
    return configuration
  }

  @Test func `a detector that fails leaves a file of the frames before, redacted`() throws {
    let failing = try configuration(ScriptedDetector(failsAt: 1000))
    #expect {
      try Pipeline(failing).run()
    } throws: { error in
      "\(error)" == "scripted failure; what was written plays: '\(folder.file("out.mkv.part"))'"
    }
    let (before, after) = (try lumas("in.mkv"), try lumas("out.mkv.part"))
    #expect(after.count == 20)
    #expect(zip(before, after).allSatisfy { $0 != $1 })
  }

  @Test func `single images are redacted independently, and each requires detection`() throws {
    var configuration = try configuration(FailingDetector { $0 < 0.5 })
    configuration.mode = .singleImage
    #expect(try Pipeline(configuration).run().framesRedacted == 10)
    configuration.detectEvery = .every(2)
    #expect {
      try Pipeline(configuration).run()
    } throws: { error in
      (error as? VStreamError)?.code == .usage
    }
  }
}
