import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamOverlay
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// A detector whose passes end when the test ends them.
final class SteppedDetector: Sendable {
  struct Passes: Sendable {
    /// Frames that were started, by their indices.
    var started: [Int] = []
    /// How many may end.
    var allowed = 0
  }

  let passes = Monitor(Passes())

  /// Lets one more pass end.
  func end() { passes.update { $0.allowed += 1 } }

  /// Waits until a number of passes has started, and gives their frames.
  func started(_ count: Int) -> [Int] { passes.wait { $0.started.count >= count ? $0.started : nil } ?? [] }

  func pass(on frame: Int) {
    let number = passes.update { passes in
      passes.started.append(frame)
      return passes.started.count
    }
    _ = passes.wait { $0.allowed >= number ? true : nil }
  }
}

/// Gives an object that moves with time, once its passes may end.
private struct SteppedStage: FrameDetecting {
  let stepped: SteppedDetector
  let rate: Double
  var fails = false

  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    stepped.pass(on: Int((frame.time.seconds * rate).rounded()))
    if fails { throw VStreamError(.library, "scripted failure") }
    let box = Box(x: 10 + frame.time.seconds * 20, y: 20, width: 40, height: 60)
    return Detections(objects: [DetectedObject(classIndex: 0, label: "person", score: 0.9, box: box)])
  }
}

/// A file of ten frames a second, played on a clock that the test sets, before a detector that the test ends.
private final class LiveRun: Sendable {
  static let rate = 10.0
  let clock = ManualClock()
  let detector = SteppedDetector()
  private let pipeline: Pipeline
  private let result = Monitor<Result<PipelineResult, any Error>?>(nil)
  private let records: String

  init(
    _ folder: borrowing TemporaryFolder, frames: Int, fails: Bool = false,
    change: (inout PipelineConfiguration) throws -> Void = { _ in }
  ) throws {
    let input = folder.file("in.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=\(Double(frames) / Self.rate)", "-c:v", "ffv1", input,
    ])
    records = folder.file("r.jsonl")
    // One thread: the decoder gives each frame as soon as it has its packet.
    var configuration = PipelineConfiguration(input: MediaInput(input), fontPath: "", threads: 1)
    configuration.detectors = [
      DetectorSpec(.objects) { [detector] _, _ in
        { SteppedStage(stepped: detector, rate: Self.rate, fails: fails) }
      }
    ]
    configuration.isRealtime = true
    configuration.hold = 0.04
    configuration.tracker.confirmAfter = 1
    configuration.records = [records]
    configuration.clock = clock
    try change(&configuration)
    pipeline = Pipeline(configuration)
    Thread.detachNewThread { [self] in
      let outcome = Result { try pipeline.run() }
      result.update { $0 = outcome }
    }
  }

  /// Waits until the counts are as expected.
  func counts(where isExpected: (RunCounts) -> Bool) -> RunCounts {
    pipeline.state.contents.wait { isExpected($0.counts) ? $0.counts : nil } ?? RunCounts()
  }

  /// Has a frame come, and waits until it is in.
  func arrive(_ frame: Int) {
    clock.advance(to: Double(frame) / Self.rate)
    _ = counts { $0.framesIn == frame + 1 }
  }

  /// Lets the time pass that a frame may be held, and waits until it has left.
  func leave(_ frame: Int) {
    clock.advance(to: Double(frame) / Self.rate + 0.05)
    _ = counts { $0.framesOut == frame + 1 }
  }

  func stop() { pipeline.stop() }

  func finish() throws -> PipelineResult { try (result.wait { $0 } ?? .failure(CancellationError())).get() }

  /// `d` for each frame that left with its own detection, `p` for one with predicted tracks, in order, with how many.
  func sources() throws -> String {
    try String(contentsOfFile: records, encoding: .utf8).split(separator: "\n").dropFirst().dropLast().map { line in
      let objects = line.components(separatedBy: "\"label\"").count - 1
      return (line.contains("\"source\":\"detected\"") ? "d" : "p") + "\(objects)"
    }.joined(separator: " ")
  }
}

