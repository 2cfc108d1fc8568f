import Foundation
import Synchronization
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamOverlay
import VStreamTestSupport

@testable import VStreamPipeline

/// A scripted detector: one object whose position depends on the frame.
struct ScriptedDetector: FrameDetecting {
  /// The frame, by its time in ticks, at which it fails.
  var failsAt: Int64?
  /// Called before each answer.
  var before: @Sendable (Int64) -> Void = { _ in }

  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    let ticks = frame.time.ticks
    timer.sampling { before(ticks) }
    if ticks == failsAt { throw VStreamError(.library, "scripted failure") }
    return timer.inferring {
      Detections(objects: [
        DetectedObject(
          classIndex: 0, label: "person", score: 0.9,
          box: Box(x: 10 + frame.time.seconds * 20, y: 20, width: 40, height: 60))
      ])
    }
  }
}

struct PipelineTests {
  private let folder: TemporaryFolder
  private let input: String
  static let frameCount = 40

  init() throws {
    folder = try TemporaryFolder()
    input = folder.file("in.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=20:duration=2", "-f", "lavfi", "-i", "sine=duration=2",
      "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "flac", input,
    ])
  }

  private func configuration(
    threads: Int = 2, output: String? = nil, detector: ScriptedDetector = ScriptedDetector()
  ) throws -> PipelineConfiguration {
    var configuration = PipelineConfiguration(input: MediaInput(input), fontPath: "", threads: threads)
    configuration.detectors = [DetectorSpec(.objects) { _, _ in { detector } }]
    configuration.overlay = OverlayOptions(elements: [.boxes])
    if let output {
      configuration.output = PipelineOutput(
        destination: try OutputDestination(output, overwrite: true), codec: try VideoCodec(encoder: "libx264"),
        encoder: EncoderSettings(preset: "ultrafast"))
    }
    return configuration
  }

  @Test(arguments: [1, 2, 4])
  func `every frame is detected, in order, and the records are the same on any number of threads`(threads: Int) throws {
    var configuration = try configuration(threads: threads)
    configuration.records = [folder.file("r\(threads).jsonl")]
    let result = try Pipeline(configuration).run()
    #expect(result.statistics.counts.framesIn == Self.frameCount)
    #expect(result.statistics.counts.framesDetected == Self.frameCount)
    #expect(result.statistics.counts.framesOut == Self.frameCount)
    #expect(result.statistics.counts.detectorRuns == Self.frameCount)
    #expect(result.tracksByLabel == ["person": 1])
    let lines = try String(contentsOfFile: configuration.records[0], encoding: .utf8).split(separator: "\n")
    #expect(lines.count == Self.frameCount + 2)
    let frame = lines[1 + 20]
    #expect(frame.contains("\"frame\":20,\"pts\":1.0,"))
    #expect(frame.contains("\"box\":[30.0,20.0,40.0,60.0]"), "frame 20 has its own detection: \(frame)")
    #expect(lines.last?.contains("\"framesOut\":40") == true)
  }

  @Test func `between detections tracks are predicted`() throws {
    var configuration = try configuration()
    configuration.detectEvery = .every(4)
    configuration.records = [folder.file("r.jsonl")]
    let result = try Pipeline(configuration).run()
    #expect(result.statistics.counts.framesDetected == 10)
    #expect(result.statistics.counts.framesPredicted == 30)
    #expect(result.statistics.counts.framesLateForDetector == 0)
    let lines = try String(contentsOfFile: configuration.records[0], encoding: .utf8).split(separator: "\n")
    #expect(lines[1 + 37].contains("\"source\":\"predicted\""))
    #expect(lines[1 + 37].contains("\"predicted\":true"))
    #expect(lines[1 + 36].contains("\"source\":\"detected\""))
  }

  @Test func `what comes out has all frames, all sound, and boxes on it`() throws {
    let output = folder.file("out.mp4")
    let result = try Pipeline(try configuration(output: output)).run()
    #expect(result.warnings.isEmpty)
    let (before, after) = (try Probe(input), try Probe(output))
    #expect(try after.frameTimes() == before.frameTimes())
    #expect(try after.packets("a:0").map(\.size) == before.packets("a:0").map(\.size))
    #expect(folder.names.contains { $0.hasSuffix(".part") } == false)
    // Frame 20 is 1 s in: its box is at x 30…70, y 20…80.
    let difference = zip(try luma(of: 20, in: input), try luma(of: 20, in: output)).map { abs(Int($0) - Int($1)) }
    func mean(_ columns: Range<Int>) -> Int {
      let values = (25..<75).flatMap { y in columns.map { difference[y * 160 + $0] } }
      return values.reduce(0, +) / values.count
    }
    #expect(mean(30..<31) > 20 && mean(69..<70) > 20, "its left and right edges: \(mean(30..<31)), \(mean(69..<70))")
    #expect(mean(40..<60) < 8 && mean(100..<150) < 8, "inside and outside: \(mean(40..<60)), \(mean(100..<150))")
  }

  private func luma(of frame: Int, in path: String) throws -> [UInt8] {
    let raw = try Program.ffmpeg([
      "-i", path, "-map", "0:v", "-vf", "select=eq(n\\,\(frame))", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt",
      "gray", "-",
    ])
    return [UInt8](raw.output)
  }

  @Test func `a detector that fails ends the run with its error, and the file plays up to there`() throws {
    let output = folder.file("out.mkv")
    let failing = try configuration(output: output, detector: ScriptedDetector(failsAt: 1000))
    #expect {
      try Pipeline(failing).run()
    } throws: { error in
      "\(error)" == "scripted failure; what was written plays: '\(output + ".part")'"
    }
    let times = try Probe(output + ".part").frameTimes()
    #expect(times.count == 20)
  }

  @Test func `a detector that cannot be loaded ends the run with its error, and leaves no file`() throws {
    let output = folder.file("out.mkv")
    var failing = try configuration(output: output)
    failing.detectors = [DetectorSpec(.objects) { _, _ in throw VStreamError(.missingDependency, "no model") }]
    #expect {
      try Pipeline(failing).run()
    } throws: { error in
      (error as? VStreamError)?.code == .missingDependency
    }
    #expect(folder.names == ["in.mkv"])
  }

  @Test func `a sink that cannot be written to ends the run with its error`() throws {
    var failing = try configuration(output: folder.file("out.mkv"))
    failing.output?.destination = try OutputDestination("/dev/full", format: "matroska", overwrite: true)
    #expect {
      try Pipeline(failing).run()
    } throws: { error in
      (error as? VStreamError)?.code == .inputOutput || (error as? VStreamError)?.code == .cannotCreateOutput
    }
  }

  @Test func `records that cannot be written to end the run with their error`() throws {
    var failing = try configuration()
    failing.records = [folder.file("r.jsonl")]
    try FileManager.default.createSymbolicLink(atPath: failing.records[0], withDestinationPath: "/dev/full")
    #expect {
      try Pipeline(failing).run()
    } throws: { error in
      (error as? VStreamError)?.code == .inputOutput
    }
  }

  @Test func `stopped, it drains and closes`() throws {
    let output = folder.file("out.mp4")
    let stopper = Shared(Mutex<Pipeline?>(nil))
    let detector = ScriptedDetector(before: { ticks in
      if ticks == 500 { stopper.value.withLock { $0?.stop() } }
    })
    let pipeline = Pipeline(try configuration(output: output, detector: detector))
    stopper.value.withLock { $0 = pipeline }
    defer { stopper.value.withLock { $0 = nil } }  // which holds the detector that holds it
    let result = try pipeline.run()
    #expect(result.wasStopped)
    #expect(result.incompletePath == output + ".part")
    let count = try Probe(output + ".part").frameTimes().count
    #expect(count == result.statistics.counts.framesOut)
    #expect(count >= 10 && count <= Self.frameCount)
  }
}
