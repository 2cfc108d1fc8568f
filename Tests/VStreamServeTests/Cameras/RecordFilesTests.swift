import Foundation
import Testing
import VStreamCore
import VStreamReporting
import VStreamTestSupport

@testable import VStreamServe

/// The files of a camera's records.
struct RecordFilesTests {
  private static let header = RecordHeader(
    inputName: "front", size: PixelSize(width: 64, height: 48), rotation: 0, timeBase: .milliseconds, frameRate: nil,
    options: [])

  private static func record(_ frame: Int) -> FrameRecord {
    FrameRecord(
      FrameAnnotations(
        frame: frame, time: Time(ticks: Int64(frame), base: .milliseconds),
        source: frame % 2 == 0 ? .detected : .predicted))
  }

  private static func types(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
      try JSONValue(json: $0)["type"]?.text ?? ""
    }
  }

  @Test func `each day has a file, whole by itself`() throws {
    let folder = try TemporaryFolder()
    var files = RecordFiles(folder.file("a/b/{camera}-{date}.jsonl"), camera: "front")
    files.begin(Self.header)
    for (frame, date) in [(0, "2026-01-01"), (1, "2026-01-01"), (2, "2026-01-02")] {
      try files.write(Self.record(frame), on: date, at: Double(frame))
    }
    try files.finish()
    #expect(
      try Self.types(folder.file("a/b/front-2026-01-01.jsonl")) == ["header", "frame", "frame", "summary"])
    #expect(try Self.types(folder.file("a/b/front-2026-01-02.jsonl")) == ["header", "frame", "summary"])
  }

  @Test func `no file is replaced`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("r.jsonl", "mine\n")
    for _ in 0..<2 {
      var files = RecordFiles(folder.file("r.jsonl"), camera: "front")
      files.begin(Self.header)
      try files.write(Self.record(0), on: "2026-01-01", at: 0)
      try files.finish()
    }
    #expect(folder.names == ["r-2.jsonl", "r-3.jsonl", "r.jsonl"])
    #expect(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8) == "mine\n")
  }

  @Test func `what is recorded can be read after a second`() throws {
    let folder = try TemporaryFolder()
    var files = RecordFiles(folder.file("r.jsonl"), camera: "front")
    files.begin(Self.header)
    for second in 1...3 { try files.write(Self.record(second), on: "2026-01-01", at: Double(2 * second)) }
    #expect(try Self.types(folder.file("r.jsonl")).count == 4)
    try files.finish()
  }

  @Test func `a folder that cannot be made ends the recording, once`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("file", "")
    var files = RecordFiles("\(file)/r.jsonl", camera: "front")
    files.begin(Self.header)
    #expect(throws: VStreamError.self) { try files.write(Self.record(0), on: "2026-01-01", at: 0) }
    try files.write(Self.record(1), on: "2026-01-01", at: 1)
    try files.finish()
  }

  @Test func `without a frame there is no file`() throws {
    let folder = try TemporaryFolder()
    var files = RecordFiles(folder.file("r.jsonl"), camera: "front")
    files.begin(Self.header)
    try files.finish()
    #expect(folder.names.isEmpty)
  }
}
