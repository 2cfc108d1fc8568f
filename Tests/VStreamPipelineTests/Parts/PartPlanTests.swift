import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport
import VStreamTracking

@testable import VStreamPipeline

struct PartPlanTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func plan(fromStart: Bool = false) throws -> PartPlan {
    let path = folder.file("clip.mp4")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=32x32:rate=1:duration=100", "-c:v", "libx264", "-g", "10", path])
    return try PartPlan(of: MediaInput(path), partSeconds: 45, fromStart: fromStart)
  }

  @Test func `a plan is read as it was written`() throws {
    let plan = try plan()
    #expect(plan.parts.count == 2)
    #expect(plan.parts.map(\.packets) == [60, 40])
    #expect(plan.parts[1].startTicks == Int64(983_040))
    #expect(plan.parts[1].keyTicks == Int64(655_360))
    #expect(plan.parts[1].seeks)
    #expect(plan.location == folder.file("clip.mp4"))
    try plan.write(to: folder.file("plan.json"))
    #expect(try PartPlan(path: folder.file("plan.json")) == plan)
    #expect(folder.names == ["clip.mp4", "plan.json"])
  }

  @Test func `parts may be read from the beginning`() throws {
    let plan = try plan(fromStart: true)
    #expect(plan.parts.allSatisfy { $0.keyTicks == nil && !$0.seeks })
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let replaced: String
    let by: String
    let message: String
  }

  static let rows = [
    Row(testDescription: "no JSON", replaced: "{", by: "", message: "is no plan of parts"),
    Row(testDescription: "another file", replaced: "\"parts\",", by: "\"other\",", message: "is no plan of parts"),
    Row(testDescription: "parts in disorder", replaced: "\"number\" : 1", by: "\"number\" : 7", message: "is no plan"),
    Row(
      testDescription: "another version", replaced: "\"version\" : 1", by: "\"version\" : 2",
      message: "whose parts are other ones"),
    Row(
      testDescription: "another grid", replaced: "\"gridSeconds\" : 30", by: "\"gridSeconds\" : 10",
      message: "whose parts are other ones"),
  ]

  @Test(arguments: rows)
  func `another plan is an error`(row: Row) throws {
    let path = folder.file("plan.json")
    try plan().write(to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try #require(text.contains(row.replaced))
    _ = try folder.write("plan.json", text.replacing(row.replaced, with: row.by))
    let error = #expect(throws: VStreamError.self) { try PartPlan(path: path) }
    #expect(error?.message.contains(row.message) == true)
  }

  @Test func `parts that are not there are an error`() throws {
    let plan = try plan()
    #expect(try plan.part(1, plan: "p.json") == plan.parts[1])
    for number in [-1, 2] {
      let error = #expect(throws: VStreamError.self) { try plan.part(number, plan: "p.json") }
      #expect(error?.message == "'p.json' has no part \(number): it has 2")
    }
  }

  @Test func `what is painted is read as it was written`() throws {
    let plan = try plan()
    let paths = [folder.file("paint-0000.jsonl"), folder.file("paint-0001.jsonl")]
    let paint = JoinedPaint(of: plan.input, parts: plan.parts, paths: paths)
    var writer = PaintFileWriter(paint, isRedacted: true)
    let base = try #require(Rational(1, 1))
    for seconds in [Int64(10), 70, 71] {
      let time = Time(ticks: seconds, base: base)
      let frame = try VideoFrame(
        withoutPixels: PixelSize(width: 32, height: 32), format: #require(PixelFormat(name: "gray")), time: time)
      var region = CoveredRegion(id: 3, Box(x: 1.1, y: 2, width: 3, height: 4), observedAt: 9)
      region.slack = Point(x: 0.1, y: 0.2)
      var job = Scripted.job(frame, Int(seconds))
      job.covered = seconds == 71 ? nil : [region]
      try writer.write(job)
    }
    #expect(!folder.names.contains("paint-0001.jsonl"))
    try writer.finish()
    #expect(folder.names.filter { $0.hasPrefix("paint") } == ["paint-0000.jsonl", "paint-0001.jsonl"])
    var reader = try PaintFileReader(paint, isRedacted: true)
    #expect(try reader.next(at: Time(ticks: 10, base: base)).annotations.frame == 10)
    // The second part has frames.
    #expect(throws: VStreamError.self) { try reader.finish() }
    let first = try reader.next(at: Time(ticks: 70, base: base))
    #expect(first.annotations.frame == 70)
    let covered = try #require(first.covered?.first?.covered)
    #expect(covered.ellipse == PaintFile.Region(covered).covered.ellipse)
    #expect(covered.box == Box(x: 1.1, y: 2, width: 3, height: 4))
    #expect(covered.id == 3)
    #expect(throws: VStreamError.self) { try reader.finish() }
    #expect(try reader.next(at: Time(ticks: 71, base: base)).covered == nil)
    try reader.finish()
    #expect(throws: VStreamError.self) { try reader.next(at: Time(ticks: 72, base: base)) }
    let other = JoinedPaint(of: plan.input, parts: plan.parts, paths: [paths[1]])
    #expect(throws: VStreamError.self) { try PaintFileReader(other, isRedacted: true) }
    let error = #expect(throws: VStreamError.self) { try PaintFileReader(paint, isRedacted: false) }
    #expect(error?.code == .usage)
  }

  @Test(arguments: [
    ("1,2,3,4", "4", true), ("1,2,-3,4", "4", false), ("1,2,3,0", "4", false), ("1,2,3,4", "-4", false),
    ("1,2,3,4", "0", false),
  ])
  func `a region that covers nothing is an error`(box: String, extent: String, isValid: Bool) throws {
    let plan = try plan()
    let header = try JSONEncoder().encode(PaintFile.Header(input: plan.input, part: 0, isRedacted: true))
    let path = try folder.write(
      "paint.jsonl",
      String(decoding: header, as: UTF8.self) + "\n"
        + #"{"annotations":{"type":"frame","frame":0,"pts":0,"ticks":0,"timeBase":"1\/1","source":"detected"},"#
        + #""covered":[{"box":["# + box + #"],"slack":[0,0],"extent":"# + extent + "}]}\n")
    var reader = try PaintFileReader(
      JoinedPaint(of: plan.input, parts: plan.parts, paths: [path]), isRedacted: true)
    let time = Time(ticks: 0, base: try #require(Rational(1, 1)))
    if isValid {
      #expect(try reader.next(at: time).covered?.count == 1)
    } else {
      #expect(throws: VStreamError.self) { try reader.next(at: time) }
    }
  }
}
