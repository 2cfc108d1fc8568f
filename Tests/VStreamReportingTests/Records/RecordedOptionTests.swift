import Testing
import VStreamTestSupport

@testable import VStreamReporting

/// Whether a run tracks as the one that was recorded.
struct RecordedOptionTests {
  typealias Options = [(name: String, value: RecordHeader.OptionValue)]

  private static let recorded: Options = [
    ("detect", .list(["objects"])), ("minScore", .number(0.5)), ("maxObjects", .integer(3)),
    ("classes", .list(["car"])), ("lostAfter", .number(1)), ("events", .flag(true)),
  ]

  private func tracksAlike(_ options: Options) throws -> Bool {
    var header = RecordScene.header
    header.options = Self.recorded
    let folder = try TemporaryFolder()
    let path = try folder.write("r.jsonl", RecordScene.text(".jsonl", header: header, []))
    return try RecordReader(path: path, labels: []).tracks(as: options)
  }

  @Test func `the same options do, whatever else is written or drawn`() throws {
    #expect(try tracksAlike(Self.recorded))
    #expect(try tracksAlike(Self.recorded.filter { $0.name != "events" && $0.name != "detect" }))
    #expect(try tracksAlike(Self.recorded + [("recordDetections", .flag(true))]))
  }

  @Test(arguments: [
    ("minScore", RecordHeader.OptionValue.number(0.6)), ("maxObjects", .integer(4)),
    ("classes", .list(["car", "bus"])),
    ("lostAfter", .number(0.5)), ("confirmAfter", .integer(1)), ("mode", .text("stream")),
  ])
  func `another tracking option does not`(name: String, value: RecordHeader.OptionValue) throws {
    #expect(try !tracksAlike(Self.recorded.filter { $0.name != name } + [(name, value)]))
  }
}
