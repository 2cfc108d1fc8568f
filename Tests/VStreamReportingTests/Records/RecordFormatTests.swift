import Foundation
import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamReporting

/// The forms of records other than lines of JSON.
struct RecordFormTests {
  /// Two frames, 0.04 s apart: a car and a thing with an odd name; then the car, predicted.
  private func write(_ name: String) throws -> String {
    let folder = try TemporaryFolder()
    let path = folder.file(name)
    var writer = try RecordWriter(path: path)
    try writer.write(
      RecordHeader(
        inputName: "a.mp4", size: PixelSize(width: 768, height: 576), rotation: 0, timeBase: .milliseconds,
        frameRate: Rational(25, 1), options: [("detect", .list(["objects"]))]))
    let car = DetectedObject(
      id: 7, classIndex: 2, label: "car", score: 0.9, box: Box(x: 1.5, y: 2, width: 30, height: 40))
    let odd = DetectedObject(
      classIndex: 80, label: "a \"b\", --> c", score: 0.5, box: Box(x: 0, y: 0, width: 2, height: 2))
    for (index, source) in [AnnotationSource.detected, .predicted].enumerated() {
      let annotations = FrameAnnotations(
        frame: index, time: Time(ticks: Int64(3_599_980 + 40 * index), base: .milliseconds), source: source,
        found: Observations(objects: index == 0 ? [car, odd] : [car]))
      try writer.write(FrameRecord(annotations))
    }
    try writer.write([TrackEvent(kind: .exit, id: 7, classIndex: 2, label: "car", time: 1)])
    try writer.finish(RunCounts())
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `CSV has a line of names and one for each thing`() throws {
    #expect(
      try write("a.csv") == """
        frame,pts,source,kind,id,label,score,left,top,width,height
        0,3599.98,detected,object,7,car,0.9,1.5,2.0,30.0,40.0
        0,3599.98,detected,object,,"a ""b"", --> c",0.5,0.0,0.0,2.0,2.0
        1,3600.02,predicted,object,7,car,0.9,1.5,2.0,30.0,40.0

        """)
  }

  @Test(arguments: [
    ("a b", "a b"), ("a,b", "\"a,b\""), ("a\nb", "\"a\nb\""), ("a\rb", "\"a\rb\""), ("a\r\nb", "\"a\r\nb\""),
    ("\"", "\"\"\"\""), ("a\"\u{301}b", "\"a\"\"\u{301}b\""), ("", ""),
  ])
  func `CSV quotes what would end a field`(text: String, quoted: String) {
    #expect(CSVEncoder.quoted(text) == quoted)
  }

  @Test func `WebVTT has a cue of JSON for each frame, until the next`() throws {
    let text = try write("a.vtt")
    let blocks = text.components(separatedBy: "\n\n")
    #expect(blocks[0] == "WEBVTT")
    #expect(blocks.count == 3)
    let cues = blocks.dropFirst().map { $0.split(separator: "\n") }
    #expect(cues.map { $0[0] } == ["00:59:59.980 --> 01:00:00.020", "01:00:00.020 --> 01:00:00.060"])
    for cue in cues {
      #expect(cue.count == 2)
      #expect(!cue[1].contains("-->"), "which would end the cue")
    }
    let first = try JSONSerialization.jsonObject(with: Data(cues[0][1].utf8)) as? [String: Any]
    let objects = try #require(first?["objects"] as? [[String: Any]])
    #expect(objects.map { $0["label"] as? String } == ["car", "a \"b\", --> c"])
  }

