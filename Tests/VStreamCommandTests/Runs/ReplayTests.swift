import Foundation
import Testing
import VStreamTestSupport

/// Records that replace the detector, through the built program: detect once, render many times.
struct ReplayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let street = Checkout.sample("street.avi")

  /// Two seconds of the street, as `all.jsonl` and `all.mp4`, with everything that can be recorded.
  private func record() throws -> String {
    let result = try Program.vstream(
      [Self.street, "-o", folder.file("all.mp4"), "--duration", "2", "--records", folder.file("all.jsonl")]
        + ["--record-detections", "--events"])
    try #require(result.status == 0, "\(result.errors)")
    return folder.file("all.jsonl")
  }

  /// Two seconds of records with tracks alone: a person who walks, and a car that is predicted on odd frames.
  private static let tracks: [String] = {
    let input = #"{"name":"street.avi","width":768,"height":576,"rotation":0,"timeBase":"1/10"}"#
    let frames = (0..<20).map { index in
      let source = index % 2 == 0 ? "detected" : "predicted"
      let mark = index % 2 == 0 ? "" : #","predicted":true"#
      let objects = [("person", 1, 100 + 4 * index), ("car", 7, 500 - 9 * index)].map { label, id, x in
        #"{"id":\#(id),"label":"\#(label)","score":0.75,"box":[\#(x).0,80.25,60.5,120.0]\#(mark)}"#
      }
      return
        #"{"type":"frame","frame":\#(index),"pts":\#(index / 10).\#(index % 10),"ticks":\#(index),"source":"\#(source)","#
        + #""objects":[\#(objects.joined(separator: ","))]}"#
    }
    return [#"{"type":"header","version":1,"input":\#(input),"options":{"detect":["objects"]}}"#] + frames
  }()

  private func write(_ lines: [String], ending: String = "\n") throws -> String {
    let path = folder.file("tracks.jsonl")
    try (lines.joined(separator: "\n") + ending).write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private static func objects(_ frame: JSON?) -> [JSON] { frame?["objects"].list ?? [] }

  /// - Returns: the frames' lines of the records that a replay writes.
  private func replay(
    _ records: String, _ arguments: [String] = [], input: String = street, seconds: String = "2"
  ) throws -> (frames: [JSON], errors: String) {
    let written = folder.file("\(UUID()).jsonl")
    let result = try Program.vstream(
      [input, "-o", "null", "--duration", seconds, "--from-records", records, "--records", written] + arguments,
      environment: ["VSTREAM_OPENVINO": "/nowhere"])
    try #require(result.status == 0, "\(result.errors)")
    let lines = try String(contentsOfFile: written, encoding: .utf8).split(separator: "\n")
    return (try lines.map { try JSON(String($0)) }.filter { $0["type"].string == "frame" }, result.errors)
  }

  @Test func `a replay of detections without OpenVINO gives the same records and video`() throws {
    let recorded = try record()
    let (video, records) = (folder.file("again.mp4"), folder.file("again.jsonl"))
    let result = try Program.vstream(
      [Self.street, "-o", video, "--duration", "2", "--from-records", recorded, "--records", records]
        + ["--record-detections", "--events"],
      environment: ["VSTREAM_OPENVINO": "/nowhere"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Data(contentsOf: URL(filePath: records)) == Data(contentsOf: URL(filePath: recorded)))
    #expect(try Data(contentsOf: URL(filePath: video)) == Data(contentsOf: URL(filePath: folder.file("all.mp4"))))

    let usual = try replay(recorded).frames
    #expect(Self.objects(usual.first).isEmpty, "no track is confirmed on the first frame")
    let hasty = try replay(recorded, ["--confirm-after", "1"]).frames
    #expect(!Self.objects(hasty.first).isEmpty)
    let strict = try replay(recorded, ["--min-score", "0.95"]).frames
    #expect(strict.flatMap(Self.objects).count < usual.flatMap(Self.objects).count)
    let cars = try replay(recorded, ["--classes", "car"]).frames
    #expect(Set(cars.flatMap(Self.objects).map { $0["label"].string }) == ["car"])
  }

  @Test func `faces are replayed from records with all their fields`() throws {
    let (recorded, again) = (folder.file("faces.jsonl"), folder.file("again.jsonl"))
    let arguments = ["--detect", "faces", "--face-landmarks", "--face-contours", "--face-classification"]
    let run = { (more: [String]) in
      try Program.vstream(
        [Checkout.sample("face.mp4"), "-o", "null", "--duration", "0.5", "--record-detections"] + arguments + more)
    }
    #expect(try run(["--records", recorded]).status == 0)
    #expect(try run(["--records", again, "--from-records", recorded]).status == 0)
    #expect(try Data(contentsOf: URL(filePath: again)) == Data(contentsOf: URL(filePath: recorded)))
    let lines = try String(contentsOfFile: again, encoding: .utf8).split(separator: "\n")
    let face = try JSON(String(lines[10]))["faces"].list?.first
    #expect(face?["contours"]["faceOval"].list?.count == 36)
    // Objects were not recorded.
    let none = try Program.vstream(
      [Checkout.sample("face.mp4"), "-o", "null", "--from-records", recorded, "--detect", "objects"])
    #expect(none.status == 64)
    #expect(none.errors.contains("holds faces, and --detect asks for objects"), "\(none.errors)")
  }

  @Test func `late detections are replayed at their original times`() throws {
    let recorded = folder.file("late.jsonl")
    let result = try Program.vstream(
      [
        Self.street, "-o", "null", "--duration", "6", "--detect", "objects", "--realtime", "--hold", "0", "--records",
        recorded,
      ]
        + ["--record-detections", "--events"])
    #expect(result.status == 0, "\(result.errors)")
    let lines = { (path: String) in
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.contains("\"summary\"") }
    }
    #expect(try lines(recorded).contains { $0.hasPrefix("{\"type\":\"detections\"") })
    let again = folder.file("again.jsonl")
    let replayed = try Program.vstream(
      [Self.street, "-o", "null", "--duration", "6", "--detect", "objects", "--from-records", recorded]
        + ["--records", again, "--record-detections", "--events"])
    #expect(replayed.status == 0, "\(replayed.errors)")
    #expect(try lines(again) == lines(recorded))
  }

  @Test func `tracks are replayed unchanged`() throws {
    let tracks = try write(Self.tracks)
    let written = folder.file("again.jsonl")
    let result = try Program.vstream(
      [Self.street, "-o", "null", "--duration", "2", "--from-records", tracks, "--records", written]
        + ["--confirm-after", "9"])
    #expect(result.status == 0, "\(result.errors)")
    let lines = try String(contentsOfFile: written, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines.dropFirst().dropLast() == Self.tracks.dropFirst())
    #expect(result.errors.contains("tracked 1 × car, 1 × person"), "\(result.errors)")
  }

  /// The records of `record`, with the label of each person replaced in a frame with detections.
  ///
  /// - Returns: the file, and the frame's line in it. Which line has a frame depends on the events before it.
  private func edit(_ recorded: String) throws -> (file: String, line: Int) {
    var lines = try String(contentsOfFile: recorded, encoding: .utf8).split(separator: "\n").map(String.init)
    let person = #""label":"person""#
    func cut(_ line: String) -> String.Index? { line.firstRange(of: #","detections""#)?.lowerBound }
    let index = try #require(
      lines.indices.first { index in
        index > 15 && lines[index].hasPrefix(#"{"type":"frame""#)
          && cut(lines[index]).map { lines[index][..<$0].contains(person) } == true
      })
    let end = try #require(cut(lines[index]))
    let edited = lines[index][..<end].replacing(person, with: #""label":"visitor""#)
    lines[index] = "\(edited)\(lines[index][end...])"
    return (try folder.write("edited.jsonl", lines.joined(separator: "\n") + "\n"), index + 1)
  }

  @Test func `edited tracks are kept on request, and otherwise a warning says that they are lost`() throws {
    let recorded = try record()
    let (edited, line) = try edit(recorded)
    func labels(_ frames: [JSON]) -> Set<String> { Set(frames.flatMap(Self.objects).compactMap { $0["label"].string }) }

    #expect(try !replay(recorded).errors.contains("warning"))
    #expect(try !replay(recorded, ["--lost-after", "0.2"]).errors.contains("warning"))
    let usual = try replay(edited)
    #expect(!labels(usual.frames).contains("visitor"))
    let warnings = usual.errors.split(separator: "\n").filter { $0.contains("warning") }
    #expect(warnings.count == 1, "\(usual.errors)")
    #expect(warnings.first?.contains("line \(line) of '\(edited)' has other tracks than its detections give") == true)
    #expect(warnings.first?.contains("--tracks recorded keeps them") == true)
    #expect(try !replay(edited, ["--tracks", "again"]).errors.contains("warning"))

    let kept = try replay(edited, ["--tracks", "recorded"])
    #expect(labels(kept.frames).contains("visitor") && !kept.errors.contains("warning"))
    let expected = try String(contentsOfFile: edited, encoding: .utf8).split(separator: "\n")
      .map { try JSON(String($0)) }.filter { $0["type"].string == "frame" }
    #expect(
      kept.frames.map { Self.objects($0).map { $0["id"].int } }
        == expected.map { Self.objects($0).map { $0["id"].int } })
  }

  @Test(arguments: [
    (["--tracks", "again"], "--tracks again: 'tracks.jsonl' holds tracks, and not the detections"),
    (["--tracks", "both"], "--tracks both: is not known; use again or recorded"),
  ])
  func `tracks that the records do not have are refused`(options: [String], expected: String) throws {
    _ = try write(Self.tracks)
    let result = try Program.vstream(
      [Self.street, "-o", "null", "--from-records", "tracks.jsonl"] + options, folder: folder.path)
    #expect(result.status == 64 && result.errors.contains(expected), "\(result.errors)")
  }

  @Test func `only tracks of the requested classes are replayed`() throws {
    let cars = try replay(write(Self.tracks), ["--classes", "car"]).frames
    #expect(cars.count == 20)
    #expect(cars.allSatisfy { Self.objects($0).map { $0["id"].int } == [7] })
  }

  @Test func `on a smaller copy of the video, tracks are scaled to its pixels`() throws {
    let small = folder.file("small.mkv")
    try Program.ffmpeg(["-i", Self.street, "-t", "2", "-vf", "scale=384:288", small])
    let frames = try replay(write(Self.tracks), input: small).frames
    #expect(frames.count == 20)
    for (index, frame) in frames.enumerated() {
      let person = try #require(Self.objects(frame).first)
      #expect(person["box"].list?.map(\.double) == [Double(50 + 2 * index), 40.13, 30.25, 60])
    }
  }

  @Test func `frames without a record are counted, and have no objects`() throws {
    let (frames, errors) = try replay(write(Self.tracks), seconds: "3")
    #expect(frames.count == 30)
    #expect(frames.suffix(10).allSatisfy { Self.objects($0).isEmpty && $0["source"].string == "predicted" })
    #expect(errors.contains("has no record of 10 of the frames"))
  }

  /// Frames without a record must not leave the output unredacted.
  @Test func `incomplete records are refused for redaction`() throws {
    let recorded = try record()
    let cars = folder.file("cars.jsonl")
    let thinned = try Program.vstream(
      [Self.street, "-o", "null", "--duration", "2", "--from-records", recorded, "--classes", "car"]
        + ["--records", cars, "--record-detections"])
    #expect(thinned.status == 0, "\(thinned.errors)")
    func redacted(_ records: String, _ more: [String]) throws -> ProgramResult {
      try Program.vstream(
        [Self.street, "-o", folder.file("\(UUID()).mkv"), "--from-records", records, "--redact", "mosaic"] + more)
    }
    let unknown = try redacted(cars, ["--duration", "2", "--redact-what", "person"])
    #expect(unknown.status == 64 && unknown.errors.contains("recorded for car alone"), "\(unknown.errors)")
    let short = try redacted(recorded, ["--duration", "3", "--redact-what", "person"])
    #expect(short.status == 65 && short.errors.contains("has no record of the frame at 2000 ms"), "\(short.errors)")
  }

  @Test(arguments: [
    ["--passes", "2.2"], ["--accurate"], ["--detect-every", "3"], ["--detect-every", "1", "--accurate"],
    ["--detect-every", "1", "--accuracy", "accurate"],
  ])
  func `a replay has the header of the run that was recorded, whatever its detectors' options`(options: [String]) throws
  {
    let (recorded, again) = (folder.file("\(UUID()).jsonl"), folder.file("\(UUID()).jsonl"))
    let run = [Self.street, "-o", "null", "--detect", "objects", "--duration", "1", "--record-detections", "--records"]
    #expect(try Program.vstream(run + [recorded] + options).status == 0)
    #expect(try Program.vstream(run + [again, "--from-records", recorded]).status == 0)
    #expect(try Data(contentsOf: URL(filePath: again)) == Data(contentsOf: URL(filePath: recorded)))
  }

  @Test(arguments: [[], ["--detect-every", "1"]])
  func `accurate has one meaning, however it is given`(options: [String]) throws {
    let records = try [["--accurate"], ["--accuracy", "accurate"]].map { accurate in
      let path = folder.file("\(UUID()).jsonl")
      let run = [Self.street, "-o", "null", "--detect", "objects", "--duration", "1", "--records", path]
      #expect(try Program.vstream(run + accurate + options).status == 0)
      return try String(contentsOfFile: path, encoding: .utf8)
    }
    #expect(records[0] == records[1] && records[0].contains("person"))
  }

  @Test(arguments: [["--accurate"], ["--detect-every", "3"], ["--object-model", "yolox-nano"]])
  func `options of detectors are refused`(options: [String]) throws {
    let result = try Program.vstream(
      [Self.street, "-o", "null", "--from-records", write(Self.tracks)] + options)
    #expect(result.status == 64 && result.errors.contains("no detector runs"), "\(result.errors)")
  }

  @Test func `a truncated last line is ignored`() throws {
    let path = try write(Self.tracks.prefix(12) + [String(Self.tracks[12].prefix(60))], ending: "")
    #expect(try replay(path).errors.contains("has no record of 9 of the frames"))
  }

  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The number of a line, and the text that replaces it.
    let line: Int
    let text: String
    let expected: String
  }

  @Test(arguments: [
    Fault(testDescription: "not JSON", line: 4, text: "hello", expected: "line 4 of"),
    Fault(
      testDescription: "no box", line: 3, text: #"{"type":"frame","ticks":1,"source":"detected","objects":[{}]}"#,
      expected: "is damaged: objects[0].label is missing"),
    Fault(
      testDescription: "a box of three numbers", line: 5,
      text:
        #"{"type":"frame","ticks":3,"source":"detected","objects":[{"label":"a","score":1,"box":[1,2,3]}]}"#,
      expected: "objects[0].box does not have four numbers"),
    Fault(testDescription: "no ticks", line: 5, text: #"{"type":"frame","source":"detected"}"#, expected: "ticks"),
    Fault(testDescription: "no header", line: 1, text: #"{"type":"frame"}"#, expected: "does not hold records"),
    Fault(testDescription: "an empty file", line: 0, text: "", expected: "does not hold records"),
    Fault(
      testDescription: "another version", line: 1,
      text: #"{"type":"header","version":2,"input":{"width":1,"height":1,"timeBase":"1/1"}}"#, expected: "version 2"),
    Fault(
      testDescription: "no time base", line: 1,
      text: #"{"type":"header","version":1,"input":{"width":1,"height":1,"timeBase":"1/0"}}"#, expected: "line 1 of"),
    Fault(
      testDescription: "another shape", line: 1,
      text: #"{"type":"header","version":1,"input":{"width":640,"height":640,"timeBase":"1/10"}}"#, expected: "640×640"),
    Fault(
      testDescription: "other times", line: 1,
      text: #"{"type":"header","version":1,"input":{"width":768,"height":576,"timeBase":"-1/10"}}"#,
      expected: "input.timeBase is not a fraction"),
  ])
  func `damaged records are refused, with the line's number`(_ fault: Fault) throws {
    var lines = Self.tracks
    if fault.line == 0 { lines = [] } else { lines[fault.line - 1] = fault.text }
    let path = try write(lines)
    let result = try Program.vstream([Self.street, "-o", "null", "--duration", "2", "--from-records", path])
    #expect(result.status == 65)
    #expect(result.errors.contains(fault.expected), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
  }

  @Test func `records of other times are refused`() throws {
    let records = try write(Self.tracks)
    let result = try Program.vstream(
      [Self.street, "-o", "null", "--start", "5", "--duration", "1", "--from-records", records])
    #expect(result.status == 65)
    #expect(result.errors.contains("has no record of any frame"), "\(result.errors)")
  }

  @Test func `each track enters, is confirmed, is lost and recovered in turn, and exits`() throws {
    let lines = try String(contentsOfFile: record(), encoding: .utf8).split(separator: "\n")
    var lives: [Int: [(event: String, time: Double)]] = [:]
    var reported: Set<Int> = []
    for line in try lines.map({ try JSON(String($0)) }) {
      for object in Self.objects(line) { reported.insert(try #require(object["id"].int)) }
      guard line["type"].string == "event" else { continue }
      let event = (try #require(line["event"].string), try #require(line["pts"].double))
      lives[try #require(line["id"].int), default: []].append(event)
    }
    #expect(!lives.isEmpty)
    #expect(Set(lives.keys) == reported)
    for (id, life) in lives {
      #expect(life.prefix(2).map(\.event) == ["enter", "confirm"], "\(id)")
      #expect(life.last?.event == "exit", "\(id)")
      let between = life.dropFirst(2).dropLast().map(\.event)
      #expect(between.enumerated().allSatisfy { $0.element == ($0.offset % 2 == 0 ? "lost" : "recovered") }, "\(id)")
      #expect(zip(life, life.dropFirst()).allSatisfy { $0.time <= $1.time }, "\(id)")
    }
  }
}
