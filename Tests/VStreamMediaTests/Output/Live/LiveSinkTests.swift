import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

#if canImport(Glibc)
  import Glibc
#endif

/// Network sinks: the errors when they cannot be reached or are lost, and the timeouts of blocked writes.
struct LiveSinkTests {
  private static func source(in folder: TemporaryFolder) throws -> String {
    try Program.ffmpeg(Clip.video("640x480", seconds: "6") + ["-c:v", "ffv1", folder.file("in.mkv")])
    return folder.file("in.mkv")
  }

  /// More data than the network's buffers hold.
  private static let raw = EncoderSettings(codec: "rawvideo", isLowDelay: true)
  private static let coded = EncoderSettings(preset: "ultrafast", isLowDelay: true)

  @Test(.timeLimit(.minutes(30)))
  func `a receiver that stops reading is an error after the timeout`() throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let caller = server.callerAfterBeginning(Data())
    defer { close(caller.wait()) }
    let input = try Self.source(in: folder)
    let location = "tcp://127.0.0.1:\(server.port)?send_buffer_size=4096"
    let error = failure { try Transcoder(settings: Self.raw, timeout: 2).run(input, to: location, format: "nut") }
    #expect(error?.code == .inputOutput)
    #expect(error?.message.contains("accepted no data for 2 s") == true, "\(error?.message ?? "")")
    #expect(error?.remedy.contains("timeout") == true)
  }

  @Test(.timeLimit(.minutes(30)))
  func `a receiver that closes the connection is reported as lost`() throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let input = try Self.source(in: folder)
    let caller = server.callerAfterBeginning(Data(), closes: true)
    let error = failure {
      try Transcoder(settings: Self.raw).run(input, to: "tcp://127.0.0.1:\(server.port)", format: "nut")
    }
    _ = caller.wait()
    #expect(error?.code == .inputOutput)
    #expect(error?.message.contains("closed the connection") == true, "\(error?.message ?? "")")
  }

  @Test(.timeLimit(.minutes(30)), arguments: ["rtsp", "rtmp"])
  func `a server that does not answer is an error after the timeout`(scheme: String) throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let input = try Self.source(in: folder)
    let error = failure {
      try Transcoder(settings: Self.coded, timeout: 2).run(input, to: "\(scheme)://127.0.0.1:\(server.port)/a/b")
    }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message.contains("did not answer for 2 s") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: ["tcp", "rtsp", "rtmp", "http"])
  func `a port without a listener is reported as a refused connection`(scheme: String) throws {
    let folder = try TemporaryFolder()
    let input = try Self.source(in: folder)
    let location = "\(scheme)://127.0.0.1:\(try LocalPort.unused())/a/b.ts"
    let error = failure { try Transcoder(settings: Self.coded).run(input, to: location) }
    #expect(error?.code == .cannotCreateOutput)
    #expect(error?.message == "'\(ShownLocation.text(location))' cannot be opened: connection refused")
    #expect(error?.remedy.contains("address and port") == true)
  }

  @Test(.timeLimit(.minutes(30)))
  func `a trigger ends a blocked write`() throws {
    let server = try SilentServer()
    let interrupt = Interrupt()
    let inner = Interrupt(parent: interrupt)
    #expect(!inner.shouldEnd)
    let folder = try TemporaryFolder()
    let input = try Self.source(in: folder)
    let caller = server.callerAfterBeginning(Data())
    defer { close(caller.wait()) }
    let location = "tcp://127.0.0.1:\(server.port)?send_buffer_size=4096"
    // Once the first bytes have arrived, of many more than the network's buffers hold.
    Thread.detachNewThread {
      var first: UInt8 = 0
      _ = recv(caller.wait(), &first, 1, Int32(MSG_PEEK))
      interrupt.trigger()
    }
    let transcoder = Transcoder(settings: Self.raw, timeout: 60, interrupt: interrupt)
    let error = failure { try transcoder.run(input, to: location, format: "nut") }
    #expect(error?.code == .inputOutput)
    #expect(inner.wasTriggered)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let location: String
    let codec: String
    var testDescription: String { "\(codec) to \(location)" }
  }

  static let rows = [
    Row(location: "rtmp://127.0.0.1:1/a/b", codec: "ffv1"), Row(location: "udp://127.0.0.1:1", codec: "ffv1"),
    Row(location: "rtsp://127.0.0.1:1/a", codec: "ffv1"), Row(location: "tcp://127.0.0.1:1", codec: "libvpx-vp9"),
    Row(location: "a.ts", codec: "ffv1"),
  ]

  @Test(arguments: rows)
  func `a codec that the protocol cannot carry is refused before anything is sent`(row: Row) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video() + ["-c:v", "ffv1", folder.file("in.mkv")])
    let isURL = row.location.contains("://")
    let error = failure {
      try Transcoder(settings: EncoderSettings(codec: row.codec)).run(
        folder.file("in.mkv"), to: isURL ? row.location : folder.file(row.location))
    }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("cannot hold") == true)
    #expect(error?.remedy.contains(isURL ? "libx264" : ".mkv") == true)
  }

  @Test func `an option of the protocol is accepted, and an unknown one is refused`() throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Clip.video() + ["-c:v", "ffv1", folder.file("in.mkv")])
    let location = "udp://127.0.0.1:\(try LocalPort.unused(SOCK_DGRAM))"
    try Transcoder(options: [("ttl", "1"), ("mpegts_flags", "+resend_headers")]).run(
      folder.file("in.mkv"), to: location)
    let error = failure { try Transcoder(options: [("nonsense", "1")]).run(folder.file("in.mkv"), to: location) }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("'nonsense'") == true)
  }
}
