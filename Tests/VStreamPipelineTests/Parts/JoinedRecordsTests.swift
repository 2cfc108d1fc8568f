import Foundation
import Testing
import VStreamCore
import VStreamDetection
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// The reader of a run that joins the records of parts: which frames it sends, and which records it refuses.
struct JoinedRecordsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The lines of a part's records.
  struct Part: Sendable {
    var options = #""detect":["objects"],"lostAfter":1,"recordDetections":true"#
    var size = (64, 48)
    var rotation = 0
    /// Ticks of its frames.
    var ticks: [Int]
    /// Their shots; empty for the first.
    var shots: [Int] = []
    /// The label of the object that each frame shows.
    var label = "person"
    var summary: String? = #"{"type":"summary","framesIn":0,"corruptPackets":0}"#
    /// Whether detectors ran on its frames.
    var isDetected = true

    var text: String {
      let header =
        #"{"type":"header","version":1,"input":{"name":"in.mkv","width":\#(size.0),"height":\#(size.1),"#
        + #""rotation":\#(rotation),"timeBase":"1/10"},"options":{\#(options)}}"#
      let frames = ticks.enumerated().map { index, ticks in
        let object = #"{"label":"\#(label)","score":0.75,"box":[1.5,2,10,20]}"#
        let detections = isDetected ? #","detections":{"objects":[\#(object)],"searched":[]}"# : ""
        let shot = shots.isEmpty || shots[index] == 0 ? "" : #","shot":\#(shots[index])"#
        return
          #"{"type":"frame","frame":\#(index),"ticks":\#(ticks),"source":"predicted"\#(shot),"objects":[]\#(detections)}"#
      }
      return ([header] + frames + [summary].compactMap(\.self)).joined(separator: "\n") + "\n"
    }
  }

  private func paths(_ parts: [Part]) throws -> [String] {
    try parts.enumerated().map { number, part in try folder.write("part-\(number).jsonl", part.text) }
  }

  private func configuration() -> PipelineConfiguration {
    var configuration = PipelineConfiguration(input: MediaInput("in.mkv"), fontPath: "", threads: 1)
    configuration.recordOptions = [("detect", .list(["objects"])), ("lostAfter", .number(1)), ("events", .flag(true))]
    return configuration
  }

  /// Joins parts.
  ///
  /// - Returns: the frames that were sent, and the run's state.
  private func join(_ parts: [Part]) throws -> (frames: [FrameJob], state: RunState) {
    let state = RunState()
    let output = Channel<StreamItem>(capacity: 1000 * Weight.frame)
    var joined = JoinedRecords(try paths(parts), configuration: configuration(), state: state, output: output)
    joined.run()
    var frames: [FrameJob] = []
    while let item = output.receive() {
      if case .frame(let frame) = item { frames.append(frame) }
    }
    return (frames, state)
  }

  @Test func `frames of all parts are sent in their order, with their detections`() throws {
    let (frames, state) = try join([Part(ticks: [0, 1, 5]), Part(ticks: [300, 301])])
    #expect(state.contents.read { $0.error } == nil)
    #expect(frames.map(\.record.annotations.frame) == [0, 1, 2, 3, 4])
    #expect(frames.map(\.frame.time.ticks) == [0, 1, 5, 300, 301])
    #expect(frames.allSatisfy { $0.frame.size == PixelSize(width: 64, height: 48) })
    #expect(state.contents.read { $0.counts.framesIn } == 5)
    for frame in frames {
      guard case .found(let found)? = frame.detection.results.first?.outcome else {
        Issue.record("no detections")
        continue
      }
      #expect(found.objects?.map(\.label) == ["person"])
      #expect(found.objects?.first?.box == Box(x: 1.5, y: 2, width: 10, height: 20))
      #expect(found.objectSearch?.regions.isEmpty == true)
    }
  }

  @Test func `shots are numbered through all parts: each begins in the shot in which the one before ends`() throws {
    let parts = [Part(ticks: [0, 1, 2, 3], shots: [0, 1, 2, 1]), Part(ticks: [300, 301, 302], shots: [0, 1, 0])]
    let (frames, _) = try join(parts)
    #expect(frames.map(\.frame.shot) == [0, 1, 2, 1, 1, 3, 1])
    let found = frames.map { frame -> Int? in
      guard case .found(let found)? = frame.detection.results.first?.outcome else { return nil }
      return found.shot
    }
    #expect(found == frames.map(\.frame.shot))
  }

  @Test func `a frame without detections is sent without`() throws {
    var part = Part(ticks: [0, 1])
    part.isDetected = false
    let (frames, _) = try join([part])
    #expect(frames.count == 2)
    #expect(frames.allSatisfy { $0.detection.results.isEmpty })
  }

  @Test func `damage of all parts is counted`() throws {
    var parts = [Part(ticks: [0]), Part(ticks: [300]), Part(ticks: [600])]
    parts[0].summary = #"{"type":"summary","corruptPackets":3}"#
    parts[2].summary = #"{"type":"summary","corruptPackets":4}"#
    #expect(try join(parts).state.contents.read { $0.counts.corruptPackets } == 7)
  }

  @Test func `classes have the same numbers in all parts`() throws {
    var parts = [Part(ticks: [0]), Part(ticks: [300]), Part(ticks: [600]), Part(ticks: [900])]
    for (index, label) in ["zebra crossing", "helmet", "zebra crossing", "car"].enumerated() {
      parts[index].label = label
    }
    let (frames, _) = try join(parts)
    let classes = frames.map { frame -> Int? in
      guard case .found(let found)? = frame.detection.results.first?.outcome else { return nil }
      return found.objects?.first?.classIndex
    }
    #expect(classes == [80, 81, 80, 2])
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (inout [Part]) -> Void
    let message: String
  }

  static let rows = [
    Row(
      testDescription: "parts in another order", change: { $0.swapAt(0, 1) },
      message: "part-1.jsonl' does not follow the part before it"),
    Row(
      testDescription: "the same part twice", change: { $0[1] = $0[0] },
      message: "part-1.jsonl' does not follow the part before it"),
    Row(
      testDescription: "a part that was cut off", change: { $0[1].summary = nil },
      message: "part-1.jsonl' is incomplete: its last line is missing"),
    Row(
      testDescription: "no detections",
      change: { $0[0].options = #""detect":["objects"],"lostAfter":1"# }, message: "part-0.jsonl' holds no detections"),
    Row(
      testDescription: "another value",
      change: { $0[1].options = #""detect":["objects"],"lostAfter":2,"recordDetections":true"# },
      message: "part-1.jsonl' was detected with another value of 'lostAfter' than this run has"),
    Row(
      testDescription: "an option that the run does not have",
      change: { $0[1].options += #","classes":["car"]"# },
      message: "part-1.jsonl' was detected with another value of 'classes' than this run has"),
    Row(
      testDescription: "another size", change: { $0[1].size = (32, 24) },
      message: "part-1.jsonl' has frames of 32×24, and those of the first part are 64×48"),
    Row(
      testDescription: "another rotation", change: { $0[1].rotation = 90 },
      message: "part-1.jsonl' has frames of 64×48, and those of the first part are 64×48"),
  ]

  @Test(arguments: rows)
  func `records that do not belong together are an error`(row: Row) throws {
    var parts = [Part(ticks: [0, 1]), Part(ticks: [300, 301])]
    row.change(&parts)
    let error = try join(parts).state.contents.read { $0.error }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains(row.message) == true, "\(error?.message ?? "no error")")
  }

  @Test func `options of later steps may differ`() throws {
    var part = Part(ticks: [0])
    part.options += #","maxObjects":3"#
    #expect(try join([part]).state.contents.read { $0.error } == nil)
  }

  @Test func `a part that is missing is an error`() throws {
    let state = RunState()
    let output = Channel<StreamItem>(capacity: 1000)
    var joined = JoinedRecords(["/nowhere/part"], configuration: configuration(), state: state, output: output)
    joined.run()
    #expect(state.contents.read { $0.error }?.code == .inputNotFound)
    #expect(output.receive() == nil)
  }

  @Test func `nothing more is sent once the annotator has ended`() throws {
    let state = RunState()
    let output = Channel<StreamItem>(capacity: 1000)
    output.cancel()
    var joined = JoinedRecords(
      try paths([Part(ticks: [0, 1]), Part(ticks: [300])]), configuration: configuration(), state: state,
      output: output)
    joined.run()
    #expect(state.contents.read { $0.counts.framesIn } == 1)
    #expect(state.contents.read { $0.error } == nil)
  }

  @Test func `a run that is stopped ends`() throws {
    let state = RunState()
    state.stop()
    let output = Channel<StreamItem>(capacity: 1000)
    var joined = JoinedRecords(
      try paths([Part(ticks: [0, 1])]), configuration: configuration(), state: state, output: output)
    joined.run()
    #expect(output.receive() == nil)
  }
}
