import Foundation
import Testing
import VStreamTestSupport

/// A run whose output cannot be created writes nothing else either, and replaces nothing.
struct UncreatableOutputTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: [String]
    let code: Int32
    var link: String?
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "a part file that is a link", arguments: ["-o", "out.mkv"], code: 73, link: "out.mkv.part"),
    Row(name: "a final part that is a link", arguments: ["-o", "out.mp4"], code: 73, link: "out.mp4.final.part"),
    Row(name: "an image's part that is a link", arguments: ["-o", "o-%d.png"], code: 73, link: "o-1.png.part"),
    Row(name: "a server that refuses", arguments: ["-o", "rtmp://127.0.0.1:9/live"], code: 73),
    Row(name: "a preset that does not exist", arguments: ["-o", "out.mp4", "--preset", "nonsense"], code: 64),
    Row(
      name: "records in a folder of the kernel", arguments: ["-o", "out.mp4", "--records", "/proc/r.jsonl"], code: 73),
    Row(name: "an option that does not exist", arguments: ["-o", "out.mp4", "--output-option", "no=1"], code: 64),
  ]

  @Test(arguments: rows)
  func `the other files stay as they are`(row: Row) throws {
    let street = try ClipFolder(street: 3)
    let folder = street.folder
    for name in ["r.jsonl", "s.json", "receipt.json"] { _ = try folder.write(name, "mine") }
    if let link = row.link {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file(link), withDestinationPath: folder.file("elsewhere"))
    }
    let before = folder.names
    let redaction = row.arguments[1].hasSuffix(".mkv") ? ["--redact", "fill", "--receipt", "receipt.json"] : []
    let faces = redaction.isEmpty ? ["--save-faces", "faces"] : []
    let result = try street.vstream(
      ["in.avi", "-y", "--records", "r.jsonl", "--stats", "s.json"] + row.arguments + redaction + faces)
    #expect(result.status == row.code, "\(result.errors)")
    #expect(oneLine(result.errors), "\(result.errors)")
    #expect(folder.names == before)
    for name in ["r.jsonl", "s.json", "receipt.json"] { #expect(try street.text(name) == "mine", "\(name)") }
  }
}
