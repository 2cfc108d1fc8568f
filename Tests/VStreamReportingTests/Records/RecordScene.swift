import Foundation
import VStreamCore
import VStreamTestSupport

@testable import VStreamReporting

/// A small run, written by hand, with the values that formats get wrong: quotes and separators in labels, non-ASCII names,
/// empty lists, boxes past the frame's edge, observations without IDs, and a frame number beyond 32 bits.
enum RecordScene {
  static let header = RecordHeader(
    inputName: "Straße \"7\".mp4", size: PixelSize(width: 200, height: 100), rotation: 90, timeBase: .milliseconds,
    frameRate: Rational(25, 1),
    options: [("detect", .list(["objects", "faces", "poses"])), ("minScore", .number(0.25))])

  static let car = DetectedObject(
    id: 7, classIndex: 2, label: "car", score: 0.91237, box: Box(x: -3.456, y: -0.004, width: 30.126, height: 40))
  static let quoted = DetectedObject(
    classIndex: 80, label: "a \"b\", --> c", score: 0.5, box: Box(x: 190, y: 90, width: 20, height: 20))
  static let foreign = DetectedObject(
    id: 12, classIndex: 5, label: "日本 ü", score: 1, box: Box(x: 0, y: 0, width: 200, height: 100))

  static let face: DetectedFace = {
    var face = DetectedFace(id: 1, score: 0.98126, box: Box(x: 10, y: 20, width: 30, height: 40))
    face.angles = HeadAngles(x: -2.1, y: 13.00004, z: 0)
    return face
  }()

  static let pose = DetectedPose(
    id: 2, score: 0.75, box: Box(x: 1, y: 2, width: 3, height: 4),
    landmarks: [
      PoseLandmark(.nose, at: Point(x: 1.5, y: -2), z: 3, inFrameLikelihood: 0.9),
      PoseLandmark(.rightAnkle, at: Point(x: 4, y: 600), z: -1, inFrameLikelihood: 0.2),
    ])

  static let hugeFrame = 5_000_000_000

  /// Three frames: all kinds; empty lists; one predicted object on a frame with a huge number, past one hour.
  static let frames = [
    FrameRecord(
      frame(0, ticks: 0, .detected, Detections(objects: [car, quoted, foreign], faces: [face], poses: [pose]))),
    FrameRecord(frame(1, ticks: 40, .detected, Detections(objects: [], faces: [], poses: []))),
    FrameRecord(frame(hugeFrame, ticks: 3_599_980, .predicted, Detections(objects: [car]))),
  ]

  static func frame(
    _ number: Int, ticks: Int64, _ source: AnnotationSource, _ found: Detections
  ) -> FrameAnnotations {
    FrameAnnotations(frame: number, time: Time(ticks: ticks, base: .milliseconds), source: source, found: found)
  }

  /// The contents of a record file whose name ends in `ending`.
  static func text(
    _ ending: String, header: RecordHeader = header, _ frames: [FrameRecord] = frames, events: [TrackEvent] = [],
    counts: RegionCounts? = nil, _ summary: RunCounts = RunCounts()
  ) throws -> String {
    let folder = try TemporaryFolder()
    let path = folder.file("r" + ending)
    var writer = try RecordWriter(path: path, overwrite: true)
    try writer.write(header)
    for frame in frames { try writer.write(frame) }
    if !events.isEmpty { try writer.write(events) }
    if let counts { try writer.write(counts) }
    try writer.finish(summary)
    return try String(contentsOfFile: path, encoding: .utf8)
  }
}
