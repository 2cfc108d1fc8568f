import Synchronization
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// A detector of faces that answers by script, and notes which frames it was shown.
private struct ScriptedFaces: FrameDetecting {
  let seen: Seen

  final class Seen: Sendable {
    let ticks = Mutex<[Int64]>([])
    let makers = Mutex(0)
    let requirements = Mutex<[DetectorRequirements]>([])
  }

  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    seen.ticks.withLock { $0.append(frame.time.ticks) }
    var face = DetectedFace(score: 0.9, box: Box(x: 30 + 20 * frame.time.seconds, y: 20, width: 40, height: 40))
    face.landmarks = [FaceLandmark(.noseBase, at: face.box.center)]
    return Detections(faces: [face])
  }
}

/// Faces beside objects in a run.
struct FaceFlowTests {
  private let folder: TemporaryFolder
  private let input: String
  private let seen = ScriptedFaces.Seen()

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=20:duration=2", "-c:v", "libx264", "-preset", "ultrafast", input,
    ])
  }

  private func run(
    threads: Int = 4, _ change: (inout PipelineConfiguration) -> Void = { _ in }
  ) throws -> (PipelineResult, [Substring]) {
    var configuration = PipelineConfiguration(input: MediaInput(input), fontPath: "", threads: threads)
    configuration.detectors = [
      DetectorSpec(.objects) { _, _ in { ScriptedDetector() } },
      DetectorSpec(tracking: .faces) { [seen] requirements, _ in
        seen.requirements.withLock { $0.append(requirements) }
        return {
          seen.makers.withLock { $0 += 1 }
          return ScriptedFaces(seen: seen)
        }
      },
    ]
    configuration.records = [folder.file("r.jsonl")]
    configuration.overwritesFiles = true
    change(&configuration)
    let result = try Pipeline(configuration).run()
    return (result, try String(contentsOfFile: configuration.records[0], encoding: .utf8).split(separator: "\n"))
  }

  @Test func `one detector sees all frames in their order, whatever the objects' do`() throws {
    let (result, lines) = try run()
    let ticks = seen.ticks.withLock { $0 }
    #expect(ticks.count == 40 && ticks == ticks.sorted())
    #expect(seen.makers.withLock { $0 } == 1)
    #expect(seen.requirements.withLock { $0 } == [DetectorRequirements(mode: .stream, grid: .files)])
    #expect(result.tracksByLabel == ["person": 1, "face": 1])
    #expect(lines[1 + 20].contains(#""objects":[{"id":1,"label":"person""#))
    #expect(lines[1 + 20].contains(#""faces":[{"id":1,"score":0.9,"box":[50.0,20.0,40.0,40.0]"#))
  }

  @Test func `between detections faces are predicted, with their landmarks`() throws {
    let (_, lines) = try run { $0.detectEvery = .every(4) }
    let faces = lines[1 + 39].split(separator: #""faces":"#).last ?? ""
    #expect(faces.contains(#""predicted":true"#))
    // A second moves the face by 20 pixels; frame 39 is 1.95 s in, and its nose is amid its box.
    #expect(faces.contains(#""box":[69.0,20.0,40.0,40.0],"landmarks":{"noseBase":[89.0,40.0]}"#), "\(faces)")
  }

  @Test(arguments: [(1, false), (4, true)])
  func `a detector that is given some of the frames is to search the whole of each`(every: Int, isPaced: Bool) throws {
    _ = try run {
      $0.redaction = RedactionOptions(.fill, labels: ["person"])
      $0.detectEvery = .every(every)
    }
    let expected = DetectorRequirements(mode: .stream, isPaced: isPaced, checksModels: true, grid: .files)
    #expect(seen.requirements.withLock { $0 } == [expected])
  }

  @Test func `in single images faces have no IDs, and the detector follows nothing`() throws {
    let (result, lines) = try run { $0.mode = .singleImage }
    #expect(seen.requirements.withLock { $0 } == [DetectorRequirements(mode: .singleImage)])
    #expect(lines[1].contains(#""faces":[{"score":0.9,"#))
    #expect(result.tracksByLabel["face"] == 40)
  }

  @Test func `the records are the same on any number of threads`() throws {
    let one = try run(threads: 1).1
    #expect(try run(threads: 4).1 == one)
  }
}
