import Testing
import VStreamCore
import VStreamMedia
import VStreamOverlay
import VStreamTestSupport

@testable import VStreamPipeline

/// What is decided once the input is open.
struct StreamPlanTests {
  private let folder: TemporaryFolder
  private let clip: String

  init() throws {
    folder = try TemporaryFolder()
    clip = try Scripted.clip(in: folder)
  }

  private func configuration(hasOutput: Bool = true) throws -> PipelineConfiguration {
    var configuration = PipelineConfiguration(input: MediaInput(clip), fontPath: "", threads: 2)
    guard hasOutput else { return configuration }
    configuration.output = PipelineOutput(
      destination: try OutputDestination(folder.file("out.mkv"), overwrite: true),
      codec: try VideoCodec(encoder: "ffv1"), encoder: EncoderSettings(codec: "ffv1"))
    return configuration
  }

  private func plan(_ configuration: PipelineConfiguration) throws -> StreamPlan {
    try StreamPlan(configuration, media: MediaReader(MediaInput(clip)))
  }

  struct CopyRow: CustomTestStringConvertible, Sendable {
    let name: String
    var hasOutput = true
    var audio = AudioPolicy.auto
    var isRedacted = false
    var omitsImages = true
    var keepsText = false
    let copied: [StreamInfo.Kind]
    /// Labels of the streams that are warned of.
    var omitted: [String] = []
    /// What is kept that is not redacted.
    var unredacted: [String] = []
    var testDescription: String { name }
  }

  @Test(arguments: [
    CopyRow(name: "no output", hasOutput: false, copied: []),
    CopyRow(name: "all streams", copied: [.audio, .video, .subtitle]),
    CopyRow(name: "without audio", audio: .none, copied: [.video, .subtitle]),
    CopyRow(
      name: "redacted: the second video shows the same scene, subtitles may name it", isRedacted: true,
      copied: [.audio],
      omitted: ["#2 (video, ffv1)", "#3 (subtitle"]),
    CopyRow(
      name: "redacted, unredacted streams kept on request", isRedacted: true, omitsImages: false,
      copied: [.audio, .video], omitted: ["#3 (subtitle"], unredacted: ["stream #2 (video, ffv1)"]),
    CopyRow(
      name: "redacted, text kept on request", isRedacted: true, keepsText: true, copied: [.audio, .subtitle],
      omitted: ["#2 (video, ffv1)"]),
    CopyRow(
      name: "redacted, unredacted streams kept on request, no output", hasOutput: false, isRedacted: true,
      omitsImages: false, copied: []),
  ])
  func `streams beside the video are copied unless they may show what is redacted`(row: CopyRow) throws {
    var configuration = try configuration(hasOutput: row.hasOutput)
    configuration.output?.audio = row.audio
    if row.isRedacted {
      configuration.redaction = RedactionOptions(.fill, labels: ["person"])
      configuration.redaction?.omitsImages = row.omitsImages
      configuration.redaction?.keepsText = row.keepsText
    }
    let plan = try plan(configuration)
    #expect(plan.copied.map(\.kind) == row.copied)
    #expect(plan.unredacted.filter { !$0.isText }.map(\.name) == row.unredacted)
    #expect(plan.omitted.count == row.omitted.count)
    #expect(plan.warnings.count == row.omitted.count)
    for (warning, label) in zip(plan.warnings, row.omitted) {
      let option: Setting = label.contains("subtitle") ? .keepText : .keepUnredacted
      #expect(warning.description.contains(label) && warning.settings == [option])
    }
  }

  struct HoldRow: CustomTestStringConvertible, Sendable {
    let name: String
    var late = LateFramePolicy.drop
    var isRealtime = false
    var hold = 0.05
    let frames: Int
    var testDescription: String { name }
  }

  @Test(arguments: [
    HoldRow(name: "no deadline: two for each of two detectors, and two more", late: .wait, frames: 6),
    HoldRow(name: "a file with a short deadline holds at least one", frames: 1),
    HoldRow(name: "a file with a deadline of a second", hold: 1, frames: 9),
    HoldRow(name: "real time: room for a burst of 0.2 s, and one", isRealtime: true, frames: 4),
    HoldRow(name: "never longer than 10 s", hold: 100, frames: 99),
  ])
  func `the number of frames that wait is bounded by the deadline`(row: HoldRow) throws {
    var configuration = try configuration()
    configuration.late = row.late
    configuration.isRealtime = row.isRealtime
    configuration.hold = row.hold
    #expect(try plan(configuration).framesHeld == row.frames)
  }

  @Test(
    arguments: [
      ("the whole clip", nil, nil, 10), ("from its middle on", 0.5, nil, 5), ("its first part", nil, 0.3, 3),
      ("a part", 0.8, 5, 2), ("nothing of it", 5, nil, 0),
    ] as [(String, Double?, Double?, Int)])
  func `the expected number of frames follows from the trimmed duration`(
    name: String, start: Double?, duration: Double?, expected: Int
  ) throws {
    var configuration = try configuration()
    (configuration.start, configuration.duration) = (start, duration)
    #expect(try plan(configuration).expectedFrames == expected, "\(name)")
  }

  @Test func `a plan that contradicts the input is refused`() throws {
    var configuration = try configuration()
    configuration.detectEvery = .auto
    let error = #expect(throws: VStreamError.self) { try plan(configuration) }
    #expect(error?.setting == .detectEvery)
  }
}
