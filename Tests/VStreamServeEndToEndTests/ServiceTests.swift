import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// The server as a service, and by TLS.
struct ServiceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The socket to which a service reports its state, as systemd makes it.
  private final class NotifySocket {
    private let descriptor: Int32

    init(_ path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var limit = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard code == 0 else { throw ProgramFailure(description: "bind: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// The next state; `nil` if none comes.
    func next() -> String? {
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
  }

  @Test func `systemd is notified of the start, of life, and of the end`() throws {
    let socket = try NotifySocket(folder.file("notify"))
    let program = try ServeProgram(
      ["rtsp://127.0.0.1:9/live", "--detect", "none"],
      environment: ["NOTIFY_SOCKET": folder.file("notify"), "WATCHDOG_USEC": "200000"])
    #expect(socket.next() == "READY=1")
    #expect(socket.next() == "WATCHDOG=1")
    #expect(socket.next() == "WATCHDOG=1")
    #expect(program.stop() == 130)
    var last: String?
    while last != "STOPPING=1", let state = socket.next() { last = state }
    #expect(last == "STOPPING=1")
  }

  @Test func `the unit starts the installed program, and can be reloaded`() throws {
    let path = Checkout.root.appending(path: "scripts/vstream-serve.service")
    let unit = try String(contentsOf: path, encoding: .utf8)
    for line in [
      "Type=notify", "ExecStart=@PREFIX@/bin/vstream-serve /etc/vstream/cameras.yaml", "SuccessExitStatus=130",
    ] {
      #expect(unit.contains("\(line)\n"), "\(line)")
    }
    #expect(unit.contains("kill -HUP") && unit.contains("WatchdogSec="))
  }

  /// Nobody reads its messages, so that the first signal cannot end the program: its last message waits. A second signal without
  /// effect leaves it waiting until it is killed, after a minute instead of the usual limit.
  @Test(arguments: [SIGINT, SIGTERM]) func `a second signal ends the program at once`(second: Int32) throws {
    let socket = try NotifySocket(folder.file("notify"))
    let messages = try OpenPipe()
    let program = try Child(
      [ServeProgram.path, "--listen", "127.0.0.1:0", "rtsp://127.0.0.1:9/live", "--detect", "none"],
      environment: ["NOTIFY_SOCKET": folder.file("notify")], errors: messages.writing)
    #expect(socket.next() == "READY=1")
    try messages.fill()
    program.send(SIGINT)
    #expect(socket.next() == "STOPPING=1")
    program.send(second)
    #expect(program.wait(limit: 60) == (130, nil))
    messages.closeWriting()
    #expect(!String(decoding: messages.readToEnd(), as: UTF8.self).contains("stopped"))
  }

  /// The signal comes with the first message, when the program has hardly started: it may not be lost.
  @Test func `a signal at the start ends the program`() throws {
    for _ in 0..<25 {
      let program = try Background([
        ServeProgram.path, "rtsp://127.0.0.1:9/live", "--detect", "none", "--listen", "127.0.0.1:0",
      ])
      try program.wait(for: "its first message") { $0.contains("refused") || $0.contains("serving") ? true : nil }
      program.send(SIGTERM)
      #expect(program.wait(limit: 60) == 130, "\(program.said)")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM]) func `either signal closes the program cleanly`(signal: Int32) throws {
    let program = try ServeProgram(["rtsp://127.0.0.1:9/live", "--detect", "none"])
    program.send(signal)
    try program.wait(for: "stopped")
    #expect(program.stop() == 130)
  }

  @Test func `messages as JSON lines`() throws {
    let program = try ServeProgram(["rtsp://127.0.0.1:9/live", "--detect", "none", "--log-format", "json"])
    try program.wait(for: "connection refused")
    #expect(program.stop() == 130)
    for line in program.said.split(separator: "\n") {
      let value = try JSONValue(json: line)
      #expect(value["time"]?.text?.hasSuffix("Z") == true && value["message"]?.text?.isEmpty == false)
    }
  }

  @Test func `TLS of 1.2 or newer`() throws {
    let (certificate, key) = (folder.file("cert.pem"), folder.file("key.pem"))
    let made = try Program.run(
      "/usr/bin/env",
      ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
        + ["-keyout", key, "-out", certificate])
    #expect(made.status == 0, "\(made.errors)")
    let tls = ["--tls-certificate", certificate, "--tls-key", key]
    let program = try ServeProgram(["rtsp://127.0.0.1:9/live", "--detect", "none"] + tls)
    #expect(program.said.contains("https://127.0.0.1:"))
    func connect(_ option: String) throws -> String {
      let command =
        "printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' | "
        + "timeout 20 openssl s_client -quiet -connect 127.0.0.1:\(program.port) \(option) 2>/dev/null"
      return try Program.run("/usr/bin/env", ["bash", "-c", command]).text
    }
    for version in ["-tls1_2", "-tls1_3"] { #expect(try connect(version).contains("HTTP/1.1 200 OK"), "\(version)") }
    #expect(try connect("-tls1_1 -cipher DEFAULT@SECLEVEL=0") == "")
    #expect(program.stop() == 130)
    let other = folder.file("other.pem")
    #expect(try Program.run("/usr/bin/env", ["openssl", "genrsa", "-out", other, "2048"]).status == 0)
    let reasons = [
      (key, key, "the certificate cannot be read"), (folder.file("none"), key, "the certificate cannot be read"),
      (certificate, certificate, "the private key cannot be read"), (certificate, other, "is not the certificate's"),
    ]
    for (certificate, key, reason) in reasons {
      let wrong = try Program.run(
        ServeProgram.path, ["rtsp://a/", "--detect", "none", "--tls-certificate", certificate, "--tls-key", key])
      #expect(
        wrong.status == 64 && wrong.errors.contains("\(reason)") && wrong.errors.contains("PEM"), "\(wrong.errors)")
    }
  }

  @Test func `an address that is taken is an error`() throws {
    let program = try ServeProgram(["rtsp://127.0.0.1:9/live", "--detect", "none"])
    let other = try Program.run(
      ServeProgram.path, ["rtsp://127.0.0.1:9/live", "--detect", "none", "--listen", "127.0.0.1:\(program.port)"])
    let message = "vstream: cannot listen at 127.0.0.1:\(program.port): another program uses it; choose another"
    // Its camera may have been refused before.
    #expect(other.status == 73 && "\n\(other.errors)".contains("\n\(message)"), "\(other.errors)")
    #expect(program.stop() == 130)
    let token = try folder.write("token", "a-token-of-24-characters")
    for (address, reason) in [
      ("203.0.113.1:0", "this machine has no such address"), ("no.invalid:0", "no address is known"),
    ] {
      let arguments = ["rtsp://127.0.0.1:9/live", "--detect", "none", "--listen", address, "--token-file", token]
      let refused = try Program.run(ServeProgram.path, arguments)
      #expect(refused.status == 73 && refused.errors.contains("\(address): \(reason)"), "\(refused.errors)")
    }
  }

  /// Sources that do not answer for as long as their timeout.
  @Test func `removed cameras delay no request`() throws {
    let silent = try SilentServer()
    let lines = (0..<24).map { "  c\($0): {source: 'rtsp://127.0.0.1:\(silent.port)/', detect: none, timeout: 60}\n" }
    let program = try ServeProgram([folder.write("c.yaml", "cameras:\n" + lines.joined())])
    let start = ContinuousClock.now
    for number in 0..<23 { #expect(try program.request("DELETE", "/api/v1/cameras/c\(number)").status == 204) }
    #expect(try program.request("GET", "/healthz").status == 200)
    #expect(try program.request("GET", "/api/v1/cameras").text.contains("\"name\":\"c23\""))
    #expect(ContinuousClock.now - start < .seconds(10))
    #expect(program.stop() == 130)
  }

  /// Whichever way it was asked for, what was written last holds.
  @Test func `reloads by signal and by request follow one another`() throws {
    func write(_ number: Int) throws -> String {
      let cameras = (0..<4).map { "  c\(number)-\($0): {source: 'rtsp://127.0.0.1:9/', detect: none}\n" }
      return try folder.write("c.yaml", "cameras:\n" + cameras.joined())
    }
    let program = try ServeProgram([write(0)])
    for number in 1...20 {
      _ = try write(number)
      program.send(SIGHUP)
      let list = try program.request("POST", "/api/v1/reload")
      #expect(list.status == 200)
      let names = try list.json["cameras"]?.list?.compactMap { $0["name"]?.text }
      #expect(names == (0..<4).map { "c\(number)-\($0)" })
    }
    #expect(program.stop() == 130)
  }
}

/// A port at which connections are made, and nothing answers.
private final class SilentServer {
  private let descriptor: Int32
  let port: UInt16

  init() throws {
    port = try LocalPort.unused()
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0, listen(descriptor, 64) == 0 else { throw ProgramFailure(description: "no port") }
  }

  deinit { close(descriptor) }
}
