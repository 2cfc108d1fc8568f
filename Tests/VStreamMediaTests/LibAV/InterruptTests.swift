import Dispatch
import Foundation
import Synchronization
import Testing
import VStreamCore
import VStreamMedia
import VStreamTestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// A server on this machine that accepts connections and sends nothing, or only the start of an answer.
final class SilentServer: Sendable {
  private let descriptor: Int32
  let port: UInt16

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fd = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        bind(fd, general, length) == 0 && listen(fd, 8) == 0 && getsockname(fd, general, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  deinit { close(descriptor) }

  /// Accepts one connection on another thread, and sends it the start of an answer and no more.
  ///
  /// - Parameter closes: Whether the connection is then closed, after a request was received.
  func callerAfterBeginning(_ bytes: Data, closes: Bool = false) -> Caller {
    let caller = Caller()
    let listening = descriptor
    DispatchQueue.global().async(group: caller.group) {
      let connection = accept(listening, nil, nil)
      var question = [UInt8](repeating: 0, count: 4096)
      if closes { _ = recv(connection, &question, question.count, 0) }
      _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if closes { close(connection) }
      caller.connection.withLock { $0 = connection }
    }
    return caller
  }

  /// The connection of a client.
  final class Caller: Sendable {
    fileprivate let group = DispatchGroup()
    fileprivate let connection = Mutex<Int32>(-1)

    /// The connection's descriptor, once all is sent; the caller closes it.
    func wait() -> Int32 {
      group.wait()
      return connection.withLock { $0 }
    }
  }
}

/// Blocking calls end at their time limit, or when they are interrupted.
struct InterruptTests {
  @Test(.timeLimit(.minutes(30)), arguments: ["tcp", "http", "rtsp", "rtmp"])
  func `opening a source that sends nothing ends at the timeout`(scheme: String) throws {
    let server = try SilentServer()
    let location = "\(scheme)://127.0.0.1:\(server.port)/a.ts"
    let error = failure { _ = try MediaReader(MediaInput(location, timeout: 2)) }
    #expect(error?.code == .inputNotFound)
    #expect(error?.message.contains("\(location)' did not answer for 2 s") == true)
    #expect(error?.remedy.contains("timeout") == true)
  }

  @Test(.timeLimit(.minutes(30)))
  func `probing a source that stops sending ends at the timeout`() throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let file = folder.file("in.ts")
    try Program.ffmpeg(Clip.video(seconds: "1") + [file])
    let bytes = try Data(contentsOf: URL(filePath: file)).prefix(3000)
    let caller = server.callerAfterBeginning(bytes)
    defer { close(caller.wait()) }
    let location = "tcp://127.0.0.1:\(server.port)"
    let error = failure { _ = try MediaReader(MediaInput(location, format: "mpegts", timeout: 2)) }
    #expect(error?.code == .inputNotFound)
    #expect(error?.message.contains("for 2 s") == true)
  }

  @Test(.timeLimit(.minutes(30)))
  func `reading from a source that stops sending ends at the timeout with an error`() throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let file = folder.file("in.ts")
    try Program.ffmpeg(Clip.video(seconds: "1") + [file])
    let bytes = try Data(contentsOf: URL(filePath: file))
    let caller = server.callerAfterBeginning(bytes)
    defer { close(caller.wait()) }

    // With a small probe size, opening does not wait for more than the start.
    let options = [(key: "probesize", value: "2000"), (key: "analyzeduration", value: "0")]
    let input = MediaInput("tcp://127.0.0.1:\(server.port)", format: "mpegts", options: options, timeout: 2)
    let reader = try MediaReader(input)
    var count = 0
    let error = failure {
      while case .packet = try reader.next() { count += 1 }
    }
    #expect(count > 0)
    #expect(error?.code == .inputOutput)
    #expect(error?.message.contains("sent no data for 2 s") == true)
    #expect(error?.remedy.contains("timeout") == true)
  }

  @Test(.timeLimit(.minutes(30)))
  func `a trigger ends a blocking call`() throws {
    let server = try SilentServer()
    let interrupt = Interrupt()
    Thread.detachNewThread { interrupt.trigger() }
    let error = failure {
      _ = try MediaReader(MediaInput("tcp://127.0.0.1:\(server.port)", format: "mpegts"), interrupt: interrupt)
    }
    #expect(interrupt.wasTriggered)
    #expect(error != nil)
  }

  @Test(.timeLimit(.minutes(30)))
  func `after a trigger a reader is at its end`() throws {
    let server = try SilentServer()
    let folder = try TemporaryFolder()
    let file = folder.file("in.ts")
    try Program.ffmpeg(Clip.video(seconds: "1") + [file])
    let bytes = try Data(contentsOf: URL(filePath: file))
    let caller = server.callerAfterBeginning(bytes)
    defer { close(caller.wait()) }
    let interrupt = Interrupt()
    let options = [(key: "probesize", value: "2000"), (key: "analyzeduration", value: "0")]
    let input = MediaInput("tcp://127.0.0.1:\(server.port)", format: "mpegts", options: options)
    let reader = try MediaReader(input, interrupt: interrupt)
    interrupt.trigger()
    var hasEnded = false
    while !hasEnded {
      if case .end = try reader.next() { hasEnded = true }
    }
    #expect(hasEnded)
  }
}
