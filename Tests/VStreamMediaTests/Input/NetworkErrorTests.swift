import Foundation
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// The errors of network streams that cannot be read.
struct NetworkErrorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let scheme: String
    let answer: String
    let code: VStreamError.Code
    let expected: String
    let remedy: String
    var testDescription: String { "\(scheme) \(answer.prefix { $0 != "\r" })" }
  }

  private static func http(_ status: String) -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
  }

  private static func rtsp(_ status: String) -> String { "RTSP/1.0 \(status)\r\nCSeq: 1\r\n\r\n" }

  static let rows = [
    Row(
      scheme: "http", answer: http("401 Unauthorized"), code: .inputDenied,
      expected: "requires a user and password (401)",
      remedy: "USER:PASSWORD and an @"),
    Row(
      scheme: "http", answer: http("403 Forbidden"), code: .inputNotFound, expected: "denies access (403)",
      remedy: "administrator"),
    Row(scheme: "http", answer: http("404 Not Found"), code: .inputNotFound, expected: "(404)", remedy: "path"),
    Row(scheme: "http", answer: http("410 Gone"), code: .inputNotFound, expected: "refuses", remedy: "check the URL"),
    Row(
      scheme: "http", answer: http("503 Busy"), code: .inputNotFound, expected: "the server failed",
      remedy: "again later"),
    Row(
      scheme: "rtsp", answer: rtsp("401 Unauthorized"), code: .inputDenied,
      expected: "requires a user and password (401)",
      remedy: "USER:PASSWORD and an @"),
    Row(scheme: "rtsp", answer: rtsp("404 Not Found"), code: .inputNotFound, expected: "(404)", remedy: "path"),
    Row(
      scheme: "http", answer: "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\nno media, but words",
      code: .unreadableInput,
      expected: "not media", remedy: "inputFormat"),
  ]

  @Test(.timeLimit(.minutes(30)), arguments: rows)
  func `the error of a URL has the meaning of the answer, and a remedy`(row: Row) throws {
    let server = try SilentServer()
    let caller = server.callerAfterBeginning(Data(row.answer.utf8), closes: true)
    let location = "\(row.scheme)://127.0.0.1:\(server.port)/a"
    let error = failure { _ = try MediaReader(MediaInput(location)) }
    _ = caller.wait()
    #expect(error?.code == row.code)
    #expect(error?.message.contains(location) == true)
    #expect(error?.message.contains(row.expected) == true, "\(error?.message ?? "")")
    #expect(error?.remedy.contains(row.remedy) == true, "\(error?.remedy ?? "")")
  }

  @Test(arguments: ["rtsp", "http", "tcp"])
  func `a port without a listener refuses the connection`(scheme: String) throws {
    var server: SilentServer? = try SilentServer()
    let port = try #require(server?.port)
    server = nil
    let error = failure { _ = try MediaReader(MediaInput("\(scheme)://127.0.0.1:\(port)/a")) }
    #expect(error?.code == .inputNotFound)
    #expect(error?.message.contains("connection refused") == true)
    #expect(error?.remedy.contains("address and port") == true)
  }

  @Test func `an unknown protocol is wrong usage`() {
    let error = failure { _ = try MediaReader(MediaInput("gopherette://127.0.0.1/a")) }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("not support the protocol 'gopherette'") == true)
  }

  /// The announced length is larger than the data.
  @Test(.timeLimit(.minutes(30)))
  func `an interrupted transfer is an error, not the end`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("in.ts")
    try Program.ffmpeg(Clip.video(seconds: "1") + [file])
    let bytes = try Data(contentsOf: URL(filePath: file))
    let server = try SilentServer()
    let header = "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count * 2)\r\nConnection: close\r\n\r\n"
    let caller = server.callerAfterBeginning(Data(header.utf8) + bytes, closes: true)
    let reader = try MediaReader(MediaInput("http://127.0.0.1:\(server.port)/a.ts"))
    var count = 0
    let error = failure {
      while case .packet = try reader.next() { count += 1 }
    }
    _ = caller.wait()
    #expect(count > 0)
    #expect(error?.code == .inputOutput)
  }
}
