import Foundation
import Testing
import VStreamTestSupport

/// `--max-objects` through the built program, on known tracks.
struct MaxObjectsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Ten frames of 768 × 576: a large person in the middle, a small car in a corner, and from the sixth frame on a bus that is
  /// larger than both.
  private func tracks() throws -> String {
    let input = #"{"name":"street.avi","width":768,"height":576,"rotation":0,"timeBase":"1/10"}"#
    let frames = (0..<10).map { index in
      let person = #"{"id":1,"label":"person","score":0.9,"box":[340,180,90,200]}"#
      let car = #"{"id":2,"label":"car","score":0.9,"box":[20,20,60,40]}"#
      let bus = index < 5 ? "" : #",{"id":3,"label":"bus","score":0.9,"box":[200,100,400,400]}"#
      return #"{"type":"frame","ticks":\#(index),"source":"detected","objects":[\#(person),\#(car)\#(bus)]}"#
    }
    let path = folder.file("tracks.jsonl")
    let lines = [#"{"type":"header","version":1,"input":\#(input)}"#] + frames
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [String]
    /// IDs in the first and the last frame.
    let first: [Int]
    let last: [Int]
    let summary: String
  }

  @Test(arguments: [
    Row(
      testDescription: "all", arguments: [], first: [1, 2], last: [1, 2, 3],
      summary: "tracked 1 × bus, 1 × car, 1 × person"),
    Row(
      testDescription: "one", arguments: ["--max-objects", "1"], first: [1], last: [3],
      summary: "tracked 1 × bus, 1 × person"),
    Row(
      testDescription: "two", arguments: ["--max-objects", "2"], first: [1, 2], last: [1, 3],
      summary: "tracked 1 × bus, 1 × car, 1 × person"),
    Row(
      testDescription: "more than there are", arguments: ["--max-objects", "100"], first: [1, 2], last: [1, 2, 3],
      summary: "tracked 1 × bus, 1 × car, 1 × person"),
    Row(
      testDescription: "one of a class", arguments: ["--max-objects", "1", "--classes", "car"], first: [2], last: [2],
      summary: "tracked 1 × car"),
  ])
  func `the most prominent objects are reported, and counted`(row: Row) throws {
    let records = folder.file("r.jsonl")
    let result = try Program.vstream(
      [Checkout.sample("street.avi"), "-o", "null", "--duration", "1", "--from-records", tracks()]
        + ["--records", records] + row.arguments)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains(row.summary), "\(result.errors)")
    let run = try RecordedRun(String(contentsOfFile: records, encoding: .utf8))
    #expect(run.objects.first?.map { $0["id"].int } == row.first)
    #expect(run.objects.last?.map { $0["id"].int } == row.last)
    let limit = run.header["options"]["maxObjects"].int
    #expect(limit == (row.arguments.first == nil ? nil : Int(row.arguments[1])))
  }

  @Test func `a limit of 0 objects is refused`() throws {
    let result = try Program.vstream([Checkout.sample("street.avi"), "-o", "null", "--max-objects", "0"])
    #expect(result.status == 64)
    #expect(result.errors.contains("--max-objects 0: is not a number of objects"), "\(result.errors)")
    #expect(oneLine(result.errors))
  }
}
