import Testing
import VStreamCore
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// What is written to the record files, and when.
struct RecorderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let header = RecordHeader(
    inputName: "in.mkv", size: Scripted.size, rotation: 0, timeBase: .milliseconds, frameRate: nil, options: [])
  private static let exit = TrackEvent(kind: .exit, id: 3, classIndex: 0, label: "person", time: 0.04)

  private func recorder(_ names: [String], detections: Bool = false, events: Bool = false) -> Recorder {
    Recorder(paths: names.map(folder.file), recordsDetections: detections, recordsEvents: events, overwrites: true)
  }

  private func lines(_ name: String = "r.jsonl") throws -> [String] {
    try String(contentsOfFile: folder.file(name), encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Writes one frame with an event and a detection.
  private func write(with recorder: inout Recorder, _ resolution: ResolvedDetections?) throws {
    var record = FrameRecord(
      FrameAnnotations(
        frame: 0, time: Scripted.time(0), source: .detected,
        found: Detections(objects: [Scripted.object("person", id: 3)])))
    record.events = [Self.exit]
    try recorder.write(record, resolution)
  }

  @Test func `files are created before the first frame, and not without one`() throws {
    var recorder = recorder(["r.jsonl"])
    #expect(!recorder.hasStarted)
    try recorder.finishFrames([Self.exit], nil)
    try recorder.finish(RunCounts())
    #expect(folder.names == [])
    try recorder.start(Self.header)
    #expect(recorder.hasStarted && folder.names == ["r.jsonl"])
  }

  struct NameRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let isComplete: Bool
    var existing: String?
    var overwrites = true
    let names: [String]
    var fails = false
  }

  @Test(arguments: [
    NameRow(testDescription: "complete", isComplete: true, names: ["r.csv", "r.jsonl"]),
    NameRow(testDescription: "stopped", isComplete: false, names: ["r.csv.part", "r.jsonl.part"]),
    NameRow(
      testDescription: "a file of that name is replaced", isComplete: true, existing: "r.jsonl",
      names: ["r.csv", "r.jsonl"]),
    NameRow(
      testDescription: "a file of that name is kept", isComplete: true, existing: "r.csv", overwrites: false,
      names: ["r.csv", "r.csv.part", "r.jsonl"], fails: true),
  ])
  func `the records of a part have their names when they are complete`(row: NameRow) throws {
    if let existing = row.existing { _ = try folder.write(existing, "old") }
    var recorder = Recorder(
      paths: ["r.jsonl", "r.csv"].map(folder.file), recordsDetections: false, recordsEvents: false,
      overwrites: row.overwrites, namesCompleteFiles: true)
    try recorder.start(Self.header)
    try write(with: &recorder, nil)
    #expect(Set(folder.names).isSuperset(of: ["r.csv.part", "r.jsonl.part"]))
    if row.fails {
      let error = #expect(throws: VStreamError.self) { try recorder.finish(RunCounts(), isComplete: row.isComplete) }
      #expect(error?.message.contains("cannot be renamed") == true)
    } else {
      try recorder.finish(RunCounts(), isComplete: row.isComplete)
    }
    #expect(folder.names == row.names)
    if let existing = row.existing {
      #expect(try (String(contentsOfFile: folder.file(existing), encoding: .utf8) == "old") == row.fails)
    }
  }

  @Test func `nothing is created before the output is open, and nothing is lost`() throws {
    var isOpen = false
    var recorder = Recorder(
      paths: [folder.file("r.jsonl")], recordsDetections: false, recordsEvents: true, overwrites: true
    ) { isOpen }
    try recorder.start(Self.header)
    try write(with: &recorder, nil)
    try recorder.finishFrames([Self.exit], nil)
    #expect(folder.names == [])
    isOpen = true
    try recorder.finish(RunCounts())
    var early = self.recorder(["early.jsonl"], events: true)
    try early.start(Self.header)
    try write(with: &early, nil)
    try early.finishFrames([Self.exit], nil)
    try early.finish(RunCounts())
    #expect(try lines() == lines("early.jsonl"))
  }

  @Test func `a run whose output cannot be created leaves earlier records`() throws {
    _ = try folder.write("r.jsonl", "mine\n")
    var recorder = Recorder(
      paths: [folder.file("r.jsonl")], recordsDetections: false, recordsEvents: false, overwrites: true
    ) { false }
    try recorder.start(Self.header)
    try write(with: &recorder, nil)
    try recorder.finish(RunCounts())
    #expect(try lines() == ["mine"])
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    var detections = false
    var events = false
    var isReplayed = false
    let hasDetections: Bool
    /// The number of exits: one with the frame, one after the last frame.
    let exits: Int
    var testDescription: String { name }
  }

  @Test(arguments: [
    Row(name: "annotations alone", hasDetections: false, exits: 0),
    Row(name: "with detections", detections: true, hasDetections: true, exits: 0),
    Row(name: "with events", events: true, hasDetections: false, exits: 2),
    Row(name: "with both", detections: true, events: true, hasDetections: true, exits: 2),
    Row(
      name: "replayed annotations are not detections", detections: true, isReplayed: true, hasDetections: false,
      exits: 0),
  ])
  func `detections and events are recorded on request`(row: Row) throws {
    var recorder = recorder(["r.jsonl"], detections: row.detections, events: row.events)
    try recorder.start(Self.header)
    let found = Detections(objects: [Scripted.object()])
    try write(with: &recorder, ResolvedDetections(found: found, recordedSource: row.isReplayed ? .detected : nil))
    try recorder.finishFrames([Self.exit], nil)
    try recorder.finish(RunCounts())
    let lines = try lines()
    let frame = try #require(lines.first { $0.contains(#""type":"frame""#) })
    #expect(frame.contains(#""detections""#) == row.hasDetections)
    #expect(lines.filter { $0.contains(#""exit""#) }.count == row.exits)
  }

  @Test func `all files get every frame, and end with the counts of the run`() throws {
    var recorder = recorder(["r.jsonl", "s.jsonl"])
    try recorder.start(Self.header)
    try write(with: &recorder, nil)
    var counts = RunCounts()
    counts.framesDropped = 17
    try recorder.finish(counts)
    let lines = try lines("r.jsonl")
    #expect(try self.lines("s.jsonl") == lines)
    #expect(lines.count == 3 && lines.last?.contains(#""framesDropped":17"#) == true)
  }

  @Test func `the final counts of zones follow the frames`() throws {
    var recorder = recorder(["r.jsonl"])
    try recorder.start(Self.header)
    try write(with: &recorder, nil)
    var zone = RegionCounts.InZone(name: "door")
    zone.entered = ["person": 4]
    try recorder.finishFrames([], RegionCounts(zones: [zone], lines: []))
    try recorder.finish(RunCounts())
    let lines = try lines()
    let last = try #require(lines.lastIndex { $0.contains(#""type":"frame""#) })
    #expect(lines[last...].dropFirst().contains { $0.contains("door") && $0.contains("4") })
  }

  @Test(arguments: [("r.unknown", VStreamError.Code.usage), ("none/r.jsonl", .cannotCreateOutput)])
  func `a file that cannot be created is an error before the first frame`(name: String, code: VStreamError.Code) {
    var recorder = recorder([name])
    let error = #expect(throws: VStreamError.self) { try recorder.start(Self.header) }
    #expect(error?.code == code)
  }
}
