import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

@testable import VStreamPipeline

/// What is left of an output, and of a run, whose writer ends or fails.
struct WriterThreadTests {
  private let folder: TemporaryFolder
  private let clip: String
  private let clock = ManualClock()
  private let state: RunState

  init() throws {
    folder = try TemporaryFolder()
    clip = try Scripted.clip(in: folder)
    state = RunState(clock: clock)
  }

  private func destination(_ name: String, format: String? = nil) throws -> OutputDestination {
    try OutputDestination(name.hasPrefix("/") ? name : folder.file(name), format: format, overwrite: true)
  }

  /// Runs a writer on the items to its end.
  @discardableResult
  private func write(
    _ items: [StreamItem], to destination: OutputDestination?, warmUpFrames: Int = 0
  ) throws -> (channel: Channel<StreamItem>, report: WriterReport) {
    var configuration = PipelineConfiguration(input: MediaInput(clip), fontPath: "", threads: 1)
    configuration.warmUpFrames = warmUpFrames
    if let destination {
      configuration.output = PipelineOutput(
        destination: destination, codec: try VideoCodec(encoder: "ffv1"), encoder: EncoderSettings(codec: "ffv1"))
    }
    let media = try MediaReader(MediaInput(clip))
    let channel = Channel<StreamItem>(capacity: 1000)
    for item in items { #expect(channel.send(item)) }
    channel.finish()
    var writer = WriterThread(
      configuration: configuration, container: media.container, stream: media.video,
      copied: media.streams.filter { $0.kind == .audio }, state: state, isLive: false, input: channel)
    return (channel, writer.run())
  }

  private func frames(_ indices: [Int]) throws -> [StreamItem] {
    try indices.map { .frame(try Scripted.annotated($0)) }
  }

  @Test func `frames are counted by the source of their annotations`() throws {
    clock.advance(to: 7)
    let report = try write(
      [
        .frame(try Scripted.annotated(0)), .frame(try Scripted.annotated(1, source: .predicted)),
        .frame(try Scripted.annotated(2, source: .predicted, isLate: true)),
      ], to: nil, warmUpFrames: 2
    ).report
    let contents = state.contents.read { $0 }
    #expect(contents.counts.framesOut == 3 && contents.counts.framesDetected == 1)
    #expect(contents.counts.framesPredicted == 2 && contents.counts.framesLateForDetector == 1)
    #expect(report.firstFrameAt == 7 && report.warm?.seconds == 7)
    #expect(contents.error == nil)
  }

  @Test func `packets that come before the first frame are in the output`() throws {
    let audio = try Scripted.copiedPackets(of: clip).filter { $0.streamIndex == 1 }
    let items = audio.map { StreamItem.copy($0) } + (try frames([0, 1, 2]))
    try write(items, to: try destination("out.mkv"))
    #expect(state.contents.read { $0.error } == nil)
    let output = try Probe(folder.file("out.mkv"))
    #expect(try output.packets("a:0").count == audio.count)
    #expect(try output.packets("v:0").count == 3)
  }

  @Test func `without a frame no output is created`() throws {
    try write(try Scripted.copiedPackets(of: clip).map { .copy($0) }, to: try destination("out.mkv"))
    #expect(!folder.names.contains { $0.hasPrefix("out") })
  }

  struct FailureRow: CustomTestStringConvertible, Sendable {
    let name: String
    let output: String
    var format: String?
    /// Indices of the frames, 40 ms each; those of the input follow by 100 ms.
    let frames: [Int]
    let code: VStreamError.Code
    let framesOut: Int
    var testDescription: String { name }
  }

  @Test(arguments: [
    FailureRow(
      name: "a folder that was removed", output: "gone/out.mkv", frames: [0], code: .cannotCreateOutput, framesOut: 0),
    FailureRow(
      name: "a frame rate that varies in AVI", output: "out.avi", frames: [0, 1], code: .usage, framesOut: 1),
  ])
  func `a writer that fails ends the run, and leaves no file`(row: FailureRow) throws {
    try FileManager.default.createDirectory(atPath: folder.file("gone"), withIntermediateDirectories: true)
    let destination = try destination(row.output, format: row.format)
    try FileManager.default.removeItem(atPath: folder.file("gone"))
    let channel = try write(frames(row.frames + [50, 51]), to: destination).channel
    #expect(state.contents.read { $0.error?.code } == row.code)
    #expect(state.contents.read { $0.counts.framesOut } == row.framesOut)
    #expect(state.isStopping)
    let next = try Scripted.annotated(9)
    #expect(channel.receive() == nil && !channel.send(.frame(next)), "senders end as well")
    #expect(folder.names == ["clip.mkv", "in.srt"])
  }

  @Test func `a full device is an error of writing`() throws {
    try write(frames(Array(0..<40)), to: try destination("/dev/full", format: "matroska"))
    #expect(state.contents.read { $0.error?.code } == .inputOutput)
  }

  @Test(arguments: [("limited", true, 10_001), ("all of them", false, 20_001)])
  func `the packets before the first frame are limited where some may be lost`(
    name: String, isLimited: Bool, expected: Int
  ) throws {
    let packet = try #require(try Scripted.copiedPackets(of: clip).first)
    var early = EarlyPackets(isLimited: isLimited)
    for _ in 0..<20_001 { early.append(packet) }
    #expect(early.takeAll().count == expected, "\(name)")
    #expect(early.takeAll().isEmpty)
  }

  @Test(arguments: [
    ("a first frame after zero", 0.0, 2, 0.0), ("a first frame before zero", 0, -2, -0.08),
    ("a trimmed input", 0.04, 2, 0.04), ("a trimmed input, a first frame before the cut", 0.08, 1, 0.04),
    ("a cut between two frames", 0.06, 2, 0.06),
  ])
  func `times are shifted so that the first frame is not before zero`(
    name: String, skip: Double, first: Int, expected: Double
  ) throws {
    let media = try MediaReader(MediaInput(clip))
    let context = SinkContext(
      output: PipelineOutput(
        destination: try destination("out.mkv"), codec: try VideoCodec(encoder: "ffv1"),
        encoder: EncoderSettings(codec: "ffv1")),
      container: media.container, video: media.video, copied: [],
      trim: Trim(first: 0, skip: skip, duration: nil), isTrimmed: false,
      monitor: SinkMonitor(state: state, timer: StageTimer(), isLive: false, isWatched: false))
    #expect(abs(context.shift(firstFrame: Scripted.time(first)) - expected) < 1e-9, "\(name)")
  }
}
