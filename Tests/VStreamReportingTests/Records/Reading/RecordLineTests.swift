import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamReporting

/// Lines of records beside the frames, read back.
struct RecordedLineTests {
  private func records(_ lines: [String]) throws -> [RecordReader.Record] {
    let folder = try TemporaryFolder()
    let path = try folder.write("r.jsonl", ([jsonLine(RecordScene.header)] + lines).map { $0 + "\n" }.joined())
    var reader = try RecordReader(path: path, labels: ["person"])
    var records: [RecordReader.Record] = []
    while let record = try reader.nextRecord() { records.append(record) }
    return records
  }

  private static let frame = #"{"type":"frame","frame":3,"pts":0.12,"ticks":120,"source":"detected","objects":[]"#

  @Test func `frames, events and counts come in the order of their lines`() throws {
    let read = try records([
      Self.frame + #","zones":{"b":{"person":2},"a":{}},"lines":{"gate":{"toRight":{"person":1},"toLeft":{}}}}"#,
      #"{"type":"event","event":"confirm","id":4,"label":"person","pts":0.08}"#,
      #"{"type":"counts","zones":{"a":{"entered":{"person":5},"dwellSeconds":{"person":2.5},"longestDwellSeconds":{"person":1.5}}}}"#,
      #"{"type":"summary","framesIn":1}"#,
    ])
    try #require(read.count == 3)
    guard case .frame(let frame) = read[0], case .counts(let counts) = read[2] else {
      Issue.record("\(read)")
      return
    }
    #expect(frame.index == 3 && frame.annotations.frame == 3 && frame.time.ticks == 120)
    #expect(frame.counts?.zones.map(\.name) == ["a", "b"])
    #expect(frame.counts?.zones.map(\.inside) == [[:], ["person": 2]])
    #expect(frame.counts?.lines.first?.toRight == ["person": 1])
    #expect(read[1] == .event(TrackEvent(kind: .confirm, id: 4, classIndex: 0, label: "person", time: 0.08)))
    #expect(counts.zones.first?.entered == ["person": 5] && counts.zones.first?.longestDwellSeconds == ["person": 1.5])
    #expect(counts.lines.isEmpty)
  }

  @Test func `a class called as a member of the total is counted`() throws {
    let read = try records([Self.frame + #","zones":{"a":{"entered":2}}}"#])
    guard case .frame(let frame)? = read.first else {
      Issue.record("\(read)")
      return
    }
    #expect(frame.counts?.zones.first?.inside == ["entered": 2])
  }

  @Test func `types and events that a later version adds are skipped`() throws {
    let read = try records([
      #"{"type":"weather","sky":"grey"}"#, #"{"type":"event","event":"slept","id":1,"label":"person","pts":0}"#,
      Self.frame + "}",
    ])
    #expect(read.count == 1)
  }

  @Test(arguments: [
    (#"{"type":"event","event":"confirm","label":"person","pts":0}"#, "id is missing"),
    (#"{"type":"event","event":"confirm","id":1,"label":"person","pts":"soon"}"#, "pts is not a number"),
    (#"{"type":"counts","zones":{"a":7}}"#, "zones.a is not an object"),
    (frame + #","lines":{"gate":{"toRight":{}}}}"#, "lines.gate.toLeft is missing"),
    (#"{"type":"frame","frame":1.5,"ticks":0,"source":"detected"}"#, "frame is not a whole number"),
    (#"{"type":"frame","frame":1,"ticks":1e30,"source":"detected"}"#, "ticks is not a whole number"),
  ])
  func `a damaged line is an error that names the member`(line: String, problem: String) {
    let error = #expect(throws: VStreamError.self) { try records([line]) }
    #expect(
      error?.message.hasSuffix("line 2 of '\(error?.subject ?? "")' is damaged: \(problem)") == true,
      "\(String(describing: error))")
    #expect(error?.remedy == "correct it, or record it again")
  }
}

/// Members of JSON objects that are repeated: a reader takes one of them, and not always the same.
struct JSONMembersTests {
  @Test(
    arguments: [
      (#"{"a":1,"b":2}"#, nil), (#"{"a":1,"a":2}"#, "a"), (#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, nil),
      (#"{"d":{"f":[]},"e":0,"d":{}}"#, "d"), (#"{"d":[{"f":[],"f":[1]}]}"#, "f"),
      (##"{"faces":[],"f\u0061ces":[1]}"##, "faces"), (#"{"a":"a","b":"a,\"a\":"}"#, nil), (#"["a","a"]"#, nil),
      ("", nil), (#"{"a"#, nil), (#"{"a\"#, nil), ("}]}", nil),
    ] as [(String, String?)])
  func `two members of one name are recognised`(text: String, repeated: String?) {
    #expect(JSONMembers.repeated(in: Array(text.utf8)[...]) == repeated)
  }
}
