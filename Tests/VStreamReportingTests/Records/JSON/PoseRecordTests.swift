import Foundation
import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamReporting

/// Poses in records, written and read back.
struct PoseRecordTests {
  private static func annotations(
    _ pose: DetectedPose, _ source: AnnotationSource = .detected
  ) -> FrameAnnotations {
    FrameAnnotations(
      frame: 0, time: Time(ticks: 0, base: .milliseconds), source: source, found: Observations(poses: [pose]))
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
    record.detections = Observations(poses: [Self.pose])
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
