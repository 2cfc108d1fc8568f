import Foundation
import Testing
import VStreamReporting
import VStreamTestSupport

/// The JSON Schema of records, against the records of every form of run.
struct SchemaTests {
  private let folder: TemporaryFolder
  private let schema: JSONSchema

  init() throws {
    folder = try TemporaryFolder()
    schema = try JSONSchema(Program.vstream(["schema"]).text)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let words: String
    /// Members that the records have to have, so that the row tests what it says.
    let members: [String]
    /// A run that writes `earlier.jsonl`, which is replayed.
    var earlier: String?
    var testDescription: String { name }
  }

  private static let street = "street.avi -o null --duration 0.8 --records r.jsonl"
  private static let face = "face.mp4 -o null --duration 0.3 --detect faces --records r.jsonl"
  private static let counted = "--zone door:10%,20%;40%,20%;40%,90% --line gate:0%,50%;100%,50%"

  static let rows = [
    Row(name: "objects and faces", words: street, members: [#""objects":["#, #""faces":["#, #""predicted":true"#]),
    Row(name: "frames without detection", words: "\(street) --detect-every 3", members: [#""source":"predicted""#]),
    Row(
      name: "single images", words: "\(street) --mode single-image --max-objects 3 --classes person,car",
      members: [#""mode":"single-image""#, #""maxObjects":3"#]),
    Row(name: "categories", words: "\(street) --detect objects --categories", members: [#""categoryScore""#]),
    Row(
      name: "events, zones, lines and detections", words: "\(street) --events --record-detections \(counted)",
      members: [
        #""event":"enter""#, #""searched":["#, #""toRight":{"#, #""dwellSeconds""#, #""zones":{"door":[["#,
      ]),
    Row(name: "whole frames in tiles", words: "\(street) --detect-every 2 --accurate", members: [#""accurate":true"#]),
    Row(
      name: "faces with all parts",
      words: "\(face) --face-landmarks --face-contours --face-classification --record-detections",
      members: [#""noseBase""#, #""faceOval""#, #""smiling""#, #""angles""#]),
    Row(
      name: "small faces", words: "\(face) --face-mode accurate --face-search 0.2", members: [#""faceSearch":0.2"#]),
    Row(
      name: "poses", words: "astronaut.png -o null --detect poses --mode stream --records r.jsonl",
      members: [#""poses":["#]),
    Row(name: "a photo", words: "astronaut.png -o out.png --records r.jsonl", members: [#""faces":[{"score""#]),
    Row(name: "nothing", words: "\(street) --detect none", members: [#""detect":[]"#]),
    Row(
      name: "redaction",
      words: "street.avi -o out.mkv --duration 0.8 --redact fill --redact-what person --records r.jsonl",
      members: [#""objects":["#]),
    Row(
      name: "a live run that does not wait",
      words:
        "street.avi -o null --duration 3 --realtime --hold 0 --detect objects --record-detections --records r.jsonl",
      members: [#"{"type":"detections""#]),
    Row(
      name: "a replay of detections", words: "\(street) --from-records earlier.jsonl --events --lost-after 0.3",
      members: [#""lostAfter":0.3"#], earlier: "--record-detections"),
    Row(
      name: "a replay of tracks", words: "\(street) --from-records earlier.jsonl \(counted)",
      members: [#""objects":[{"#], earlier: ""),
  ]

  private func run(_ words: String) throws -> ProgramResult {
    let samples = ["street.avi": Checkout.sample("street.avi"), "face.mp4": Checkout.sample("face.mp4")]
    let paths = samples.merging(["astronaut.png": Checkout.root.appending(path: ".deps/footage/astronaut.png").path]) {
      one, _ in one
    }
    let arguments = words.split(separator: " ").map { paths[String($0)] ?? String($0) }
    return try Program.vstream(arguments, folder: folder.path)
  }

  /// Checks each line of records.
  private func check(_ text: String, _ members: [String]) throws {
    let lines = text.split(separator: "\n")
    #expect(lines.count >= 3)
    for (number, line) in lines.enumerated() {
      let errors = schema.errors(in: try JSONValue(json: line))
      #expect(errors.isEmpty, "line \(number + 1): \(errors.prefix(3)) in \(line.prefix(300))")
    }
    for member in members { #expect(text.contains(member), "\(member) is missing") }
  }

  @Test(arguments: rows)
  func `every line is valid`(row: Row) throws {
    if let earlier = row.earlier {
      let words = "street.avi -o null --duration 0.8 --records earlier.jsonl \(earlier)"
      #expect(try run(words).status == 0)
    }
    let result = try run(row.words)
    try #require(result.status == 0, "\(result.errors)")
    try check(String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8), row.members)
  }

  @Test func `records go to standard output on request, and nothing else does`() throws {
    let result = try run("street.avi -o null --duration 0.5 --records - --records r.jsonl")
    #expect(result.status == 0 && result.errors.contains("5 frames"), "\(result.errors)")
    #expect(try result.text == String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    try check(result.text, [#""type":"summary""#])
  }

  @Test func `a reader of records that leaves ends the run silently, and not a video that is written`() throws {
    func run(_ output: String) throws -> ProgramResult {
      let street = Checkout.sample("street.avi")
      return try Program.run(
        "/bin/bash",
        [
          "-c",
          "set -o pipefail; '\(Program.vstreamPath)' '\(street)' -o \(output) --duration 3 --detect objects --records - | head -n 1",
        ], folder: folder.path)
    }
    let alone = try run("null")
    #expect(alone.status == 0 && alone.errors == "", "\(alone.errors)")
    #expect(alone.text.hasPrefix(#"{"type":"header""#))
    let video = try run("out.mkv")
    #expect(video.status == 0, "\(video.errors)")
    #expect(try Probe(folder.file("out.mkv")).frameTimes().count == 30)
  }

  @Test(arguments: [
    (#"{"type":"frame","frame":-1,"pts":0,"ticks":0,"source":"detected"}"#, ".frame: is below"),
    (#"{"type":"frame","frame":0.5,"pts":0,"ticks":0,"source":"detected"}"#, ".frame: is not"),
    (#"{"type":"frame","frame":0,"pts":0,"ticks":0,"source":"guessed"}"#, ".source: is not one of"),
    (#"{"type":"frame","frame":0,"pts":0,"source":"detected"}"#, "lacks ticks"),
    (#"{"type":"frame","frame":0,"pts":0,"ticks":0,"source":"detected","cats":[]}"#, "unknown member cats"),
    (
      #"{"type":"frame","frame":0,"pts":0,"ticks":0,"source":"detected","objects":[{"label":"a","score":1.5,"box":[0,0,1]}]}"#,
      ".objects[0].score: is above"
    ),
    (#"{"type":"event","event":"left","id":1,"label":"a","pts":0}"#, ".event: is not one of"),
    (#"{"type":"other"}"#, ".type: is not"),
  ])
  func `what is no record is not valid`(line: String, expected: String) throws {
    let errors = schema.errors(in: try JSONValue(json: line))
    #expect(errors.contains { $0.contains(expected) }, "\(errors)")
  }

  @Test func `the documentation describes every member`() throws {
    let pages = try ["records", "faces", "poses"].map { page in
      try String(contentsOf: Checkout.root.appending(path: "docs/\(page).md"), encoding: .utf8)
    }.joined()
    let missing = schema.propertyNames.filter { !pages.contains("`\($0)`") }
    #expect(missing.isEmpty, "\(missing.sorted())")
  }
}
