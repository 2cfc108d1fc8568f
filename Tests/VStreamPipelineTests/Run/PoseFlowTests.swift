import Synchronization
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// A detector of poses that answers by script: one person, who moves 20 pixels a second.
private struct ScriptedPoses: FrameDetecting {
  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    let x = 60 + 20 * frame.time.seconds
    let places: [(PoseLandmark.Kind, Double, Double)] = [
      (.nose, 0, -40), (.leftShoulder, 10, -20), (.rightShoulder, -10, -20), (.leftHip, 10, 10), (.rightHip, -10, 10),
    ]
    let landmarks = places.map { kind, across, down in
      PoseLandmark(kind, at: Point(x: x + across, y: 60 + down), z: 4, inFrameLikelihood: 0.9)
    }
    return Detections(poses: [
      DetectedPose(score: 0.9, box: Box(x: x - 10, y: 20, width: 20, height: 50), landmarks: landmarks)
    ])
  }
}

/// Has up to two frames in flight, and notes how many at the end of each.
private struct OverlappingPoses: OverlappingDetecting {
  var framesInFlight: Int { 2 }
  let seen: Seen
  private var inFlight: [VideoFrame] = []

  init(_ seen: Seen) { self.seen = seen }

  final class Seen: Sendable {
    let counts = Mutex<[Int]>([])
    /// Seconds of stream time from which on detection fails.
    let failsAt: Double

    init(failsAt: Double = .infinity) { self.failsAt = failsAt }
  }

  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    try start(frame, timer: timer)
    return try finish(timer: timer)
  }

  mutating func start(_ frame: VideoFrame, timer: any StepTimer) throws {
    if frame.time.seconds >= seen.failsAt { throw VStreamError(.library, "no more") }
    inFlight.append(frame)
  }

  mutating func finish(timer: any StepTimer) throws -> Detections {
    seen.counts.withLock { $0.append(inFlight.count) }
    var poses = ScriptedPoses()
    return try poses.detect(in: inFlight.removeFirst(), timer: timer)
  }
}

/// Poses beside objects in a run.
struct PoseFlowTests {
  private let folder: TemporaryFolder
  private let input: String

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=20:duration=2", "-c:v", "libx264", "-preset", "ultrafast", input,
    ])
  }

  private func run(
    _ change: (inout PipelineConfiguration) -> Void = { _ in }
  ) throws -> (PipelineResult, [Substring]) {
    var configuration = PipelineConfiguration(input: MediaInput(input), fontPath: "", threads: 2)
    configuration.detectors = [
      DetectorSpec(.objects) { _, _ in { ScriptedDetector() } },
      DetectorSpec(tracking: .poses) { _, _ in { ScriptedPoses() } },
    ]
    configuration.records = [folder.file("r.jsonl")]
    configuration.overwritesFiles = true
    change(&configuration)
    let result = try Pipeline(configuration).run()
    return (result, try String(contentsOfFile: configuration.records[0], encoding: .utf8).split(separator: "\n"))
  }

  @Test func `poses are found beside objects, tracked, recorded and counted`() throws {
    let (result, lines) = try run { $0.recordsEvents = true }
    #expect(result.tracksByLabel == ["person": 1, "pose": 1])
    let frames = lines.filter { $0.contains(#""type":"frame""#) }
    #expect(frames[0].contains(#""poses":[]"#), "not confirmed yet")
    #expect(frames[20].contains(#""objects":[{"id":1,"label":"person""#))
    #expect(
      frames[20].contains(
        #""poses":[{"id":1,"score":0.9,"box":[70.0,20.0,20.0,50.0],"landmarks":[{"type":"nose","x":80.0,"y":20.0,"#
          + #""z":4.0,"inFrameLikelihood":0.9}"#))
    let events = lines.filter { $0.contains(#""label":"pose""#) }
    #expect(events.count == 3, "enter, confirm, exit")
  }

  @Test func `between detections poses are predicted, and move rigidly`() throws {
    let (_, lines) = try run { $0.detectEvery = .every(4) }
    let poses = lines[1 + 39].split(separator: #""poses":"#).last ?? ""
    #expect(poses.contains(#""predicted":true"#))
    // Frame 39 is 1.95 s in.
    #expect(
      poses.contains(#""box":[89.0,20.0,20.0,50.0],"landmarks":[{"type":"nose","x":99.0,"y":20.0,"z":4.0"#), "\(poses)")
  }

  /// Also where 39 frames pass between two with detection: no result waits for a later frame.
  @Test(arguments: [1, 2, 40]) func `a detector of two frames at once gives each its own result`(every: Int) throws {
    let plain = try run { $0.detectEvery = .every(every) }.1
    let seen = OverlappingPoses.Seen()
    let overlapping = try run {
      $0.detectEvery = .every(every)
      $0.detectors[1] = DetectorSpec(tracking: .poses) { _, _ in { OverlappingPoses(seen) } }
    }.1
    #expect(overlapping == plain)
    let counts = seen.counts.withLock { $0 }
    #expect(counts.count == (40 + every - 1) / every)
    #expect(counts.allSatisfy { $0 == 1 || $0 == 2 }, "\(counts)")
  }

  @Test func `where such a detector fails, the run does, with its error`() throws {
    let error = #expect(throws: VStreamError.self) {
      try run {
        $0.detectors[1] = DetectorSpec(tracking: .poses) { _, _ in { OverlappingPoses(.init(failsAt: 1)) } }
      }
    }
    #expect(error?.message == "no more")
  }

  @Test func `in single images poses have no IDs and are counted one by one`() throws {
    let (result, lines) = try run { $0.mode = .singleImage }
    #expect(lines[1].contains(#""poses":[{"score":0.9,"#))
    #expect(result.tracksByLabel["pose"] == 40)
  }

  @Test func `replayed, poses are the same, and at another size scaled`() throws {
    let (_, recorded) = try run {
      $0.recordsDetections = true
      $0.recordOptions = [("recordDetections", .flag(true))]
    }
    let path = folder.file("r.jsonl")
    let (_, again) = try run {
      $0.detectors = []
      $0.run = .replay(ReplayOptions(path: path, kinds: [.objects, .poses]))
      $0.recordsDetections = true
      $0.records = [folder.file("again.jsonl")]
    }
    #expect(again.filter { $0.contains(#""type":"frame""#) } == recorded.filter { $0.contains(#""type":"frame""#) })
    try Program.ffmpeg(["-i", input, "-vf", "scale=320:240", "-preset", "ultrafast", folder.file("large.mkv")])
    var configuration = PipelineConfiguration(input: MediaInput(folder.file("large.mkv")), fontPath: "", threads: 1)
    configuration.run = .replay(ReplayOptions(path: path, kinds: [.poses]))
    configuration.records = [folder.file("large.jsonl")]
    _ = try Pipeline(configuration).run()
    let large = try String(contentsOfFile: folder.file("large.jsonl"), encoding: .utf8).split(separator: "\n")
    #expect(
      large[1 + 20].contains(#""box":[140.0,40.0,40.0,100.0],"landmarks":[{"type":"nose","x":160.0,"y":40.0"#),
      "\(large[21])")
    #expect(!large[1 + 20].contains("objects"))
  }
}