/// A detector slower than the stream, step by step: no frame waits for it longer than it may.
struct LiveFlowTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `late frames leave in time, the newest is detected, late results are used`() throws {
    let run = try LiveRun(folder, frames: 6)
    run.arrive(0)
    #expect(run.detector.started(1) == [0])
    run.leave(0)
    run.arrive(1)
    run.leave(1)
    run.arrive(2)  // pushes out 1
    run.leave(2)
    run.detector.end()  // of 0, long gone
    #expect(run.detector.started(2) == [0, 2], "1 was pushed out")
    run.arrive(3)
    run.leave(3)
    run.detector.end()  // of 2
    #expect(run.detector.started(3) == [0, 2, 3])
    run.detector.end()  // of 3
    run.arrive(4)
    #expect(run.detector.started(4) == [0, 2, 3, 4])
    run.detector.end()  // in time
    _ = run.counts { $0.framesOut == 5 }
    run.arrive(5)
    #expect(run.detector.started(5) == [0, 2, 3, 4, 5])
    run.detector.end()
    let counts = try run.finish().statistics.counts
    #expect(counts.framesIn == 6)
    #expect(counts.framesOut == 6)
    #expect(counts.framesDetected == 2)
    #expect(counts.framesPredicted == 4)
    #expect(counts.framesLateForDetector == 4)
    #expect(counts.framesDropped == 0)
    #expect(counts.detectorRuns == 5, "the late results of 0, 2 and 3 count")
    // From frame 3 on the object of frame 0's late result is known.
    #expect(try run.sources() == "p0 p0 p0 p1 d1 d1")
  }

  @Test func `a frame whose result is in time leaves at once, with it`() throws {
    let run = try LiveRun(folder, frames: 3)
    for frame in 0..<3 {
      run.arrive(frame)
      #expect(run.detector.started(frame + 1).last == frame)
      run.detector.end()
      _ = run.counts { $0.framesOut == frame + 1 }
    }
    #expect(try run.finish().statistics.counts.framesLateForDetector == 0)
    #expect(try run.sources() == "d1 d1 d1")
  }

  @Test func `frames that are not detected are predicted, not late`() throws {
    let run = try LiveRun(folder, frames: 4) { $0.detectEvery = .every(2) }
    for frame in 0..<4 {
      run.arrive(frame)
      if frame % 2 == 0 { run.detector.end() }
      _ = run.counts { $0.framesOut == frame + 1 }
    }
    let counts = try run.finish().statistics.counts
    #expect(counts.framesPredicted == 2)
    #expect(counts.framesLateForDetector == 0)
    #expect(try run.sources() == "d1 p1 d1 p1")
  }

  @Test func `with the wait policy every frame is detected`() throws {
    let run = try LiveRun(folder, frames: 3) { $0.late = .wait }
    run.arrive(0)
    run.clock.advance(to: 10)
    for _ in 0..<3 { run.detector.end() }
    #expect(try run.finish().statistics.counts.framesDetected == 3)
    #expect(run.detector.started(3) == [0, 1, 2])
  }

  @Test func `a detector that fails ends the run with its error`() throws {
    let run = try LiveRun(folder, frames: 3, fails: true)
    run.arrive(0)
    #expect(run.detector.started(1) == [0])
    run.detector.end()
    #expect {
      try run.finish()
    } throws: { error in
      "\(error)" == "scripted failure"
    }
  }

  @Test func `stopped during a detection pass, it ends without its result`() throws {
    let run = try LiveRun(folder, frames: 30)
    run.arrive(0)
    #expect(run.detector.started(1) == [0])
    run.stop()
    run.leave(0)
    run.detector.end()
    let result = try run.finish()
    #expect(result.wasStopped)
    #expect(result.statistics.counts.framesOut == 1)
    #expect(result.statistics.counts.framesLateForDetector == 1)
  }

  @Test func `latency is measured by the clock, from packet to sink`() throws {
    let run = try LiveRun(folder, frames: 2)
    run.arrive(0)
    #expect(run.detector.started(1) == [0])
    run.leave(0)  // after 50 ms
    run.detector.end()
    run.arrive(1)
    #expect(run.detector.started(2) == [0, 1])
    run.detector.end()  // at once
    let statistics = try run.finish().statistics
    let latency = try #require(statistics.latency)
    #expect(latency.count == 2)
    #expect(abs(latency.longest - 0.05) < 1e-9)
    #expect(latency.percentile(0.5) < 1e-5)
  }
}
