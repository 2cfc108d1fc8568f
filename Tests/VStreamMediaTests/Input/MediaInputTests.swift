import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Locations of inputs, before they are opened.
struct MediaInputTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let location: String
    let isURL: Bool
    var fileName: String?
    var displayName: String?
    var isPaced = false
    var testDescription: String { location }
  }

  static let rows = [
    Row(location: "a.mp4", isURL: false, fileName: "a.mp4"),
    Row(location: "folder/a.mp4", isURL: false, fileName: "a.mp4"),
    Row(location: "folder/", isURL: false, fileName: ""),
    Row(location: "C:/a.mp4", isURL: false, fileName: "a.mp4"),
    Row(location: "a b://x", isURL: false, fileName: "x"),
    Row(location: "://x", isURL: false),
    Row(location: "rtsp:me@x", isURL: false, fileName: "rtsp:me@x"),
    Row(location: "-", isURL: false, displayName: "standard input"),
    Row(location: "RTSP://host/a", isURL: true, fileName: "a", isPaced: true),
    Row(location: "udp://@239.0.0.1:5000", isURL: true, isPaced: true),
    Row(location: "srt://host:1", isURL: true, isPaced: true),
    Row(location: "https://host/a.m3u8", isURL: true, fileName: "a.m3u8"),
    Row(location: "rtsp://me:secret@host/a", isURL: true, displayName: "'rtsp://me:…@host/a'", isPaced: true),
    Row(location: "rtsp://me:se@cret@host/a", isURL: true, displayName: "'rtsp://me:…@host/a'", isPaced: true),
    Row(location: "http://host/a:b@c", isURL: true, displayName: "'http://host/a:…@c'"),
  ]

  @Test(arguments: rows)
  func `a location is a URL or a path, and messages show it without a password`(row: Row) {
    let input = MediaInput(row.location)
    #expect(input.isURL == row.isURL)
    #expect(input.isPaced == row.isPaced)
    #expect(input.displayName == row.displayName ?? "'\(row.location)'")
    if let fileName = row.fileName { #expect(input.fileName == fileName) }
  }

  @Test(arguments: [("file:///tmp/a.mp4", "/tmp/a.mp4"), ("file:a.mp4", "a.mp4"), ("files/a.mp4", "files/a.mp4")])
  func `a file's scheme is removed`(location: String, path: String) {
    #expect(MediaInput(location).location == path)
  }

  @Test func `a file whose name begins like a protocol is a file`() throws {
    let folder = try TemporaryFolder()
    for name in ["concat:a", "cache:a", "subfile,,start,0,end,9,,:a", "file:a"] {
      let input = MediaInput(try folder.write(name, "x"))
      #expect(!input.isURL && input.fileName == name)
      #expect(MediaInput(name).location == (name == "file:a" ? "a" : name), "there is no such file here")
    }
  }

  struct Missing: CustomTestStringConvertible, Sendable {
    let location: String
    var format: String?
    let isError: Bool
    var testDescription: String { location + (format.map { " as \($0)" } ?? "") }
  }

  static let missing = [
    Missing(location: "missing.mp4", isError: true), Missing(location: "100%.mp4", isError: true),
    Missing(location: "missing-%d.png", isError: false), Missing(location: "-", isError: false),
    Missing(location: "http://host/missing.mp4", isError: false),
    Missing(location: ":0", format: "x11grab", isError: false), Missing(location: "/", isError: false),
  ]

  @Test(arguments: missing)
  func `a location that can only be a file must exist`(row: Missing) {
    let error = failure { try MediaInput(row.location).requireExists(format: row.format) }
    #expect(error?.code == (row.isError ? .inputNotFound : nil))
    #expect(error?.message.contains(row.location) == (row.isError ? true : nil))
  }

  @Test func `the files of an input are its images, else itself`() throws {
    let folder = try TemporaryFolder()
    for name in ["b2.png", "b10.png", "c.txt"] { try Data([1]).write(to: URL(filePath: folder.file(name))) }
    let images = ["b2.png", "b10.png"].map(folder.file)
    #expect(try MediaInput(folder.path).files() == images)
    #expect(try MediaInput(folder.file("b%d.png")).files() == images)
    #expect(try MediaInput(folder.file("c.txt")).files() == [folder.file("c.txt")])
    #expect(try MediaInput("-").files() == ["-"])
    #expect(try MediaInput("rtsp://host/%d").files() == ["rtsp://host/%d"])
    #expect(try MediaInput(":0", format: "x11grab").files() == [":0"])
  }

  @Test(arguments: [(nil, nil, 10), (3, nil, 3), (nil, 2, 2), (1, 2, 1)] as [(Double?, Double?, Double)])
  func `the timeout of opening is the smaller of its limits`(timeout: Double?, opening: Double?, limit: Double) {
    var input = MediaInput("rtsp://host/a", timeout: timeout)
    input.openingTimeout = opening
    #expect(input.openingLimit == limit)
  }
}
