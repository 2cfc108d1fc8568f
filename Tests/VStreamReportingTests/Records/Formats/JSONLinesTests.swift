import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

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
    var record = FrameRecord(RecordScene.frame(3, ticks: 120, .detected, Detections(objects: [])))
    record.late = [
      TimedObservations(
        time: Time(ticks: 40, base: .milliseconds),
        found: Detections(objects: [
          DetectedObject(classIndex: 0, label: "person", score: 0.1, box: Box(x: 0.1, y: 1.0 / 3, width: 2, height: 3))
        ]))
    ]
    record.detections = Detections(objects: [])
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
    var late = Detections(objects: [])
    late.shot = 1
    var records = (0..<3).map {
      FrameRecord(RecordScene.frame($0, ticks: Int64($0), .detected, Detections(objects: [])))
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
    var record = FrameRecord(RecordScene.frame(0, ticks: 0, .detected, Detections()))
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

/// The JSON of objects.
struct ObjectRecordTests {
  private func annotations(_ source: AnnotationSource, id: Int? = 3) -> FrameAnnotations {
    FrameAnnotations(
      frame: 4, time: Time(ticks: 12, base: .milliseconds), source: source,
      found: Detections(objects: [
        DetectedObject(
          id: id, classIndex: 2, label: "car", score: 0.912345,
          box: Box(x: -1.005, y: 2, width: 30.129, height: 40.5))
      ]))
  }

  @Test func `a frame's line has the contract's members in their order`() {
    #expect(
      jsonLine(FrameRecord(annotations(.detected))) == """
        {"type":"frame","frame":4,"pts":0.012,"ticks":12,"source":"detected","objects":\
        [{"id":3,"label":"car","score":0.9123,"box":[-1.0,2.0,30.13,40.5]}]}
        """)
  }

  @Test func `a detection of another class than the track's has its label as well`() {
    var frame = annotations(.detected)
    frame.found.objects?[0].detectedLabel = "truck"
    #expect(jsonLine(FrameRecord(frame)).contains(#""label":"car","detectedLabel":"truck","score":0.9123"#))
  }

  @Test func `a predicted frame marks each entry, and a missing ID is absent`() {
    #expect(
      jsonLine(FrameRecord(annotations(.predicted, id: nil))) == """
        {"type":"frame","frame":4,"pts":0.012,"ticks":12,"source":"predicted","objects":\
        [{"label":"car","score":0.9123,"box":[-1.0,2.0,30.13,40.5],"predicted":true}]}
        """)
  }

  @Test func `what was not requested is absent, what is empty is an empty list`() {
    var frame = FrameAnnotations(frame: 0, time: Time(ticks: 0, base: .milliseconds), source: .detected)
    #expect(!jsonLine(FrameRecord(frame)).contains("objects"))
    frame.found.objects = []
    #expect(jsonLine(FrameRecord(frame)).hasSuffix("\"objects\":[]}"))
  }
}

/// Faces in the lines of a `.jsonl` file.
struct FaceRecordTests {
  private func line(_ face: DetectedFace, _ source: AnnotationSource = .detected) -> String {
    jsonLine(
      FrameRecord(
        FrameAnnotations(
          frame: 0, time: Time(ticks: 0, base: .milliseconds), source: source, found: Detections(faces: [face]))))
  }

  private let start = #"{"type":"frame","frame":0,"pts":0.0,"ticks":0,"source":"#

  @Test func `a face has the contract's members in their order`() {
    var face = DetectedFace(id: 1, score: 0.98126, box: Box(x: 1, y: 2, width: 30.126, height: 40))
    face.angles = HeadAngles(x: -2.1, y: 13.00004, z: 1.4)
    face.landmarks = [
      FaceLandmark(.leftEye, at: Point(x: 20.5, y: 10)), FaceLandmark(.noseBase, at: Point(x: 15, y: 20)),
    ]
    face.contours = [FaceContour(.noseBridge, points: [Point(x: 15, y: 12), Point(x: 15, y: 18.555)])]
    face.smiling = 0.91
    face.leftEyeOpen = 0.99
    face.rightEyeOpen = 0.98
    #expect(
      line(face) == start + #""detected","faces":[{"id":1,"score":0.9813,"box":[1.0,2.0,30.13,40.0],"#
        + #""angles":{"x":-2.1,"y":13.0,"z":1.4},"landmarks":{"leftEye":[20.5,10.0],"noseBase":[15.0,20.0]},"#
        + #""contours":{"noseBridge":[[15.0,12.0],[15.0,18.56]]},"smiling":0.91,"leftEyeOpen":0.99,"rightEyeOpen":0.98}]}"#
    )
  }

  @Test func `what was not requested is absent, and a predicted face is marked`() {
    let face = DetectedFace(score: 0.5, box: Box(x: 1, y: 2, width: 3, height: 4))
    #expect(
      line(face, .predicted) == start
        + #""predicted","faces":[{"score":0.5,"box":[1.0,2.0,3.0,4.0],"predicted":true}]}"#)
  }
}

