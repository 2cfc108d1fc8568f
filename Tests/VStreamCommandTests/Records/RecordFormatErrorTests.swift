import Foundation
import Testing
import VStreamTestSupport

/// Records that would be empty are refused before the run.
struct RecordFormatErrorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let words: String
    let expected: String
    var testDescription: String { words }
  }

  @Test(arguments: [
    Row(words: "--detect faces --records f.txt", expected: "--records f.txt: MOTChallenge holds objects only"),
    Row(words: "--detect poses --records f.kitti.txt", expected: "--records f.kitti.txt: KITTI holds objects only"),
    Row(words: "--detect faces,poses --records f.yolo.txt", expected: "--records f.yolo.txt: YOLO holds objects only"),
    Row(words: "--detect none --records f.txt", expected: "--records f.txt: MOTChallenge holds objects only"),
    Row(
      words: "--detect faces --records a.csv --records f.txt",
      expected: "--records f.txt: MOTChallenge holds objects only"),
    Row(words: "--from-records faces.jsonl --records f.txt", expected: "detect objects as well, or write .jsonl"),
  ])
  func `a format of objects alone is refused without objects`(row: Row) throws {
    let street = try ClipFolder(street: 3)
    _ = try street.folder.write(
      "faces.jsonl",
      #"{"type":"header","version":1,"input":{"width":768,"height":576,"timeBase":"1/10"},"options":{"detect":["faces"]}}"#
        + "\n")
    let result = try street.vstream(["in.avi", "-o", "out.mp4"] + row.words.split(separator: " ").map(String.init))
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains(row.expected) && result.errors.contains("write .jsonl"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(street.folder.names == ["faces.jsonl", "in.avi"])
  }
}
