import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamReporting

/// What a reader knows of the run that wrote its records.
struct HeaderOptionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func reader(_ options: String, after: String = "") throws -> RecordReader {
    let input = #"{"name":"a.mp4","width":8,"height":8,"timeBase":"1/10"}"#
    let path = try folder.write(
      "r.jsonl", #"{"type":"header","version":1,"input":\#(input),"options":{\#(options)}}"# + "\n" + after)
    return try RecordReader(path: path, labels: [])
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let recorded: String
    let others: [(name: String, value: RecordHeader.OptionValue)]
    let differing: [String]
  }

  static let rows = [
    Row(testDescription: "none", recorded: "", others: [], differing: []),
    Row(
      testDescription: "the same of every type",
      recorded: #""a":"x","b":1.5,"c":3,"d":["p","q"],"e":true"#,
      others: [
        ("a", .text("x")), ("b", .number(1.5)), ("c", .integer(3)), ("d", .list(["p", "q"])), ("e", .flag(true)),
      ], differing: []),
    Row(
      testDescription: "in another order", recorded: #""b":1,"a":2"#, others: [("a", .integer(2)), ("b", .integer(1))],
      differing: []),
    Row(
      testDescription: "numbers are rounded alike", recorded: #""a":0.333333"#, others: [("a", .number(1.0 / 3))],
      differing: []),
    Row(
      testDescription: "other values", recorded: #""a":1,"b":["x"],"c":true"#,
      others: [("a", .integer(2)), ("b", .list(["y"])), ("c", .flag(true))], differing: ["a", "b"]),
    Row(
      testDescription: "missing on either side", recorded: #""a":1"#, others: [("b", .integer(1))],
      differing: ["a", "b"]),
  ]

  @Test(arguments: rows)
  func `options that differ are named`(row: Row) throws {
    #expect(try reader(row.recorded).options(differingFrom: row.others) == row.differing)
  }

  @Test func `only options that affect tracks decide whether tracks are the same`() throws {
    let reader = try reader(#""lostAfter":1,"passes":2"#)
    #expect(reader.tracks(as: [("lostAfter", .number(1)), ("passes", .number(9))]))
    #expect(!reader.tracks(as: [("lostAfter", .number(2)), ("passes", .number(2))]))
    #expect(!reader.tracks(as: []))
  }

  struct Summary: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let lines: String
    let damaged: Int?
  }

  static let summaries = [
    Summary(testDescription: "none", lines: "", damaged: nil),
    Summary(testDescription: "one", lines: #"{"type":"summary","corruptPackets":4}"# + "\n", damaged: 4),
    Summary(testDescription: "without a count", lines: #"{"type":"summary"}"# + "\n", damaged: nil),
    Summary(testDescription: "cut off", lines: #"{"type":"summary","corru"#, damaged: nil),
  ]

  @Test(arguments: summaries)
  func `damaged packets are known at the end`(row: Summary) throws {
    var reader = try reader("", after: row.lines)
    #expect(reader.corruptPackets == nil)
    #expect(try reader.next() == nil)
    #expect(reader.corruptPackets == row.damaged)
  }
}

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