/// Poses in records, written and read back.
struct PoseRecordTests {
  private static func annotations(
    _ pose: DetectedPose, _ source: AnnotationSource = .detected
  ) -> FrameAnnotations {
    FrameAnnotations(
      frame: 0, time: Time(ticks: 0, base: .milliseconds), source: source, found: Detections(poses: [pose]))
  }

  private static let pose = DetectedPose(
    id: 1, score: 0.97126, box: Box(x: 1, y: 2, width: 30.126, height: 40),
    landmarks: [
      PoseLandmark(.nose, at: Point(x: 15.004, y: -3.5), z: -20.126, inFrameLikelihood: 0.98765),
      PoseLandmark(.leftFootIndex, at: Point(x: 16, y: 70), z: 3, inFrameLikelihood: 0.00004),
    ])

  private let start = #"{"type":"frame","frame":0,"pts":0.0,"ticks":0,"source":"#
  private let members =
    #""score":0.9713,"box":[1.0,2.0,30.13,40.0],"landmarks":["#
    + #"{"type":"nose","x":15.0,"y":-3.5,"z":-20.13,"inFrameLikelihood":0.9877},"#
    + #"{"type":"leftFootIndex","x":16.0,"y":70.0,"z":3.0,"inFrameLikelihood":0.0}]"#

  @Test func `a pose has the contract's members in their order`() {
    let line = jsonLine(FrameRecord(Self.annotations(Self.pose)))
    #expect(line == start + #""detected","poses":[{"id":1,"# + members + "}]}")
  }

  @Test func `a predicted pose is marked, and one without an ID has none`() {
    var pose = Self.pose
    pose.id = nil
    let line = jsonLine(FrameRecord(Self.annotations(pose, .predicted)))
    #expect(line == start + #""predicted","poses":[{"# + members + #","predicted":true}]}"#)
  }

  @Test func `an empty list of poses is a list`() {
    var annotations = Self.annotations(Self.pose)
    annotations.found.poses = []
    #expect(jsonLine(FrameRecord(annotations)) == start + #""detected","poses":[]}"#)
  }

  private func source(_ lines: [String]) throws -> RecordReader {
    let folder = try TemporaryFolder()
    let path = folder.file("r.jsonl")
    let header = jsonLine(
      RecordHeader(
        inputName: "a.mp4", size: PixelSize(width: 64, height: 48), rotation: 0, timeBase: .milliseconds,
        frameRate: nil, options: [("detect", .list(["poses"]))]))
    try (([header] + lines).joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return try RecordReader(path: path, labels: [])
  }

  @Test func `what the detector found is read back to the last digit, what was reported as it was rounded`() throws {
    var record = FrameRecord(Self.annotations(Self.pose))
    record.detections = Detections(poses: [Self.pose])
    var source = try source([jsonLine(record)])
    #expect(source.kinds == ["poses"])
    let frame = try #require(try source.next())
    #expect(frame.detections?.poses == [Self.pose])
    let pose = try #require(frame.found.poses?.first)
    #expect(pose.id == 1 && pose.score == 0.9713)
    #expect(pose[.nose]?.position == Point(x: 15, y: -3.5))
    #expect(pose[.leftFootIndex]?.z == 3)
    #expect(
      jsonLine(FrameRecord(Self.annotations(pose))) == jsonLine(FrameRecord(Self.annotations(Self.pose))))
    #expect(frame.found.faces == nil && frame.found.objects == nil)
  }

  @Test func `a landmark that a later version adds is skipped`() throws {
    let line = start + #""detected","poses":[{"id":1,"# + members + "}]}"
    var source = try source([line.replacingOccurrences(of: "leftFootIndex", with: "tail")])
    #expect(try source.next()?.found.poses?.first?.landmarks.map(\.kind) == [.nose])
  }

  @Test(arguments: [("x", #""x":15.0,"#), ("inFrameLikelihood", #","inFrameLikelihood":0.9877"#)])
  func `a landmark that lacks a number is damage`(name: String, text: String) throws {
    let line = start + #""detected","poses":[{"id":1,"# + members + "}]}"
    var source = try source([line.replacingOccurrences(of: text, with: ""), line])
    let error = #expect(throws: VStreamError.self) { _ = try source.next() }
    #expect(error?.code == .unreadableInput)
  }

  @Test func `poses are in the table, and not among KITTI's objects`() {
    var table = CSVEncoder()
    #expect(
      table.text(of: FrameRecord(Self.annotations(Self.pose)))
        == "0,0.0,detected,pose,1,pose,0.9713,1.0,2.0,30.13,40.0,,,false\n")
    var kitti = KITTIEncoder()
    #expect(kitti.text(of: FrameRecord(Self.annotations(Self.pose))).isEmpty)
  }
}
