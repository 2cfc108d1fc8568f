import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamReporting

struct RecordReaderTests {
  private static let headerLine = jsonLine(RecordScene.header)
  private static let frameLine = #"{"type":"frame","frame":0,"pts":0.0,"ticks":0,"source":"detected","objects":[]}"#

  private func reader(_ text: String, labels: [String] = []) throws -> RecordReader {
    let folder = try TemporaryFolder()
    let path = folder.file("r.jsonl")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try RecordReader(path: path, labels: labels)
  }

  private func frames(_ reader: inout RecordReader) throws -> [RecordReader.Frame] {
    var frames: [RecordReader.Frame] = []
    while let frame = try reader.next() { frames.append(frame) }
    return frames
  }

  private static func frame(_ index: Int, ticks: Int) -> String {
    #"{"type":"frame","frame":\#(index),"pts":0.0,"ticks":\#(ticks),"source":"detected","objects":[]}"#
  }

  struct Contradiction: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let lines: [String]
    /// What is said, of strict reading and of other.
    let strict: String?
    var lenient: String?
  }

  static let contradictions = [
    Contradiction(
      testDescription: "frames in their order", lines: [frame(0, ticks: 0), frame(1, ticks: 1)], strict: nil),
    Contradiction(
      testDescription: "a frame twice", lines: [frame(0, ticks: 0), frame(0, ticks: 0)],
      strict: "line 3 of 'r' is damaged: the frame is not later than the one before"),
    Contradiction(
      testDescription: "a second recording", lines: [frame(0, ticks: 5), frame(1, ticks: 9), frame(0, ticks: 5)],
      strict: "line 4 of 'r' is damaged: the frame is not later than the one before"),
    Contradiction(
      testDescription: "a second header", lines: [frame(0, ticks: 0), headerLine, frame(1, ticks: 1)],
      strict: "line 3 of 'r' is damaged: a second header", lenient: "line 3 of 'r' is damaged: a second header"),
  ]

  @Test(arguments: contradictions, [true, false])
  func `records that contradict themselves`(row: Contradiction, isStrict: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("r", ([Self.headerLine] + row.lines).map { $0 + "\n" }.joined())
    var said: String?
    do throws(VStreamError) {
      var reader = try RecordReader(path: path, labels: [], isStrict: isStrict)
      while try reader.next() != nil {}
    } catch {
      said = error.message.replacingOccurrences(of: path, with: "r")
    }
    let expected = isStrict ? row.strict : row.lenient
    #expect(said == nil ? expected == nil : said?.hasPrefix(try #require(expected)) == true, "\(said ?? "")")
  }

  // MARK: Round trip

  @Test func `the scene is read back as it was rounded`() throws {
    var reader = try reader(RecordScene.text(".jsonl"), labels: ["person", "bicycle", "car"])
    #expect(reader.size == RecordScene.header.size)
    #expect(reader.kinds == ["objects", "faces", "poses"])
    #expect(reader.classes == nil && !reader.hasDetections)
    let frames = try frames(&reader)
    #expect(frames.map(\.time.ticks) == [0, 40, 3_599_980])
    #expect(frames.map(\.source) == [.detected, .detected, .predicted])
    #expect(frames[1].found == Detections(objects: [], faces: [], poses: []))
    #expect(frames[2].found.faces == nil)
    let objects = try #require(frames[0].found.objects)
    #expect(objects.map(\.label) == ["car", "a \"b\", --> c", "日本 ü"])
    #expect(objects.map(\.id) == [7, nil, 12])
    #expect(objects.map(\.classIndex) == [2, 3, 4], "unknown labels are appended")
    #expect(reader.labels == ["person", "bicycle", "car", "a \"b\", --> c", "日本 ü"])
    #expect(objects[0].box == Box(x: -3.46, y: 0, width: 30.13, height: 40))
    #expect(frames[0].found.faces?.first?.angles == HeadAngles(x: -2.1, y: 13, z: 0))
    #expect(frames[0].found.poses?.first?.landmarks.map(\.kind) == [.nose, .rightAnkle])
  }

  @Test func `detections are read back exactly, with those that became ready late`() throws {
    var header = RecordScene.header
    header.options.append(("recordDetections", .flag(true)))
    header.options.append(("classes", .list(["car"])))
    var face = RecordScene.face
    face.landmarks = [FaceLandmark(.leftEye, at: Point(x: 1.0 / 3, y: 2))]
    face.contours = [FaceContour(.noseBridge, points: [Point(x: 0.1, y: 0.2), Point(x: 1e-7, y: 4)])]
    face.smiling = 0.123456789
    var object = RecordScene.car
    object.id = nil
    object.classIndex = 0
    object.category = CategoryLabel(.homeGood, score: 0.87654321)
    let exact = Detections(objects: [object], faces: [face], poses: [RecordScene.pose])
    var record = FrameRecord(RecordScene.frame(0, ticks: 80, .detected, Detections()))
    record.detections = exact
    record.late = [TimedObservations(time: Time(ticks: 40, base: .milliseconds), found: exact)]
    var reader = try reader(RecordScene.text(".jsonl", header: header, [record]))
    #expect(reader.hasDetections && reader.classes == ["car"])
    let frame = try #require(try reader.next())
    #expect(frame.detections == exact)
    #expect(frame.late == record.late)
    #expect(try reader.next() == nil)
  }

  @Test func `lines of other types, and of types that later versions add, are skipped`() throws {
    let text = [
      Self.headerLine, #"{"type":"event","event":"lost","id":1,"label":"car","pts":0.0}"#,
      #"{"type":"future","objects":5}"#,
      "", Self.frameLine, #"{"type":"counts"}"#, #"{"type":"summary"}"#,
    ].joined(separator: "\n")
    var reader = try reader(text + "\n")
    #expect(try frames(&reader).count == 1)
  }

  @Test func `categories and landmarks that later versions add are tolerated`() throws {
    let line =
      #"{"type":"frame","ticks":0,"source":"detected","objects":[{"label":"car","score":1,"box":[0,0,1,1],"#
      + #""category":"vehicle"}],"faces":[{"score":1,"box":[0,0,1,1],"landmarks":{"chin":[1,2],"leftEye":[3,4]}}]}"#
    var reader = try reader(Self.headerLine + "\n" + line + "\n")
    let frame = try #require(try reader.next())
    #expect(frame.found.objects?.first?.category == CategoryLabel(.unknown, score: 0))
    #expect(frame.found.faces?.first?.landmarks == [FaceLandmark(.leftEye, at: Point(x: 3, y: 4))])
  }

  @Test func `a line longer than the read buffer is read`() throws {
    let label = String(repeating: "x", count: 600_000)
    let object = #"{"label":"\#(label)","score":1,"box":[0,0,1,1]}"#
    let line = Self.frameLine.replacing("[]", with: "[\(object)]")
    var reader = try reader([Self.headerLine, line, Self.frameLine].joined(separator: "\n") + "\n")
    #expect(try frames(&reader).map { $0.found.objects?.count } == [1, 0])
  }

  // MARK: Damage

  @Test(arguments: [#"{"type":"fra"#, #"{"type":"frame","ticks":0,"source":"detec"#, "{"])
  func `an incomplete last line is the end`(rest: String) throws {
    var reader = try reader([Self.headerLine, Self.frameLine, rest].joined(separator: "\n"))
    #expect(try frames(&reader).count == 1)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let line: String
    let part: String
    var testDescription: String { name }
  }

  private static func frame(_ members: String) -> String {
    #"{"type":"frame","ticks":0,"source":"detected",\#(members)}"#
  }

  static let damaged = [
    Row(name: "no JSON", line: "hello", part: "it is not the JSON of a record"),
    Row(name: "another JSON value", line: "[1]", part: "it is not the JSON of a record"),
    Row(name: "an object without a type", line: "{}", part: "type is missing"),
    Row(name: "a NUL byte", line: "\u{0}", part: "it is not the JSON of a record"),
    Row(
      name: "a frame without ticks", line: #"{"type":"frame","source":"detected"}"#, part: "ticks is missing"),
    Row(
      name: "a frame without source", line: #"{"type":"frame","ticks":1}"#, part: "source is missing"),
    Row(
      name: "an unknown source", line: #"{"type":"frame","ticks":1,"source":"guessed"}"#,
      part: "source is not a valid value"),
    Row(name: "ticks beyond 64 bits", line: #"{"type":"frame","ticks":1e30}"#, part: "ticks is not a whole number"),
    Row(name: "detections without ticks", line: #"{"type":"detections","objects":[]}"#, part: "ticks is missing"),
    Row(
      name: "a box of three numbers", line: frame(#""objects":[{"label":"car","score":1,"box":[0,0,1]}]"#),
      part: "objects[0].box does not have four numbers"),
    Row(
      name: "a face's box of five numbers", line: frame(#""faces":[{"score":1,"box":[0,0,1,1,1]}]"#),
      part: "faces[0].box does not have four numbers"),
    Row(
      name: "a pose's empty box", line: frame(#""poses":[{"score":1,"box":[],"landmarks":[]}]"#),
      part: "poses[0].box does not have four numbers"),
    Row(
      name: "a point of one number",
      line: frame(#""faces":[{"score":1,"box":[0,0,1,1],"landmarks":{"leftEye":[1]}}]"#),
      part: "faces[0].landmarks.leftEye does not have two numbers"),
    Row(
      name: "a contour's point of three numbers",
      line: frame(#""faces":[{"score":1,"box":[0,0,1,1],"contours":{"noseBridge":[[1,2],[1,2,3]]}}]"#),
      part: "faces[0].contours.noseBridge[1] does not have two numbers"),
    Row(
      name: "an object without a label",
      line: frame(#""objects":[{"label":"a","score":1,"box":[0,0,1,1]},{"score":1,"box":[0,0,1,1]}]"#),
      part: "objects[1].label is missing"),
    Row(
      name: "a number that is null", line: frame(#""objects":[{"label":"car","score":null,"box":[0,0,1,1]}]"#),
      part: "objects[0].score is null"),
    Row(
      name: "a number that is text", line: frame(#""objects":[{"label":"car","score":"1","box":[0,0,1,1]}]"#),
      part: "objects[0].score is not a number"),
    Row(
      name: "a list that is a number", line: frame(#""objects":[{"label":"car","score":1,"box":7}]"#),
      part: "objects[0].box is not a list"),
    Row(
      name: "an object that is a number", line: frame(#""faces":[3]"#), part: "faces[0] is not an object"),
    Row(
      name: "a searched region of four numbers", line: frame(#""detections":{"objects":[],"searched":[[0,0,1,1]]}"#),
      part: "detections.searched[0] does not have five numbers"),
    Row(
      name: "an ID with decimals", line: frame(#""objects":[{"id":1.5,"label":"car","score":1,"box":[0,0,1,1]}]"#),
      part: "objects[0].id is not a whole number"),
    Row(
      name: "an ID below 1", line: frame(#""objects":[{"id":-3,"label":"car","score":1,"box":[0,0,1,1]}]"#),
      part: "objects[0].id is not positive"),
    Row(
      name: "an ID twice",
      line: frame(
        #""faces":[{"id":3,"score":1,"box":[0,0,1,1]},{"id":3,"score":1,"box":[0,0,1,1]}]"#),
      part: "faces[1].id is repeated"),
    Row(
      name: "a score above 1", line: frame(#""objects":[{"id":1,"label":"car","score":90.87,"box":[0,0,1,1]}]"#),
      part: "objects[0].score is not from 0 to 1"),
    Row(
      name: "a searched region of scale 0", line: frame(#""detections":{"objects":[],"searched":[[0,0,1,1,0]]}"#),
      part: "detections.searched[0] has a scale that is not above 0"),
    Row(
      name: "a box that cannot be written again",
      line: frame(#""objects":[{"label":"car","score":1,"box":[0,0,1e17,1]}]"#),
      part: "objects[0].box is out of range: 1e+17"),
    Row(
      name: "an object's score", line: frame(#""objects":[{"label":"car","score":-1e10,"box":[0,0,1,1]}]"#),
      part: "objects[0].score is out of range: -10000000000.0"),
    Row(
      name: "a category's score",
      line: frame(#""objects":[{"label":"car","score":1,"box":[0,0,1,1],"category":"food","categoryScore":1e10}]"#),
      part: "objects[0].categoryScore is out of range: 10000000000.0"),
    Row(
      name: "a head's angle",
      line: frame(#""faces":[{"score":1,"box":[0,0,1,1],"angles":{"x":0,"y":1e10,"z":0}}]"#),
      part: "faces[0].angles.y is out of range: 10000000000.0"),
    Row(
      name: "a face's probability", line: frame(#""faces":[{"score":1,"box":[0,0,1,1],"smiling":1e10}]"#),
      part: "faces[0].smiling is out of range: 10000000000.0"),
    Row(
      name: "a landmark",
      line: frame(#""faces":[{"score":1,"box":[0,0,1,1],"landmarks":{"leftEye":[1,1e10]}}]"#),
      part: "faces[0].landmarks.leftEye is out of range: 10000000000.0"),
    Row(
      name: "a pose's landmark",
      line: frame(
        #""poses":[{"score":1,"box":[0,0,1,1],"landmarks":[{"type":"nose","x":1,"y":1,"z":1e10,"inFrameLikelihood":1}]}]"#
      ),
      part: "poses[0].landmarks[0].z is out of range: 10000000000.0"),
    Row(
      name: "a damaged list of detections",
      line: frame(#""detections":{"objects":[{"label":"car","score":1,"box":[]}]}"#),
      part: "detections.objects[0].box does not have four numbers"),
  ]

  @Test(arguments: damaged) func `a damaged line is an error with its number`(_ row: Row) throws {
    var reader = try reader(
      [Self.headerLine, "", Self.frameLine, row.line, Self.frameLine].joined(separator: "\n") + "\n")
    #expect(try reader.next() != nil)
    let error = #expect(throws: VStreamError.self) { _ = try reader.next() }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.hasPrefix("line 4 of '") == true, "\(error.map { "\($0)" } ?? "")")
    #expect(
      error?.message.hasSuffix("is damaged: \(row.part)") == true, "\(error.map { "\($0)" } ?? "")")
  }

  private static func header(version: Int = 1, width: Int = 8, timeBase: String = "1/25") -> String {
    #"{"type":"header","version":\#(version),"input":{"name":"a","width":\#(width),"height":8,"timeBase":"\#(timeBase)"}}"#
  }

  static let headers = [
    Row(name: "an empty file", line: "", part: "does not hold records of vstream"),
    Row(name: "text", line: "hello\n", part: "does not hold records of vstream"),
    Row(name: "a frame first", line: frameLine + "\n", part: "does not hold records of vstream"),
    Row(
      name: "a header without input", line: #"{"type":"header","version":1}"#, part: "does not hold records of vstream"),
    Row(
      name: "a height that is text",
      line: #"{"type":"header","version":1,"input":{"width":8,"height":"8","timeBase":"1/25"}}"#,
      part: "line 1 of"),
    Row(name: "a later version", line: header(version: 2), part: "records of version 2, which is not supported"),
    Row(name: "no width", line: header(width: 0), part: "input.width is not from 1 to 65536"),
    Row(
      name: "a time base of zero", line: header(timeBase: "0/25"), part: "input.timeBase is not a fraction such as 1/25"
    ),
    Row(
      name: "a time base without denominator", line: header(timeBase: "1/0"),
      part: "input.timeBase is not a fraction such as 1/25"),
    Row(
      name: "a time base of two negative numbers", line: header(timeBase: "-1/-25"),
      part: "input.timeBase is not a fraction such as 1/25"),
    Row(
      name: "a time base of one number", line: header(timeBase: "25"),
      part: "input.timeBase is not a fraction such as 1/25"),
    Row(
      name: "a time base of words", line: header(timeBase: "a/b"), part: "input.timeBase is not a fraction such as 1/25"
    ),
  ]

  @Test(arguments: headers) func `a file without a valid header is an error`(_ row: Row) {
    let error = #expect(throws: VStreamError.self) { try reader(row.line) }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains(row.part) == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func `a file that does not exist is an error with its path`() {
    let error = #expect(throws: VStreamError.self) { try RecordReader(path: "/nonexistent/r.jsonl", labels: []) }
    #expect(error?.code == .inputNotFound && error?.message.contains("/nonexistent/r.jsonl") == true)
  }
}
