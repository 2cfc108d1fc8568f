import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

#if canImport(Glibc)
  import Glibc
#endif

/// The kind of an input before it is opened, and its timeout and liveness.
struct InputKindTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let location: String
    var format: String?
    let kind: InputKind
    let limit: Double?
    var testDescription: String { location + (format.map { " as \($0)" } ?? "") }
  }

  static let rows = [
    Row(location: "a.mp4", kind: .file, limit: nil),
    Row(location: "file:///a.mp4", kind: .file, limit: nil),
    Row(location: "/dev/null", kind: .pipe, limit: nil),
    Row(location: "rtsp://127.0.0.1/a", kind: .network, limit: 10),
    Row(location: "https://127.0.0.1/a.m3u8", kind: .network, limit: 10),
    Row(location: "udp://127.0.0.1:1", format: "mpegts", kind: .network, limit: 10),
    Row(location: ":0", format: "x11grab", kind: .device, limit: 10),
    Row(location: "testsrc2", format: "lavfi", kind: .file, limit: nil),
    Row(location: "a.raw", format: "rawvideo", kind: .file, limit: nil),
  ]

  @Test(arguments: rows)
  func `location and format determine the kind`(row: Row) {
    let input = MediaInput(row.location, format: row.format)
    #expect(input.kind == row.kind)
    #expect(input.limit == row.limit)
    #expect(MediaInput(row.location, format: row.format, timeout: 3).limit == 3)
  }

  @Test func `a FIFO is a pipe, by its name and by its descriptor`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.ts")
    #expect(mkfifo(path, 0o600) == 0)
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    #expect(MediaInput(path).kind == .pipe)
    #expect(MediaInput("/dev/fd/\(descriptor)").kind == .pipe)
    #expect(MediaInput("/proc/self/fd/\(descriptor)").kind == .pipe)
  }

  @Test func `a socket is a pipe that can be read`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video("32x32") + ["-c:v", "rawvideo", folder.file("in.nut")])
    let bytes = try Data(contentsOf: URL(filePath: folder.file("in.nut")))
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    DispatchQueue.global().async {
      _ = bytes.withUnsafeBytes { send(writing, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      close(writing)
    }
    let reader = try MediaReader(MediaInput("/dev/fd/\(reading)"))
    #expect(reader.container.kind == .pipe)
    #expect(reader.container.isLive)
    var count = 0
    while case .packet = try reader.next() { count += 1 }
    #expect(count == 10)
  }

  @Test(.timeLimit(.minutes(30)))
  func `a pipe without a writer ends at the timeout that is set`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.ts")
    #expect(mkfifo(path, 0o600) == 0)
    let error = failure { _ = try MediaReader(MediaInput(path, timeout: 0.2)) }
    #expect(error?.code == .inputNotFound)
    #expect(error?.message.contains("for 0.2 s") == true)
  }

  @Test func `a file is not live, nor is a generator`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video() + [folder.file("in.mkv")])
    let file = try MediaReader(MediaInput(folder.file("in.mkv")))
    #expect(file.container.kind == .file)
    #expect(!file.container.isLive)
    let made = try MediaReader(MediaInput("testsrc2=size=64x48:rate=10:duration=1", format: "lavfi"))
    #expect(!made.container.isLive)
    var count = 0
    while case .packet = try made.next() { count += 1 }
    #expect(count == 10)
  }

  @Test func `an unknown format is refused, and one of a device is found`() throws {
    let error = failure { _ = try DeviceFormats.find("nonsense") }
    #expect(error?.code == .usage)
    #expect(error?.remedy.contains("ffmpeg -devices") == true)
    #expect(String(cString: try DeviceFormats.find("x11grab").pointee.name) == "x11grab")
    #expect(DeviceFormats.isDevice("x11grab"))
    #expect(!DeviceFormats.isDevice("rawvideo"))
  }

  @Test func `messages do not show a password`() {
    #expect(MediaInput("rtsp://me:secret@host/a").displayName == "'rtsp://me:…@host/a'")
    #expect(MediaInput("rtsp://me@host/a:b@c").displayName == "'rtsp://me@host/a:…@c'")
    #expect(MediaInput("-").displayName == "standard input")
  }
}
