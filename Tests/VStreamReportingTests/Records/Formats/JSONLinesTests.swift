import Foundation
import Testing
import VStreamScene

@testable import VStreamReporting

struct JSONLinesTests {
  @Test func `the scene is a header, a line for each frame, and a summary`() throws {
    let car = #""label":"car","score":0.9124,"box":[-3.46,0.0,30.13,40.0]"#
    let summary =
      #"{"type":"summary","framesIn":0,"framesOut":0,"framesDetected":0,"framesPredicted":0,"#
      + #""framesLateForDetector":0,"framesDropped":0,"framesRepeated":0,"detectorRuns":0,"detectorPasses":0,"corruptPackets":0,"clockSteps":0}"#
    #expect(
      try RecordScene.text(".jsonl") == """
        {"type":"header","version":1,"program":"\(ProgramVersion.name)","input":{"name":"Straße \\"7\\".mp4","width":200,"height":100,"rotation":90,\
        "timeBase":"1/1000","frameRate":"25/1"},"options":{"detect":["objects","faces","poses"],"minScore":0.25}}
        {"type":"frame","frame":0,"pts":0.0,"ticks":0,"source":"detected","objects":[{"id":7,\(car)},\
        {"label":"a \\"b\\", --> c","score":0.5,"box":[190.0,90.0,20.0,20.0]},\
        {"id":12,"label":"日本 ü","score":1.0,"box":[0.0,0.0,200.0,100.0]}],\
        "faces":[{"id":1,"score":0.9813,"box":[10.0,20.0,30.0,40.0],"angles":{"x":-2.1,"y":13.0,"z":0.0}}],\
        "poses":[{"id":2,"score":0.75,"box":[1.0,2.0,3.0,4.0],"landmarks":[\
        {"type":"nose","x":1.5,"y":-2.0,"z":3.0,"inFrameLikelihood":0.9},\
        {"type":"rightAnkle","x":4.0,"y":600.0,"z":-1.0,"inFrameLikelihood":0.2}]}]}
        {"type":"frame","frame":1,"pts":0.04,"ticks":40,"source":"detected","objects":[],"faces":[],"poses":[]}
        {"type":"frame","frame":5000000000,"pts":3599.98,"ticks":3599980,"source":"predicted",\
        "objects":[{"id":7,\(car),"predicted":true}]}
        \(summary)

        """)
  }

  @Test func `late detections come before their frame's line, its events after it`() throws {
    var record = FrameRecord(RecordScene.frame(3, ticks: 120, .detected, Observations(objects: [])))
    record.late = [
      TimedObservations(
        time: Time(ticks: 40, base: .milliseconds),
        found: Observations(objects: [
          DetectedObject(classIndex: 0, label: "person", score: 0.1, box: Box(x: 0.1, y: 1.0 / 3, width: 2, height: 3))
        ]))
    ]
    record.detections = Observations(objects: [])
    record.events = [TrackEvent(kind: .lost, id: 7, classIndex: 2, label: "car", time: 0.12)]
    let exit = TrackEvent(kind: .exit, id: 7, classIndex: 2, label: "car", time: 1.12)
    let lines = try RecordScene.text(".jsonl", [record], events: [exit]).split(separator: "\n")
    let expected: [String] = [
      #"{"type":"detections","pts":0.04,"ticks":40,"objects":[{"label":"person","score":0.1,"#
        + #""box":[0.1,0.3333333333333333,2.0,3.0]}]}"#,
      #"{"type":"frame","frame":3,"pts":0.12,"ticks":120,"source":"detected","objects":[],"#
        + #""detections":{"objects":[]}}"#,
      #"{"type":"event","event":"lost","id":7,"label":"car","pts":0.12}"#,
      #"{"type":"event","event":"exit","id":7,"label":"car","pts":1.12}"#,
    ]
    #expect(lines.dropFirst().dropLast().map(String.init) == expected)
  }

  @Test func `frames and late detections have the numbers of their shots, from the second on`() throws {
    var late = Observations(objects: [])
    late.shot = 1
    var records = (0..<3).map {
      FrameRecord(RecordScene.frame($0, ticks: Int64($0), .detected, Observations(objects: [])))
    }
    (records[1].annotations.shot, records[2].annotations.shot) = (1, 2)
    records[2].late = [TimedObservations(time: Time(ticks: 1, base: .milliseconds), found: late)]
    let lines = try RecordScene.text(".jsonl", records).split(separator: "\n").dropFirst().dropLast()
    let shots = lines.map { $0.firstMatch(of: #/"shot":(\d+)/#)?.1 }
    #expect(shots == [nil, "1", "1", "2"])
  }

  @Test func `zones and lines are in each frame and in the counts of the run`() throws {
    var zone = RegionCounts.InZone(name: "door")
    zone.inside = ["person": 2, "car": 0]
    zone.entered = ["person": 3]
    zone.dwellSeconds = ["person": 1.23456]
    zone.longestDwellSeconds = ["person": 1]
    var line = RegionCounts.AcrossLine(name: "gate")
    line.toRight = ["car": 1]
    let counts = RegionCounts(zones: [zone], lines: [line])
    var record = FrameRecord(RecordScene.frame(0, ticks: 0, .detected, Observations()))
    record.counts = counts
    let lines = try RecordScene.text(".jsonl", [record], counts: counts).split(separator: "\n")
    let current = #""zones":{"door":{"car":0,"person":2}},"lines":{"gate":{"toRight":{"car":1},"toLeft":{}}}}"#
    #expect(lines[1].hasSuffix(current))
    let total: String =
      #"{"type":"counts","zones":{"door":{"entered":{"person":3},"dwellSeconds":{"person":1.235},"#
      + #""longestDwellSeconds":{"person":1.0}}},"lines":{"gate":{"toRight":{"car":1},"toLeft":{}}}}"#
    #expect(lines[2] == total)
  }

  @Test func `the header has the geometry of zones and lines`() throws {
    var header = RecordScene.header
    header.zones = [
      .init(name: "do\"or", points: [Point(x: 0, y: 0), Point(x: 76.8, y: 0), Point(x: 1.0 / 3, y: 115.2)])
    ]
    header.lines = [.init(name: "gate", points: [Point(x: 0, y: 288), Point(x: 768, y: 288)])]
    let text = try RecordScene.text(".jsonl", header: header, []).split(separator: "\n").first ?? ""
    #expect(
      text.contains(
        #","zones":{"do\"or":[[0.0,0.0],[76.8,0.0],[0.33,115.2]]},"lines":{"gate":[[0.0,288.0],[768.0,288.0]]},"options":{"#
      ))
  }

  @Test func `counts without zones or lines omit them`() throws {
    let lines = try RecordScene.text(".jsonl", [], counts: RegionCounts(zones: [], lines: [])).split(separator: "\n")
    #expect(lines[1] == #"{"type":"counts"}"#)
  }

  @Test func `options of every type are in the header`() throws {
    var header = RecordScene.header
    header.frameRate = nil
    header.options = [
      ("text", .text("a\"b")), ("number", .number(0.1234567)), ("integer", .integer(-3)), ("list", .list([])),
      ("flag", .flag(true)),
    ]
    let text = try RecordScene.text(".jsonl", header: header, [])
    let expected: String =
      #"{"type":"header","version":1,"program":"\#(ProgramVersion.name)","input":{"name":"Straße \"7\".mp4","width":200,"height":100,"rotation":90,"#
      + #""timeBase":"1/1000"},"options":{"text":"a\"b","number":0.123457,"integer":-3,"list":[],"flag":true}}"#
    #expect(text.split(separator: "\n").first.map(String.init) == expected)
  }
}
