import Foundation
import Testing
import VStreamTestSupport

/// Coarse categories through the built program.
struct CategoryRunTests {
  private static let categories: Set = ["fashion good", "food", "home good", "place", "plant", "unknown"]

  @Test func `each object has one category, and only with --categories`() throws {
    let street = try ClipFolder(street: 5)
    let arguments = ["in.avi", "-o", "null", "--detect", "objects", "-y", "--records", "r.jsonl"]
    let result = try street.vstream(arguments + ["--categories"])
    #expect(result.status == 0, "\(result.errors)")
    let run = try RecordedRun(street.text("r.jsonl"))
    #expect(run.header["options"]["categories"].int == 1)
    var kept: [Int: Set<String>] = [:]
    for object in run.objects.flatMap({ $0 }) {
      let category = try #require(object["category"].string)
      #expect(Self.categories.contains(category))
      #expect((0...1).contains(object["categoryScore"].double ?? -1))
      kept[try #require(object["id"].int), default: []].insert(category)
    }
    #expect(!kept.isEmpty)
    #expect(kept.values.allSatisfy { $0.count == 1 }, "\(kept)")
    let plain = try street.vstream(arguments)
    #expect(plain.status == 0)
    let without = try RecordedRun(street.text("r.jsonl"))
    #expect(without.objects.flatMap { $0 }.allSatisfy { $0["category"].isAbsent && $0["categoryScore"].isAbsent })
  }

  @Test func `recorded categories are replayed`() throws {
    let folder = try TemporaryFolder()
    let object =
      #"{"id":1,"label":"banana","score":0.9,"category":"food","categoryScore":0.7,"box":[10,10,50,60]}"#
    let lines = [
      #"{"type":"header","version":1,"input":{"name":"a","width":768,"height":576,"rotation":0,"timeBase":"1/10"}}"#,
      #"{"type":"frame","ticks":0,"source":"detected","objects":[\#(object)]}"#,
    ]
    try lines.joined(separator: "\n").write(toFile: folder.file("t.jsonl"), atomically: true, encoding: .utf8)
    let result = try Program.vstream([
      Checkout.sample("street.avi"), "-o", "null", "--duration", "0.1", "--from-records", folder.file("t.jsonl"),
      "--records", folder.file("r.jsonl"),
    ])
    #expect(result.status == 0, "\(result.errors)")
    let run = try RecordedRun(String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    #expect(run.objects.first?.first?["category"].string == "food")
    #expect(run.objects.first?.first?["categoryScore"].double == 0.7)
  }

  @Test func `categories without object detection are refused`() throws {
    let result = try Program.vstream([
      Checkout.sample("street.avi"), "-o", "null", "--detect", "faces", "--categories",
    ])
    #expect(result.status == 64)
    #expect(result.errors.contains("--categories: no objects are detected"), "\(result.errors)")
    #expect(oneLine(result.errors))
  }
}
