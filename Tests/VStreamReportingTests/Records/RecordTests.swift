import Foundation
import Testing
import VStreamScene
import VStreamSystem
import VStreamTestSupport

@testable import VStreamReporting

struct RecordTests {
  private func annotations(_ source: AnnotationSource, id: Int? = 3) -> FrameAnnotations {
    FrameAnnotations(
      frame: 4, time: Time(ticks: 12, base: .milliseconds), source: source,
      found: Observations(objects: [
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

  @Test func `a predicted frame says so in each entry, and a missing ID is absent`() {
    #expect(
      jsonLine(FrameRecord(annotations(.predicted, id: nil))) == """
        {"type":"frame","frame":4,"pts":0.012,"ticks":12,"source":"predicted","objects":\
        [{"label":"car","score":0.9123,"box":[-1.0,2.0,30.13,40.5],"predicted":true}]}
        """)
  }

  @Test func `what was not asked for is absent, what is empty is an empty list`() {
    var frame = FrameAnnotations(frame: 0, time: Time(ticks: 0, base: .milliseconds), source: .detected)
    #expect(!jsonLine(FrameRecord(frame)).contains("objects"))
    frame.found.objects = []
    #expect(jsonLine(FrameRecord(frame)).hasSuffix("\"objects\":[]}"))
  }

  @Test func `a MOTChallenge line counts frames and classes from 1`() throws {
    let object = try #require(annotations(.detected).found.objects?.first)
    var text = MOTText()
    text.add(object, frame: 5)
    #expect(String(decoding: text.bytes, as: UTF8.self) == "5,3,-1.0,2.0,30.13,40.5,0.9123,3,1\n")
  }

  @Test func `strings are escaped as JSON wants it`() throws {
    let odd = "a\"b\\c\nd\te\u{1}f ü 日"
    var list = TextBuffer()
    list.addList { $0.addText(odd) }
    let back = try JSONDecoder().decode([String].self, from: Data(list.bytes))
    #expect(back == [odd])
  }

  @Test func `files hold header, frames and summary, each a line of JSON`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.jsonl")
    var writer = try RecordWriter(path: path)
    try writer.write(
      RecordHeader(
        inputName: "a \"b\".mp4", size: PixelSize(width: 768, height: 576), rotation: 0, timeBase: .milliseconds,
        frameRate: Rational(30000, 1001),
        options: [("detect", .list(["objects"])), ("minScore", .number(0.5)), ("confirmAfter", .integer(2))]))
    try writer.write(FrameRecord(annotations(.detected)))
    try writer.finish(RunCounts())
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    #expect(objects.map { $0?["type"] as? String } == ["header", "frame", "summary"])
    #expect((objects[0]?["input"] as? [String: Any])?["frameRate"] as? String == "30000/1001")
    #expect(objects[2]?["framesIn"] as? Int == 0)
  }

  @Test(arguments: ["a", "a.xml", "a.", "jsonl"])
  func `an unknown kind of records is a usage error that names the known ones`(path: String) {
    #expect {
      try RecordFormat(path: path)
    } throws: { error in
      (error as? VStreamError)?.code == .usage && "\(error)".contains(".jsonl")
    }
  }
}
