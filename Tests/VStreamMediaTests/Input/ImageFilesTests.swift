import Foundation
import Testing
import VStreamCore
import VStreamSystem
import VStreamTestSupport

@testable import VStreamMedia

@Suite("The files of image sequences")
struct ImageFilesTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let files: [String]
    /// After the folder; empty for the folder itself.
    let pattern: String
    /// `nil` where an error is expected.
    let expected: [String]?
    var options: [(key: String, value: String)] = []
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
    Row(
      testDescription: "a folder of images, with a video", files: ["a.png", "b.png", "c.mp4"], pattern: "",
      expected: ["a.png", "b.png"]),
    Row(
      testDescription: "a folder of as many videos as images", files: ["a.png", "c.mp4"], pattern: "", expected: nil),
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
    Row(
      testDescription: "a pattern with a per cent sign", files: ["50%-2.png", "50%-10.png", "50%%-3.png"],
      pattern: "50%%-%d.png", expected: ["50%-2.png", "50%-10.png"]),
    Row(
      testDescription: "a pattern with per cent signs after the number", files: ["1%.png", "2%%.png"],
      pattern: "%d%%.png", expected: ["1%.png"]),
    Row(
      testDescription: "a pattern from a number on", files: ["f1.png", "f7.png", "f10.png"], pattern: "f%d.png",
      expected: ["f7.png", "f10.png"], options: [("framerate", "5"), ("start_number", "7")]),
    Row(
      testDescription: "a pattern from a number beyond the last", files: ["f1.png"], pattern: "f%d.png",
      expected: nil, options: [("start_number", "2")]),
    Row(
      testDescription: "a pattern from an invalid number on", files: ["f1.png"], pattern: "f%d.png", expected: nil,
      options: [("start_number", "one")]),
    Row(
      testDescription: "a folder has no first number", files: ["f1.png"], pattern: "", expected: nil,
      options: [("start_number", "1")]),
    Row(
      testDescription: "an option that has no effect", files: ["f1.png"], pattern: "f%d.png", expected: nil,
      options: [("loop", "1")]),
    Row(testDescription: "a pattern without a match", files: ["a.png"], pattern: "b%d.png", expected: nil),
  ]

  @Test("files are found and sorted", arguments: rows)
  func order(_ row: Row) throws {
    let folder = try TemporaryFolder()
    for name in row.files { try Data([1]).write(to: URL(filePath: folder.file(name))) }
    let location = row.pattern.isEmpty ? folder.path : folder.file(row.pattern)
    guard let expected = row.expected else {
      let error = failure { _ = try ImageFiles(location, options: row.options) }
      #expect(error?.remedy.isEmpty == false)
      return
    }
    #expect(try ImageFiles(location, options: row.options)?.paths == expected.map(folder.file))
  }

  @Test("a file or URL is not a sequence")
  func file() throws {
    let folder = try TemporaryFolder()
    try Data([1]).write(to: URL(filePath: folder.file("a.png")))
    #expect(try ImageFiles(folder.file("a.png")) == nil)
    #expect(try ImageFiles("rtsp://127.0.0.1/%d") == nil)
  }
}
