import Dispatch
import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamOverlay
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// A detector that takes a fifth of a second for each frame, and no processor time.
private struct PatientDetector: FrameDetecting {
  mutating func detect(in frame: VideoFrame, timer: any StepTimer) throws -> Detections {
    timer.inferring { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.2) }
    let box = Box(x: 100 + frame.time.seconds.truncatingRemainder(dividingBy: 10) * 50, y: 200, width: 200, height: 400)
    return Detections(objects: [DetectedObject(classIndex: 0, label: "person", score: 0.9, box: box)])
  }
}

/// A camera of 1080p60 before a detector that manages five frames a second: nothing piles up.
///
/// `VSTREAM_OVERLOAD_SECONDS` sets how long it runs; `VSTREAM_OVERLOAD_STATS` is a path for the figures.
struct OverloadTests {
  @Test func `frames leave at the pace at which they come, and every one is accounted for`() throws {
    let variables = ProcessInfo.processInfo.environment
    let seconds = variables["VSTREAM_OVERLOAD_SECONDS"].flatMap(Double.init) ?? 3
    let folder = try TemporaryFolder()
    let input = folder.file("in.mkv")
    let second = folder.file("second.mkv")
    try Program.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=60:duration=1", "-c:v", "libx264", "-preset", "ultrafast",
      "-bf", "0", second,
    ])
    try Program.ffmpeg(["-stream_loop", "\(Int(seconds) - 1)", "-i", second, "-c", "copy", input])

    var configuration = PipelineConfiguration(input: MediaInput(input), fontPath: "", threads: 2)
    configuration.isRealtime = true
    configuration.detectors = [DetectorSpec(.objects) { _, _ in { PatientDetector() } }]
    configuration.overlay = OverlayOptions(elements: [.boxes])
    configuration.output = PipelineOutput(
      destination: try OutputDestination("/dev/null", format: "mpegts", overwrite: true),
      codec: try VideoCodec(encoder: "libx264"), encoder: EncoderSettings(preset: "ultrafast"))
    var memory: [Int] = []
    let result = try Pipeline(configuration).run { _ in memory.append(Self.residentBytes()) }

    let counts = result.statistics.counts
    #expect(counts.framesIn == Int(seconds) * 60)
    #expect(counts.framesIn == counts.framesOut + counts.framesDropped)
    #expect(counts.framesDetected + counts.framesPredicted == counts.framesOut)
    #expect(counts.framesLateForDetector == counts.framesOut - counts.framesDetected, "detection was requested for all")
    #expect(counts.detectorRuns > 0, "but what it finds is used")
    #expect(result.tracksByLabel["person"] != nil)
    // 1080p frames of 3 MB: those that may be held, and no more.
    #expect((memory.last ?? 0) < (memory.dropLast(memory.count / 2).max() ?? 0) + 100_000_000, "memory is flat")
    if let path = variables["VSTREAM_OVERLOAD_STATS"] {
      let text = "\(result.statistics.json)\nresident MB: \(memory.map { $0 / 1_000_000 })\n"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
  }

  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}