  @Test func `COCO is one object whose parts refer to each other`() throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(write("a.json").utf8))
    let coco = try #require(parsed as? [String: [[String: Any]]])
    let (images, annotations) = (coco["images"] ?? [], coco["annotations"] ?? [])
    #expect(images.map { $0["id"] as? Int } == [1, 2])
    #expect(images.allSatisfy { $0["width"] as? Int == 768 && $0["height"] as? Int == 576 })
    #expect(annotations.map { $0["image_id"] as? Int } == [1, 1, 2])
    #expect(annotations.map { $0["id"] as? Int } == [1, 2, 3])
    #expect(annotations.map { $0["track_id"] as? Int } == [7, nil, 7])
    #expect(annotations.map { $0["predicted"] as? Bool } == [nil, nil, true])
    #expect(annotations[0]["bbox"] as? [Double] == [1.5, 2, 30, 40])
    #expect(annotations[0]["area"] as? Double == 1200)
    let names = (coco["categories"] ?? []).map { $0["name"] as? String }
    #expect(names == ["car", "a \"b\", --> c"])
    #expect(annotations.map { $0["category_id"] as? Int } == [1, 2, 1])
  }

  @Test func `COCO has the keypoints of a pose, as many as it has names for`() throws {
    let folder = try TemporaryFolder()
    var writer = try RecordWriter(path: folder.file("p.json"))
    try writer.write(
      RecordHeader(
        inputName: "a.mp4", size: PixelSize(width: 768, height: 576), rotation: 0, timeBase: .milliseconds,
        frameRate: nil, options: []))
    let landmarks = PoseLandmark.Kind.allCases.enumerated().map { index, kind in
      PoseLandmark(
        kind, at: Point(x: Double(index), y: 100), z: 0, inFrameLikelihood: kind == .rightAnkle ? 0.2 : 0.9)
    }
    let pose = DetectedPose(id: 3, score: 0.8, box: Box(x: 1, y: 2, width: 3, height: 4), landmarks: landmarks)
    let annotations = FrameAnnotations(
      frame: 0, time: Time(ticks: 0, base: .milliseconds), source: .detected, found: Observations(poses: [pose]))
    try writer.write(FrameRecord(annotations))
    try writer.finish(RunCounts())
    let text = try String(contentsOfFile: folder.file("p.json"), encoding: .utf8)
    let coco = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[String: Any]]])
    let numbers = try #require(coco["annotations"]?.first?["keypoints"] as? [Double])
    let names = try #require(coco["categories"]?.first?["keypoints"] as? [String])
    #expect(numbers.count == 51)
    #expect(coco["annotations"]?.first?["num_keypoints"] as? Int == 17)
    #expect(names.first == "nose" && names.last == "right_ankle" && names.count == 17)
    #expect(numbers.prefix(6) == [0, 100, 2, 2, 100, 2], "the nose and the left eye")
    #expect(numbers.suffix(3) == [28, 100, 1], "an ankle that is hardly seen")
  }

  @Test func `KITTI has seventeen columns and the score`() throws {
    let lines = try write("a.kitti.txt").split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.map(\.count) == [18, 18, 18])
    #expect(
      lines[0] == ["0", "7", "car", "-1", "-1", "-10", "1.5", "2.0", "31.5", "42.0"]
        + ["-1", "-1", "-1", "-1000", "-1000", "-1000", "-10", "0.9"])
    #expect(lines[1].prefix(3) == ["0", "-1", "a_\"b\",_-->_c"])
  }

  @Test(arguments: RecordFormat.all)
  func `a run without frames leaves a file that can be parsed`(_ format: RecordFormat) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("A" + format.fileNameEndings[0].uppercased())
    var writer = try RecordWriter(path: path)
    try writer.write(
      RecordHeader(
        inputName: "a", size: PixelSize(width: 1, height: 1), rotation: 0, timeBase: .milliseconds, frameRate: nil,
        options: []))
    try writer.finish(RunCounts())
    let text = try String(contentsOfFile: path, encoding: .utf8)
    switch format.name {
    case "JSON lines": #expect(text.split(separator: "\n").count == 2)
    case "CSV": #expect(text == "frame,pts,source,kind,id,label,score,left,top,width,height\n")
    case "WebVTT": #expect(text == "WEBVTT\n")
    case "COCO":
      let coco = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [Any]]
      #expect(coco?.mapValues(\.count) == ["annotations": 0, "images": 0, "categories": 0])
    default: #expect(text.isEmpty)
    }
  }
}
