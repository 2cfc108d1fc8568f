import Foundation
import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamMedia

@Suite("Files of pictures in their order")
struct ImageFilesTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let files: [String]
    /// After the folder; empty for the folder itself.
    let pattern: String
    /// `nil` where an error is expected.
    let expected: [String]?
  }

  static let rows: [Row] = [
    Row(
      testDescription: "a folder, by numbers in names",
      files: ["im10.jpg", "im2.jpg", "im1.JPG", ".im3.jpg", "notes.txt"],
      pattern: "", expected: ["im1.JPG", "im2.jpg", "im10.jpg"]),
    Row(
      testDescription: "a folder, by text and then numbers", files: ["b1.png", "a2.png", "a10.png", "a.png"],
      pattern: "",
      expected: ["a2.png", "a10.png", "a.png", "b1.png"]),
    Row(testDescription: "an empty folder", files: [], pattern: "", expected: nil),
    Row(testDescription: "a folder of two kinds", files: ["a.png", "b.jpg"], pattern: "", expected: nil),
    Row(
      testDescription: "jpg and jpeg are one kind", files: ["a.jpeg", "b.jpg"], pattern: "",
      expected: ["a.jpeg", "b.jpg"]),
    Row(
      testDescription: "a pattern, from any number on and over gaps", files: ["f7.png", "f10.png", "f8.png", "g9.png"],
      pattern: "f%d.png", expected: ["f7.png", "f8.png", "f10.png"]),
    Row(
      testDescription: "a pattern with zeros takes numbers so written",
      files: ["0001.png", "2.png", "0010.png", "10000.png", "00003.png"], pattern: "%04d.png",
      expected: ["0001.png", "0010.png", "10000.png"]),
    Row(testDescription: "a pattern that nothing fits", files: ["a.png"], pattern: "b%d.png", expected: nil),
  ]

  @Test("files are found and put in order", arguments: rows)
  func order(_ row: Row) throws {
    let folder = try TemporaryFolder()
    for name in row.files { try Data([1]).write(to: URL(filePath: folder.file(name))) }
    let location = row.pattern.isEmpty ? folder.path : folder.file(row.pattern)
    guard let expected = row.expected else {
      #expect(throws: VStreamError.self) { try ImageFiles(location) }
      return
    }
    #expect(try ImageFiles(location)?.paths == expected.map(folder.file))
  }

  @Test("a file is no sequence")
  func file() throws {
    let folder = try TemporaryFolder()
    try Data([1]).write(to: URL(filePath: folder.file("a.png")))
    #expect(try ImageFiles(folder.file("a.png")) == nil)
    #expect(try ImageFiles("rtsp://127.0.0.1/%d") == nil)
  }
}
