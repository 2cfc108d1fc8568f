import Foundation

/// Ports of the local host.
public enum LocalPort {
  /// A port that is not in use, and was not shortly before.
  ///
  /// - Parameter type: `SOCK_STREAM` or `SOCK_DGRAM`.
  public static func unused(_ type: __socket_type = SOCK_STREAM) throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(type.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        bind(descriptor, general, length) == 0 && getsockname(descriptor, general, &length) == 0
      }
    }
    guard isBound else { throw ProgramFailure(description: "no port: \(String(cString: strerror(errno)))") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Waits until a program of this machine listens at a port.
  ///
  /// - Throws: `ProgramFailure` if that took longer than `Program.limit` seconds.
  public static func waitUntilListening(_ port: UInt16, udp: Bool = false) throws {
    // As the kernel lists them: the port in hexadecimal digits, then the state: 0A listens, 07 is bound (UDP).
    let wanted = ":" + String(format: "%04X", port)
    let deadline = ContinuousClock.now + .seconds(Program.limit)
    while ContinuousClock.now < deadline {
      let table = (try? String(contentsOfFile: "/proc/net/\(udp ? "udp" : "tcp")", encoding: .utf8)) ?? ""
      let isThere = table.split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        return fields.count > 3 && fields[1].hasSuffix(wanted) && fields[3] == (udp ? "07" : "0A")
      }
      if isThere { return }
      sched_yield()
    }
    throw ProgramFailure(description: "no process listens at port \(port)")
  }
}

/// An RTSP server on this machine that serves a clip and receives streams; `killNow`, then a new server on the same port,
/// simulates a failure.
public final class RTSPServer: Sendable {
  private let program: Background
  public let port: UInt16

  /// - Parameters:
  ///   - clip: an MP4 of H.264; of AAC as well if its name holds `-with-sound`.
  ///   - recorded: where H.264 that is sent to `recordURL` goes.
  ///   - port: 0 for any.
  public init(_ clip: String, recorded: String? = nil, port: UInt16 = 0) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "rtsp-server").path
    program = try Background([script, "\(port)", clip] + (recorded.map { [$0] } ?? []))
    self.port = try program.wait(for: "its port") { said in
      said.split(separator: "\n").first { $0.hasPrefix("ready ") }.flatMap { UInt16($0.dropFirst(6)) }
    }
  }

  public var url: String { "rtsp://127.0.0.1:\(port)/live" }
  public var recordURL: String { "rtsp://127.0.0.1:\(port)/record" }

  public func killNow() { program.killNow() }

  /// Stops it without closing its connections, as when a cable is pulled.
  public func freeze() { program.send(SIGSTOP) }
}

/// A virtual screen with a moving window.
public final class Screen: Sendable {
  private let server: Background
  private let window: Background
  private let mover: Background
  /// As X11 names it: `:3`.
  public let display: String

  /// - Parameters:
  ///   - size: as FFmpeg takes it, `320x240`; the window is half as wide and high.
  public init(width: Int, height: Int) throws {
    server = try Background(["Xvfb", "-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-nolisten", "tcp"])
    let display = try server.wait(for: "its number") { said in
      said.split(separator: "\n", omittingEmptySubsequences: false).dropLast().lazy.compactMap { Int($0) }.first
    }
    self.display = ":\(display)"
    let variables = ["DISPLAY": self.display, "SDL_AUDIODRIVER": "dummy"]
    let source = "testsrc2=size=\(width / 2)x\(height / 2):rate=25"
    window = try Background(
      ["ffplay", "-v", "error", "-nostats", "-noborder", "-f", "lavfi", source], environment: variables)
    // Repeatedly from left to right in wide steps, as fast as possible.
    let script = """
      id=$(xdotool search --sync --onlyvisible --class ffplay | head -n 1) && echo "found $id"
      while :; do for x in $(seq 0 \(width / 8) \(width / 2)); do xdotool windowmove "$id" $x \(height / 4) || exit 1; done; done
      """
    mover = try Background(["bash", "-c", script], environment: variables)
    try mover.wait(for: "the window") { $0.contains("found ") ? true : nil }
  }
}

/// An HTTP server on this machine that serves one file, with the given failures.
public final class FileServer: Sendable {
  private let program: Background
  public let port: UInt16

  /// - Parameter behaviours: the handling of the first request, the second, and so on; see `file-server`.
  public init(_ file: String, _ behaviours: [String] = ["whole"]) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "file-server").path
    program = try Background([script, file] + behaviours)
    port = try program.wait(for: "its port") { said in
      said.split(separator: "\n").first { $0.hasPrefix("ready ") }.flatMap { UInt16($0.dropFirst(6)) }
    }
  }

  /// The address of everything on it.
  public var prefix: String { "http://127.0.0.1:\(port)/" }

  /// The ranges of the requests, as sent: `bytes=0-`.
  ///
  /// - Parameter count: the minimum number of requests to wait for.
  public func requests(_ count: Int) throws -> [String] {
    try program.wait(for: "\(count) requests") { said in
      let lines = said.split(separator: "\n").filter { $0.hasPrefix("GET ") }
      return lines.count < count ? nil : lines.compactMap { $0.split(separator: " ").last.map(String.init) }
    }
  }
}
