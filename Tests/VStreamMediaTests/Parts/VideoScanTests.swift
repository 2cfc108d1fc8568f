import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

struct VideoScanTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let file: String
    let encoder: [String]
    let keys: [Int64?]
    var startsAtKeyFrames = true
    var canSeek = true
  }

  static let rows = [
    Row(
      testDescription: "MP4 with B-frames", file: "a.mp4",
      encoder: ["-c:v", "libx264", "-g", "10", "-bf", "2", "-sc_threshold", "0"], keys: [0, 10_240, 20_480]),
    Row(
      testDescription: "Matroska", file: "a.mkv", encoder: ["-c:v", "libx264", "-g", "15", "-sc_threshold", "0"],
      keys: [0, 1500]),
    Row(
      testDescription: "AVI", file: "a.avi", encoder: ["-c:v", "mpeg4", "-g", "12", "-sc_threshold", "1000000000"],
      keys: [0, 12, 24]),
    Row(
      testDescription: "a transport stream, whose clock wraps around", file: "a.ts",
      encoder: ["-c:v", "libx264", "-g", "15", "-sc_threshold", "0", "-muxdelay", "0"], keys: [0, 135_000],
      canSeek: false),
    Row(
      testDescription: "interlaced", file: "i.mkv",
      encoder: [
        "-vf", "setfield=tff", "-c:v", "mpeg2video", "-g", "15", "-flags", "+ilme+ildct", "-field_order", "tt",
      ],
      keys: [0, 1500], startsAtKeyFrames: false),
  ]

  @Test(arguments: rows)
  func `key frames and whether a seek finds them`(row: Row) throws {
    let path = folder.file(row.file)
    try Program.ffmpeg(Clip.video(seconds: "3") + row.encoder + [path])
    let scan = try VideoScan(MediaInput(path))
    #expect(scan.entries.count == 30)
    #expect(scan.damaged == 0)
    let keys = scan.entries.filter(\.isKey).map(\.ticks)
    let first = keys.first.flatMap { $0 } ?? 0
    #expect(row.canSeek ? keys == row.keys : keys.map { $0.map { $0 - first } } == row.keys)
    #expect(scan.startsAtKeyFrames == row.startsAtKeyFrames)
    for case let key? in keys { #expect(scan.canSeek(toKeyFrameAt: key) == row.canSeek) }
    #expect(!scan.canSeek(toKeyFrameAt: (keys.last.flatMap { $0 } ?? 0) + 1))
  }

  @Test func `progress is reported`() throws {
    let path = folder.file("long.mkv")
    try Program.ffmpeg(Clip.video("32x32", rate: "100", seconds: "21") + ["-c:v", "libx264", path])
    var seconds: [Double] = []
    _ = try VideoScan(MediaInput(path)) { seconds.append($0) }
    #expect(seconds.count == 2)
    #expect(seconds.allSatisfy { abs($0.truncatingRemainder(dividingBy: 10) - 10) < 0.2 || $0 > 9.8 })
  }

  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (inout [UInt8]) -> Void
    var isSame = false
  }

  static let changes = [
    Change(testDescription: "the same", change: { _ in }, isSame: true),
    Change(testDescription: "the first byte", change: { $0[0] ^= 1 }),
    Change(testDescription: "the last byte", change: { $0[$0.count - 1] ^= 1 }),
    Change(testDescription: "one byte more", change: { $0.append(0) }),
    Change(testDescription: "one byte less", change: { $0.removeLast() }),
  ]

  @Test(arguments: changes)
  func `an input is recognised by its size and its ends`(change: Change) throws {
    var bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let path = folder.file("input")
    try Data(bytes).write(to: URL(filePath: path))
    let identity = try InputIdentity(of: MediaInput(path))
    #expect(identity.bytes == 3_000_000)
    #expect(identity.name == "input")
    change.change(&bytes)
    try Data(bytes).write(to: URL(filePath: path))
    if change.isSame {
      try identity.require(MediaInput(path), plan: "p.json")
    } else {
      let error = #expect(throws: VStreamError.self) { try identity.require(MediaInput(path), plan: "p.json") }
      #expect(error?.code == .unreadableInput)
    }
  }

  @Test func `an input of another name is the same one`() throws {
    let one = try InputIdentity(of: MediaInput(try folder.write("one", "abc")))
    let same = try InputIdentity(of: MediaInput(try folder.write("two", "abc")))
    let other = try InputIdentity(of: MediaInput(try folder.write("three", "abd")))
    #expect(one != same && one.isSame(as: same) && !one.isSame(as: other))
  }

  @Test func `checksums are those of sha256sum`() throws {
    let path = try folder.write("small", "abc")
    let identity = try InputIdentity(of: MediaInput(path))
    #expect(identity.headSHA256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(identity.tailSHA256 == identity.headSHA256)
  }

  @Test func `an input that is not there is an error`() {
    let error = #expect(throws: VStreamError.self) { try InputIdentity(of: MediaInput("/nowhere/a.mp4")) }
    #expect(error?.code == .inputNotFound)
  }
}
