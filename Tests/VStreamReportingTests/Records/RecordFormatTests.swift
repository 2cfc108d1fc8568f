import Testing
import VStreamCore

@testable import VStreamReporting

struct RecordFormatTests {
  @Test(arguments: [
    ("a.jsonl", "JSON lines"), ("a.txt", "MOTChallenge"), ("A.TXT", "MOTChallenge"), ("a.kitti.txt", "KITTI"),
    ("a.Kitti.Txt", "KITTI"), ("kitti.txt", "MOTChallenge"), ("a.csv", "CSV"), ("b/c.vtt", "WebVTT"),
    ("a.json", "COCO"), ("a.csv.json", "COCO"), ("-", "JSON lines"),
  ])
  func `the longest ending that matches selects the format`(path: String, name: String) throws {
    #expect(try RecordFormat(path: path).name == name)
  }

  @Test(arguments: ["a", "a.xml", "a.", "jsonl", "a.jsonl.gz", ""])
  func `an unknown ending is a usage error that lists the known ones`(path: String) {
    let error = #expect(throws: VStreamError.self) { try RecordFormat(path: path) }
    #expect(error?.code == .usage && error?.setting == .records && error?.value == path)
    for format in RecordFormat.all {
      #expect(error?.remedy.contains(format.fileNameEndings[0]) == true)
      #expect(error?.remedy.contains(format.name) == true)
    }
  }

  @Test func `no two formats have a name or an ending in common`() {
    let endings = RecordFormat.all.flatMap(\.fileNameEndings)
    #expect(Set(endings).count == endings.count)
    #expect(Set(RecordFormat.all.map(\.name)).count == RecordFormat.all.count)
    #expect(endings.allSatisfy { $0.hasPrefix(".") && $0 == $0.lowercased() })
  }

  @Test(arguments: [
    ("r.txt", ["objects"]), ("r.kitti.txt", ["objects"]), ("r.yolo.txt", ["objects"]),
    ("r.csv", ["faces", "objects", "poses"]), ("r.json", ["faces", "objects", "poses"]),
    ("r.jsonl", ["faces", "objects", "poses"]), ("r.vtt", ["faces", "objects", "poses"]),
  ])
  func `what MOTChallenge, KITTI and YOLO hold is objects`(path: String, kinds: [String]) throws {
    #expect(try RecordFormat(path: path).kinds.map(\.rawValue).sorted() == kinds)
  }

  @Test func `only JSON lines hold events and detections`() {
    for contents in [RecordFormat.Contents.events, .detections] {
      #expect(RecordFormat.all.filter { $0.contents.contains(contents) }.map(\.name) == ["JSON lines"])
    }
  }
}
