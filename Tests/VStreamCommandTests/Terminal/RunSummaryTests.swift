import Testing
import VStreamCore
import VStreamReporting

@testable import VStreamCommand
@testable import VStreamPipeline

/// The last line of a run, and the progress before it.
struct RunSummaryTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let change: @Sendable (inout PipelineResult) -> Void
    let line: String
    var testDescription: String { name }
  }

  private static let start = "out.mp4: 50 frames in 2.0 s (25.0 fps)"

  static let rows = [
    Row(name: "frames alone", change: { _ in }, line: start),
    Row(
      name: "the most frequent first, then by name", change: { $0.tracksByLabel = ["dog": 1, "car": 1, "person": 12] },
      line: "\(start), tracked 12 × person, 1 × car, 1 × dog"),
    Row(
      name: "single images",
      change: {
        $0.tracksByLabel = ["face": 3]
        $0.mode = .singleImage
      }, line: "\(start), found 3 faces"),
    Row(name: "one face", change: { $0.tracksByLabel = ["face": 1] }, line: "\(start), tracked 1 face"),
    Row(name: "redaction", change: { $0.framesRedacted = 7 }, line: "\(start), 7 frames redacted"),
    Row(
      name: "redaction, with streams that are kept",
      change: {
        $0.framesRedacted = 7
        $0.unredacted = ["stream #1 (video, h264)", "images in the tags"]
      }, line: "\(start), 7 frames redacted, not redacted: stream #1 (video, h264), images in the tags"),
    Row(name: "damage", change: { $0.statistics.counts.corruptPackets = 2 }, line: "\(start), 2 damaged packets"),
    Row(
      name: "a damaged packet", change: { $0.statistics.counts.corruptPackets = 1 }, line: "\(start), 1 damaged packet"),
    Row(
      name: "stopped in a file",
      change: {
        $0.wasStopped = true
        $0.incompletePath = "out.mp4.part"
      }, line: "\(start), stopped; what was written plays: 'out.mp4.part'"),
    Row(name: "a recording that was stopped", change: { $0.wasStopped = true }, line: "\(start), stopped"),
    Row(
      name: "late frames that could have waited",
      change: {
        $0.canWait = true
        $0.statistics.counts.framesLateForDetector = 1
      }, line: "\(start); the detector did not run on every frame (--late wait does)"),
    Row(
      name: "live",
      change: {
        $0.isLive = true
        $0.statistics.counts.framesDetected = 40
        $0.statistics.counts.detectorRuns = 40
        $0.statistics.counts.framesDropped = 3
      }, line: "\(start), 40 detected, 0 late, 3 dropped"),
    Row(
      name: "live, without detection",
      change: {
        $0.isLive = true
        $0.statistics.counts.framesDetected = 50
      }, line: "\(start), 0 dropped"),
    Row(
      name: "a name with a line break", change: { $0.tracksByLabel = ["a\nb": 1] }, line: "\(start), tracked 1 × a b"),
  ]

  @Test(arguments: rows)
  func `a run is summed up on one line`(row: Row) {
    var result = PipelineResult()
    result.statistics.counts.framesOut = 50
    result.statistics.wallSeconds = 2
    row.change(&result)
    #expect(RunSummary(output: "out.mp4").line(result) == row.line)
  }

  @Test(
    arguments: [
      (50, 200, 2.0, "25 %  50 of 200 frames  25 fps  6 s left"), (50, nil, 2.0, "50 frames  25 fps"),
      (250, 200, 10.0, "100 %  250 of 250 frames  25 fps"), (0, 200, 0.0, "0 %  0 of 200 frames  0 fps"),
      (5, 0, 1.0, "5 frames  5 fps"),
    ] as [(Int, Int?, Double, String)])
  func `progress is a fraction where the end is known`(frames: Int, expected: Int?, seconds: Double, line: String) {
    var progress = PipelineProgress()
    progress.counts.framesOut = frames
    progress.framesExpected = expected
    progress.elapsedSeconds = seconds
    #expect(ProgressLine(progress: progress).text == line)
  }
}
