import Foundation
import Testing
import VStreamCore
import VStreamSystem
import VStreamTestSupport

@testable import VStreamMedia

#if canImport(Glibc)
  import Glibc
#endif

/// The properties of an output before anything is written.
struct OutputDestinationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let file: String
    var format: String?
    let found: String
    let style: OutputDestination.Style
    var testDescription: String { file + (format.map { " as \($0)" } ?? "") }
  }

  static let rows = [
    Row(file: "out.mp4", found: "mp4", style: .fragmentedPart),
    Row(file: "out.MP4", found: "mp4", style: .fragmentedPart),
    Row(file: "out.mov", found: "mov", style: .fragmentedPart),
    Row(file: "out.mkv", found: "matroska", style: .part),
    Row(file: "out.avi", found: "avi", style: .part),
    Row(file: "out.bin", format: "mpegts", found: "mpegts", style: .part),
    Row(file: "out.mp4", format: "matroska", found: "matroska", style: .part),
  ]

  @Test(arguments: rows)
  func `the format follows from the name, unless it is given`(row: Row) throws {
    let folder = try TemporaryFolder()
    let path = folder.file(row.file)
    let destination = try OutputDestination(path, format: row.format, overwrite: false)
    #expect(destination.format == row.found)
    #expect(destination.style == row.style)
    #expect(destination.partPath == path + ".part")
    #expect(folder.names == [], "nothing is made yet")
  }

  @Test(arguments: [
    ("frame-%20d.png", nil), ("frame-%300d.png", nil), ("frame-%999d.jpg", nil), ("s%20d.ts", "segment"),
  ])
  func `numbers of more digits than FFmpeg writes are refused`(file: String, format: String?) throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: VStreamError.self) {
      try OutputDestination(folder.file(file), format: format, overwrite: false)
    }
    #expect(error?.message.hasSuffix("has numbers of more than 19 digits") == true, "\(error?.message ?? "")")
    let most = try OutputDestination(folder.file("frame-%019d.png"), overwrite: false)
    #expect(most.path(number: 123_456_789) == folder.file("frame-0000000000123456789.png"))
    #expect(try OutputDestination(folder.file("a%20d.mkv"), overwrite: false).style == .part)
  }

  @Test func `standard output, URLs, pipes and devices are written to directly`() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.file("out.mkv")
    #expect(mkfifo(pipe, 0o600) == 0)
    let destinations = [
      try OutputDestination("-", overwrite: false),
      try OutputDestination("udp://127.0.0.1:9", format: "mpegts", overwrite: false),
      try OutputDestination(pipe, overwrite: false),
      try OutputDestination("/dev/null", format: "mp4", overwrite: false),
    ]
    #expect(destinations.map(\.style) == [.direct, .direct, .direct, .direct])
    #expect(destinations.map(\.partPath) == [nil, nil, nil, nil])
    #expect(destinations.first?.format == "nut")
  }

  struct Address: CustomTestStringConvertible, Sendable {
    let location: String
    var format: String?
    let found: String
    let isLive: Bool
    var isPipe = false
    var testDescription: String { location + (format.map { " as \($0)" } ?? "") }
  }

  static let addresses = [
    Address(location: "rtsp://127.0.0.1:8554/a", found: "rtsp", isLive: true),
    Address(location: "rtsp://127.0.0.1:8554/a.mp4", found: "rtsp", isLive: true),
    Address(location: "rtmp://127.0.0.1/live/a", found: "flv", isLive: true),
    Address(location: "RTMPS://127.0.0.1/live/a", found: "flv", isLive: true),
    Address(location: "udp://127.0.0.1:1234", found: "mpegts", isLive: true),
    Address(location: "srt://127.0.0.1:1234?mode=caller", found: "mpegts", isLive: true),
    Address(location: "tcp://127.0.0.1:1234", found: "mpegts", isLive: true),
    Address(location: "tcp://127.0.0.1:1234", format: "nut", found: "nut", isLive: true),
    Address(location: "rtp://127.0.0.1:1234", found: "rtp_mpegts", isLive: true),
    Address(location: "http://127.0.0.1/a.m3u8?key=1", found: "hls", isLive: true),
    Address(location: "http://127.0.0.1/a.ts", found: "mpegts", isLive: true),
    Address(location: "/tmp/vstream-not-there.m3u8", found: "hls", isLive: false),
    Address(location: "-", found: "nut", isLive: false, isPipe: true),
    Address(location: "/dev/null", found: "nut", isLive: false, isPipe: true),
  ]

  @Test(arguments: addresses)
  func `a URL's protocol determines the format, and the output is live`(row: Address) throws {
    let destination = try OutputDestination(row.location, format: row.format, overwrite: false)
    #expect(destination.format == row.found)
    #expect(destination.isLive == row.isLive)
    #expect(destination.isPipe == row.isPipe)
    #expect(destination.style == .direct)
    #expect(destination.limit == (row.isLive ? 10 : nil))
  }

  @Test func `a URL without a known format is a usage error`() {
    let error = failure { _ = try OutputDestination("http://127.0.0.1/a", overwrite: false) }
    #expect(error?.code == .usage)
    #expect(error?.remedy.contains("outputFormat") == true)
  }

  @Test func `an existing file is replaced only with overwrite`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("out.mp4")
    try "mine".write(toFile: path, atomically: true, encoding: .utf8)
    let error = failure { _ = try OutputDestination(path, overwrite: false) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("exists already") == true)
    #expect(error?.remedy.contains("overwritesOutput") == true)
    #expect(try OutputDestination(path, overwrite: true).style == .fragmentedPart)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test(arguments: ["out.png", "out.jpg"])
  func `an existing image is replaced only with overwrite`(name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file(name)
    try "mine".write(toFile: path, atomically: true, encoding: .utf8)
    let error = failure { _ = try OutputDestination(path, overwrite: false) }
    #expect(error?.code == .cannotCreateOutput)
  }

  @Test func `a file URL is a file: replaced only with overwrite, and written under a part name`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("out.mp4")
    #expect(try OutputDestination("file://" + path, overwrite: false).style == .fragmentedPart)
    try "mine".write(toFile: path, atomically: true, encoding: .utf8)
    let error = failure { _ = try OutputDestination("file://" + path, overwrite: false) }
    #expect(error?.code == .cannotCreateOutput)
  }

  @Test func `unknown endings and formats are usage errors with valid examples`() throws {
    let folder = try TemporaryFolder()
    for name in ["out", "out.xyz", "out.", "out.txt"] {
      let error = failure { _ = try OutputDestination(folder.file(name), overwrite: false) }
      #expect(error?.code == .usage)
      #expect(error?.message.contains(name) == true)
      #expect(error?.remedy.contains(".mp4") == true)
    }
    let error = failure { _ = try OutputDestination(folder.file("out.mp4"), format: "bogus", overwrite: false) }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("bogus") == true)
  }

  @Test(arguments: ["folder", "folder.mp4"])
  func `a folder is not an output, whatever its name`(name: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
    let error = failure { _ = try OutputDestination(folder.file(name), overwrite: true) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("is a folder") == true)
  }

  @Test func `a missing folder, or a file in its place, is named`() throws {
    let folder = try TemporaryFolder()
    let missing = failure { _ = try OutputDestination(folder.file("no/out.mp4"), overwrite: false) }
    #expect(missing?.code == .cannotCreateOutput)
    #expect(missing?.message.contains(folder.file("no/")) == true)
    try "a file".write(toFile: folder.file("file"), atomically: true, encoding: .utf8)
    let file = failure { _ = try OutputDestination(folder.file("file/out.mp4"), overwrite: false) }
    #expect(file?.code == .cannotCreateOutput)
  }
}
