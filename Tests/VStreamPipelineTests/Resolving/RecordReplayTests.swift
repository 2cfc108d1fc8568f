import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamReporting
import VStreamTestSupport

@testable import VStreamPipeline

/// Records of an earlier run as the source of resolutions.
struct RecordReplayTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("in.jsonl") }

  init() throws { folder = try TemporaryFolder() }

  private static let found = Detections(
    objects: [Scripted.object("person", id: 1, x: 4), Scripted.object("car", id: 2, x: 30)],
    faces: [DetectedFace(score: 1, box: Box(x: 6, y: 12, width: 8, height: 8))])

  /// Records frames of 64 × 48 pixels, 40 ms each, as a run does.
  ///
  /// - Parameter detections: whether they are recorded as the detectors returned them; those of the last frame come late.
  private func record(_ indices: Range<Int>, detections: Bool = false) throws {
    var recorder = Recorder(paths: [path], recordsDetections: detections, recordsEvents: false, overwrites: true)
    try recorder.start(
      RecordHeader(
        inputName: "in.mkv", size: Scripted.size, rotation: 0, timeBase: .milliseconds, frameRate: nil,
        options: [("recordDetections", .flag(detections))]))
    for index in indices {
      let annotations = FrameAnnotations(
        frame: index, time: Scripted.time(index), source: index.isMultiple(of: 2) ? .detected : .predicted,
        found: Self.found)
      let isLate = index == indices.upperBound - 1
      let late = isLate ? [TimedObservations(time: Scripted.time(indices.lowerBound), found: Self.found)] : []
      try recorder.write(FrameRecord(annotations), ResolvedDetections(late: late, found: isLate ? nil : Self.found))
    }
    try recorder.finish(RunCounts())
  }

  private func replay(
    kinds: Set<DetectionKind> = [.objects, .faces], classes: Set<String>? = nil, requiresEveryFrame: Bool = false
  ) throws -> RecordReplay {
    var options = ReplayOptions(path: path, classes: classes, kinds: kinds)
    options.requiresEveryFrame = requiresEveryFrame
    return try RecordReplay(options, inputName: "in.mkv")
  }

  @Test func `annotations are replayed as they were recorded`() throws {
    try record(0..<2)
    var replay = try replay()
    let first = try replay.resolve(try Scripted.decoded(0))
    #expect(first.found?.objects?.map(\.id) == [1, 2] && first.found?.faces?.count == 1)
    #expect(first.recordedSource == .detected && first.late.isEmpty)
    #expect(try replay.resolve(try Scripted.decoded(1)).recordedSource == .predicted)
    #expect(try replay.finish() == nil)
  }

  @Test func `recorded detections are replayed as if detectors returned them, late ones as well`() throws {
    try record(0..<2, detections: true)
    var replay = try replay()
    let first = try replay.resolve(try Scripted.decoded(0))
    #expect(first.recordedSource == nil && first.found?.objects?.map(\.label) == ["person", "car"])
    let second = try replay.resolve(try Scripted.decoded(1))
    #expect(second.found == nil && second.late.map(\.time.seconds) == [0])
    #expect(second.late.first?.found.objects?.count == 2)
  }

  struct SelectionRow: CustomTestStringConvertible, Sendable {
    let name: String
    let kinds: Set<DetectionKind>
    var classes: Set<String>?
    let labels: [String]?
    let faces: Int?
    var testDescription: String { name }
  }

  @Test(
    arguments: [
      SelectionRow(name: "all", kinds: [.objects, .faces], labels: ["person", "car"], faces: 1),
      SelectionRow(name: "objects", kinds: [.objects], labels: ["person", "car"], faces: nil),
      SelectionRow(name: "faces", kinds: [.faces], labels: nil, faces: 1),
      SelectionRow(name: "a class", kinds: [.objects, .faces], classes: ["car"], labels: ["car"], faces: 1),
      SelectionRow(name: "a class that was not recorded", kinds: [.objects], classes: ["dog"], labels: [], faces: nil),
    ], [false, true])
  func `only the requested kinds and classes are replayed`(row: SelectionRow, hasDetections: Bool) throws {
    try record(0..<2, detections: hasDetections)
    var replay = try replay(kinds: row.kinds, classes: row.classes)
    let found = try replay.resolve(try Scripted.decoded(0)).found
    #expect(found?.objects?.map(\.label) == row.labels)
    #expect(found?.faces?.count == row.faces)
  }

  @Test func `boxes are scaled to the size of the frames`() throws {
    try record(0..<1)
    var replay = try replay()
    let frame = try Scripted.decoded(0, size: PixelSize(width: 32, height: 24))
    #expect(try replay.resolve(frame).found?.objects?.first?.box == Box(x: 2, y: 5, width: 10, height: 10))
  }

  @Test func `records of frames of another shape are refused`() throws {
    try record(0..<1)
    var replay = try replay()
    let frame = try Scripted.decoded(0, size: PixelSize(width: 64, height: 64))
    let error = #expect(throws: VStreamError.self) { try replay.resolve(frame) }
    #expect(error?.code == .unreadableInput && error?.message.contains("64×48") == true)
  }

  @Test func `frames without a record are predicted, with a warning at the end`() throws {
    try record(1..<3)
    var replay = try replay()
    let resolutions = try (0..<5).map { try replay.resolve(try Scripted.decoded($0)).found != nil }
    #expect(resolutions == [false, true, true, false, false])
    #expect(try replay.finish()?.description.hasSuffix("no record of 3 of the frames") == true)
  }

  @Test func `records of frames that this run skips are skipped`() throws {
    try record(0..<6)
    var replay = try replay()
    #expect(try replay.resolve(try Scripted.decoded(4)).recordedSource == .detected)
    #expect(try replay.resolve(try Scripted.decoded(5)).recordedSource == .predicted)
  }

  @Test func `records of another input are an error`() throws {
    try record(10..<12)
    var replay = try replay()
    #expect(try replay.resolve(try Scripted.decoded(0)).found == nil)
    let error = #expect(throws: VStreamError.self) { try replay.finish() }
    #expect(error?.code == .unreadableInput && error?.subject == path)
  }

  @Test func `where every frame has to be known a missing record is an error`() throws {
    try record(0..<2)
    var replay = try replay(requiresEveryFrame: true)
    for index in 0..<2 { #expect(try replay.resolve(try Scripted.decoded(index)).found != nil) }
    let error = #expect(throws: VStreamError.self) { try replay.resolve(try Scripted.decoded(2)) }
    #expect(error?.code == .unreadableInput && error?.message.contains("at 80 ms") == true)
  }

  @Test(arguments: ["[4,10,-8,8]", "[4,10,8,0]", "[0,0,0,0]", "[-50,10,8,8]", "[64,10,8,8]", "[4,900000000,8,8]"])
  func `where every frame has to be known a box that covers nothing is an error`(box: String) throws {
    try record(0..<2, detections: true)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let pattern = try Regex(#"\"box\":\[[^\]]*\]"#)
    try text.replacing(pattern, with: "\"box\":\(box)").write(toFile: path, atomically: true, encoding: .utf8)
    var strict = try replay(requiresEveryFrame: true)
    let error = #expect(throws: VStreamError.self) { try strict.resolve(try Scripted.decoded(0)) }
    #expect(error?.code == .unreadableInput && error?.message.contains("has a box that covers nothing ([") == true)
    var lenient = try replay()
    #expect(throws: Never.self) { try lenient.resolve(try Scripted.decoded(0)) }
  }

  struct OpenRow: CustomTestStringConvertible, Sendable {
    let name: String
    /// A part of each line, and what replaces it.
    let part: String
    let replacement: String
    let expected: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    OpenRow(
      name: "no list of faces", part: #","faces":\[\{[^}]*\}\]\}\}$"#, replacement: "}}",
      expected: "has no list of faces at 0 ms"),
    OpenRow(
      name: "no lists", part: #""detections":\{.*"#, replacement: #""detections":{}}"#,
      expected: "has no list of faces at 0 ms"),
    OpenRow(name: "no detections", part: #","detections":.*"#, replacement: "}", expected: "has no detections at 0 ms"),
    OpenRow(
      name: "null", part: #""detections":.*"#, replacement: #""detections":null}"#,
      expected: "has no detections at 0 ms"),
    OpenRow(
      name: "detections twice", part: #"\}$"#, replacement: #","detections":{"objects":[],"faces":[]}}"#,
      expected: "detections is repeated"),
    OpenRow(
      name: "a rotation", part: #""rotation":0"#, replacement: #""rotation":180"#,
      expected: "that were rotated by 180°, but the input's by 0°"),
    OpenRow(
      name: "ten times the size", part: #""width":64,"height":48"#, replacement: #""width":640,"height":480"#,
      expected: "of frames of 640×480, but the input's are only 64×48"),
    OpenRow(
      name: "an impossible size", part: #""width":64,"height":48"#,
      replacement: #""width":64000000000000000,"height":48000000000000000"#,
      expected: "input.width is not from 1 to 65536"),
  ])
  func `where every frame has to be known, what records leave open is an error`(row: OpenRow) throws {
    try record(0..<2, detections: true)
    let pattern = try Regex(row.part)
    let text = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let line = String(line)
      guard let match = line.firstMatch(of: pattern) else { return line }
      return line.replacingCharacters(in: match.range, with: row.replacement)
    }
    try text.joined(separator: "\n").appending("\n").write(toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: VStreamError.self) {
      var strict = try replay(requiresEveryFrame: true)
      _ = try strict.resolve(try Scripted.decoded(0))
    }
    #expect(error?.code == .unreadableInput)
    #expect(error?.message.contains(row.expected) == true, "\(error?.message ?? "none")")
  }

  @Test func `where every frame has to be known, a box below a pixel of the smaller copy is an error`() throws {
    try record(0..<2, detections: true)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let pattern = try Regex(#"\"box\":\[[^\]]*\]"#)
    try text.replacing(pattern, with: "\"box\":[4,10,3,3]").write(toFile: path, atomically: true, encoding: .utf8)
    var strict = try replay(requiresEveryFrame: true)
    #expect(throws: Never.self) { try strict.resolve(try Scripted.decoded(0)) }
    var small = try replay(requiresEveryFrame: true)
    let error = #expect(throws: VStreamError.self) {
      try small.resolve(try Scripted.decoded(0, size: PixelSize(width: 16, height: 12)))
    }
    #expect(error?.message.contains("has a box that covers nothing ([1,2.5,0.75,0.75]") == true)
  }

  @Test func `records of an input of another name are warned of where something is redacted by them`() throws {
    try record(0..<1)
    for (name, isStrict, isWarned) in [("in.mkv", true, false), ("b.mkv", true, true), ("b.mkv", false, false)] {
      var options = ReplayOptions(path: path)
      options.requiresEveryFrame = isStrict
      let warning = try RecordReplay(options, inputName: name).warning
      #expect((warning?.description.hasSuffix("was recorded of 'in.mkv', not of 'b.mkv'") == true) == isWarned)
    }
  }

  @Test func `records that do not exist are an error`() throws {
    let error = #expect(throws: VStreamError.self) { try replay() }
    #expect(error?.code == .inputNotFound)
  }
}
