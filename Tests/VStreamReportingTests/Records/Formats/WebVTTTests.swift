import Testing
import VStreamCore

@testable import VStreamReporting

struct WebVTTTests {
  @Test func `the scene has a cue of JSON for each frame, until the next frame`() throws {
    let lines = try RecordScene.text(".jsonl").split(separator: "\n").map(String.init)
    #expect(
      try RecordScene.text(".vtt") == """
        WEBVTT

        00:00:00.000 --> 00:00:00.040
        \(lines[1].replacing("-->", with: "--\\u003e"))

        00:00:00.040 --> 00:59:59.980
        \(lines[2])

        00:59:59.980 --> 01:00:00.020
        \(lines[3])

        """)
  }

  @Test func `an arrow with a combining mark does not end a cue`() throws {
    let object = DetectedObject(
      classIndex: 0, label: "a --\u{3E}\u{338} b", score: 0.5, box: Box(x: 0, y: 0, width: 1, height: 1))
    let frame = RecordScene.frame(0, ticks: 0, .detected, Detections(objects: [object]))
    let text = try RecordScene.text(".vtt", [FrameRecord(frame)])
    let cue = try #require(text.split(separator: "\n").dropFirst(2).first)
    #expect(cue.unicodeScalars.contains("\u{338}") && !cue.utf8.contains(UInt8(ascii: ">")))
  }

  @Test func `a run without frames has the file's signature`() throws {
    #expect(try RecordScene.text(".vtt", []) == "WEBVTT\n")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let ticks: [Int64]
    var rate: Rational? = Rational(25, 1)
    let cues: [String]
    var testDescription: String { name }
  }

  static let rows = [
    Row(
      name: "two frames at one time: the shortest cue", ticks: [40, 40],
      cues: ["00:00:00.040 --> 00:00:00.041", "00:00:00.040 --> 00:00:00.080"]),
    Row(name: "a time before zero", ticks: [-80], cues: ["00:00:00.000 --> 00:00:00.040"]),
    Row(name: "more than 100 hours", ticks: [360_000_000], cues: ["100:00:00.000 --> 100:00:00.040"]),
    Row(name: "an unknown frame rate: 40 ms", ticks: [0], rate: nil, cues: ["00:00:00.000 --> 00:00:00.040"]),
    Row(name: "half a frame per second", ticks: [0], rate: Rational(1, 2), cues: ["00:00:00.000 --> 00:00:02.000"]),
  ]

  @Test(arguments: rows) func `cues have valid times`(_ row: Row) throws {
    var header = RecordScene.header
    header.frameRate = row.rate
    let frames = row.ticks.enumerated().map { index, ticks in
      FrameRecord(RecordScene.frame(index, ticks: ticks, .detected, Detections()))
    }
    let text = try RecordScene.text(".vtt", header: header, frames)
    #expect(text.split(separator: "\n").filter { $0.contains("-->") }.map(String.init) == row.cues)
  }

  @Test func `events and counts, which the format cannot hold, are omitted`() throws {
    let exit = TrackEvent(kind: .exit, id: 7, classIndex: 2, label: "car", time: 1)
    #expect(
      try RecordScene.text(".vtt", [], events: [exit], counts: RegionCounts(zones: [], lines: [])) == "WEBVTT\n")
  }
}
