import Foundation
import VStreamTestSupport

/// A TCP connection to this machine, with blocking calls that fail after some seconds.
final class TestConnection {
  private let descriptor: Int32
  private var received: [UInt8] = []

  /// - Parameters:
  ///   - receiveBuffer: bytes that the kernel holds for it; `nil` for its default.
  ///   - client: the address of this machine that it comes from.
  init(port: UInt16, seconds: Int = 30, receiveBuffer: Int32? = nil, from client: String = "127.0.0.1") throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    let codes = [(client, 0, bind), ("127.0.0.1", port, connect)].map { host, port, call in
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr(host)
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
          call(descriptor, general, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    guard codes == [0, 0] else { throw ProgramFailure(description: "connect: \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  /// - Returns: whether all was sent.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Waits for more bytes.
  ///
  /// - Returns: `false` at the end, and if none came in time.
  func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    received += buffer[..<count]
    return true
  }

  /// Takes so many bytes; `nil` if they do not come.
  func take(_ count: Int) -> [UInt8]? {
    while received.count < count { guard receive() else { return nil } }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// Takes all bytes up to an empty line, and that line; `nil` if it does not come.
  func takeHead() -> String? { take(upTo: "\r\n\r\n") }

  /// Takes a chunk of a body whose length is not known before its end; empty at the end, `nil` if none comes.
  func takeChunk() -> [UInt8]? {
    guard let line = take(upTo: "\r\n"), let count = Int(line.dropLast(), radix: 16) else { return nil }
    return take(count + 2)?.dropLast(2)
  }

  private func take(upTo text: String) -> String? {
    while true {
      if let end = received.firstRange(of: Array(text.utf8)) {
        return take(end.upperBound).map { String(decoding: $0, as: UTF8.self) }
      }
      guard receive() else { return nil }
    }
  }
}

/// An answer to a request.
struct TestResponse {
  var status: Int
  /// By lower-case names.
  var headers: [String: String]
  var body: [UInt8]

  /// Sends a request on a connection of its own, and takes the answer.
  ///
  /// - Parameter lines: headers beside `Host` and `Content-Length`.
  init(
    _ method: String, _ path: String, port: UInt16, headers lines: [String] = [], body: String = "",
    host: String? = nil, from client: String = "127.0.0.1"
  ) throws {
    let connection = try TestConnection(port: port, from: client)
    let head =
      ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Content-Length: \(body.utf8.count)"]
      + lines
    connection.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8))
    try self.init(connection, hasBody: method != "HEAD")
  }

  /// Takes the answer to the request that was sent on a connection.
  ///
  /// - Parameter hasBody: whether the body is taken, too.
  init(_ connection: TestConnection, hasBody: Bool = true) throws {
    guard let head = connection.takeHead() else { throw ProgramFailure(description: "no response") }
    let parts = head.components(separatedBy: "\r\n")
    headers = [:]
    for line in parts.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    status = Int(parts[0].split(separator: " ").dropFirst().first ?? "") ?? 0
    body = []
    guard hasBody else { return }
    if headers["transfer-encoding"] == "chunked" {
      while let chunk = connection.takeChunk(), !chunk.isEmpty { body += chunk }
    } else {
      body = connection.take(Int(headers["content-length"] ?? "") ?? 0) ?? []
    }
  }

  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSONValue { get throws { try JSONValue(json: text) } }
}

/// A WebSocket, as a browser opens it.
final class TestWebSocket {
  enum Message {
    case text(String)
    case binary([UInt8])
    case close
  }

  private let connection: TestConnection
  /// The response to the request that opened it.
  let head: String

  /// The headers with which a WebSocket is opened.
  static let upgrade = [
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ]

  init(port: UInt16, _ path: String, headers: [String] = [], receiveBuffer: Int32? = nil) throws {
    connection = try TestConnection(port: port, receiveBuffer: receiveBuffer)
    let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + Self.upgrade + headers
    connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    head = connection.takeHead() ?? ""
  }

  var isOpen: Bool { head.hasPrefix("HTTP/1.1 101") }

  /// The next message; `nil` if none comes.
  func next() -> Message? {
    while let start = connection.take(2) {
      var length = Int(start[1] & 0x7F)
      if length >= 126 {
        guard let more = connection.take(length == 126 ? 2 : 8) else { return nil }
        length = more.reduce(0) { $0 << 8 | Int($1) }
      }
      guard let bytes = connection.take(length) else { return nil }
      switch start[0] & 0xF {
      case 1: return .text(String(decoding: bytes, as: UTF8.self))
      case 2: return .binary(bytes)
      case 8: return .close
      default: continue
      }
    }
    return nil
  }

  /// The next text message of a type.
  func next(_ type: String) throws -> JSONValue? {
    while let message = next() {
      guard case .text(let text) = message else { continue }
      let value = try JSONValue(json: text)
      if value["type"]?.text == type { return value }
    }
    return nil
  }

  /// Sends a frame, masked as clients have to.
  func send(_ opcode: UInt8, _ bytes: [UInt8]) {
    connection.send([0x80 | opcode, 0x80 | UInt8(min(bytes.count, 125)), 0, 0, 0, 0] + bytes.prefix(125))
  }
}
