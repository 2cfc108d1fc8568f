import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// Access control of the running server, and that no client ends it.
struct ServerSecurityTests {
  private static let token = "a-token-of-24-characters"

  /// A server with a camera that is not there.
  private func server(_ arguments: [String] = []) throws -> ServeProgram {
    try ServeProgram(["rtsp://127.0.0.1:9/live", "--detect", "none"] + arguments)
  }

  @Test func `not one byte of a camera without the token`() throws {
    let folder = try TemporaryFolder()
    let program = try server(["--token-file", folder.write("token", Self.token)])
    #expect(try program.request("GET", "/healthz").status == 200)
    let paths = [
      "/", "/metrics", "/api/v1/cameras", "/api/v1/cameras/127.0.0.1", "/api/v1/cameras/127.0.0.1/frame.jpg",
      "/api/v1/cameras/127.0.0.1/live", "/api/v1/reload", "/nothing", "/healthz/../metrics", "/%68ealthz/x",
    ]
    for path in paths {
      for method in ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"] {
        let response = try program.request(method, path)
        #expect(response.status == 401, "\(method) \(path): \(response.status)")
        #expect(!response.text.contains("127.0.0.1"))
      }
    }
    #expect(try !TestWebSocket(port: program.port, "/api/v1/cameras/127.0.0.1/live").isOpen)
    let bearer = "Authorization: Bearer \(Self.token)"
    #expect(try program.request("GET", "/api/v1/cameras", headers: [bearer]).status == 200)
    #expect(
      try TestWebSocket(port: program.port, "/api/v1/cameras/127.0.0.1/live", headers: [bearer]).isOpen)
    #expect(
      try !TestWebSocket(
        port: program.port, "/api/v1/cameras/127.0.0.1/live", headers: [bearer, "Origin: http://evil.example"]
      ).isOpen)
    // The token of the address becomes a cookie, and leaves the address.
    let entry = try program.request("GET", "/?token=\(Self.token)")
    #expect(entry.status == 303 && entry.headers["location"] == "./")
    let cookie = try #require(entry.headers["set-cookie"])
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    let session = cookie.prefix { $0 != ";" }
    let page = try program.request("GET", "/", headers: ["Cookie: \(session)"])
    #expect(page.status == 200 && page.text.contains("<!DOCTYPE html>"))
    #expect(program.stop() == 130)
    #expect(!program.said.contains(Self.token))
  }

  @Test func `the page runs nothing but its own script`() throws {
    let program = try server()
    let page = try program.request("GET", "/")
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
    let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-f]{32})'/)?.1)
    #expect(page.text.contains("<script nonce=\"\(nonce)\">"))
    #expect(!page.text.contains("NONCE") && !page.text.contains("http://") || page.text.contains("www.w3.org"))
    #expect(try program.request("GET", "/").headers["content-security-policy"] != policy)
    #expect(page.headers["x-content-type-options"] == "nosniff")
    #expect(try program.request("GET", "/", host: "evil.example").status == 403)
  }

  /// A browser, and the proxy before it, sends other requests on the connection on which it then opens a WebSocket.
  @Test func `a WebSocket is opened on a connection that had other requests`() throws {
    let program = try server()
    let connection = try TestConnection(port: program.port)
    func send(_ path: String, _ headers: [String] = []) {
      let lines = ["GET \(path) HTTP/1.1", "Host: localhost"] + headers
      connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    }
    for path in ["/healthz", "/api/v1/cameras", "/nothing", "/metrics"] {
      send(path)
      let response = try TestResponse(connection)
      #expect(response.status == (path == "/nothing" ? 404 : 200) && response.headers["connection"] == nil)
    }
    send("/api/v1/cameras/127.0.0.1/live", TestWebSocket.upgrade)
    #expect(try TestResponse(connection).status == 101)
    #expect(program.stop() == 130)
  }

  struct RefusedRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var path = "/api/v1/cameras/127.0.0.1/live"
    let headers: [String]
    let status: Int
  }

  static let bearer = "Authorization: Bearer \(token)"

  @Test(arguments: [
    RefusedRow(testDescription: "no token", headers: TestWebSocket.upgrade, status: 401),
    RefusedRow(
      testDescription: "another server's page", headers: TestWebSocket.upgrade + [bearer, "Origin: http://evil"],
      status: 403),
    RefusedRow(
      testDescription: "no camera", path: "/api/v1/cameras/x/live", headers: TestWebSocket.upgrade + [bearer],
      status: 404),
    RefusedRow(
      testDescription: "no such address", path: "/live", headers: TestWebSocket.upgrade + [bearer], status: 404),
    RefusedRow(testDescription: "an older version", headers: ["Sec-WebSocket-Version: 8", bearer], status: 426),
    RefusedRow(
      testDescription: "an upgrade to an older version",
      headers: TestWebSocket.upgrade.map { $0.replacingOccurrences(of: "13", with: "8") } + [bearer], status: 426),
    RefusedRow(
      testDescription: "no key", headers: ["Upgrade: websocket", "Connection: Upgrade", bearer], status: 426),
    RefusedRow(
      testDescription: "another protocol", headers: ["Upgrade: h2c", "Connection: Upgrade", bearer], status: 426),
  ]) func `a WebSocket that is refused is answered, and its connection ends`(row: RefusedRow) throws {
    let folder = try TemporaryFolder()
    let program = try server(["--token-file", folder.write("token", Self.token)])
    let connection = try TestConnection(port: program.port)
    let lines = ["GET \(row.path) HTTP/1.1", "Host: localhost"] + row.headers
    connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    let response = try TestResponse(connection)
    #expect(response.status == row.status && response.text.contains("\"error\":"), "\(response)")
    if row.headers.contains(where: { $0.hasPrefix("Upgrade") }) {
      #expect(response.headers["connection"] == "close" && !connection.receive())
    }
    if row.status == 426 { #expect(response.headers["sec-websocket-version"] == "13") }
    #expect(program.stop() == 130)
  }

  @Test func `a refused WebSocket is one wrong token, not more`() throws {
    let folder = try TemporaryFolder()
    let program = try server(["--token-file", folder.write("token", Self.token)])
    for number in 0...FailureLimit.maximumCount {
      let socket = try TestWebSocket(
        port: program.port, "/api/v1/cameras/127.0.0.1/live", headers: ["Authorization: Bearer wrong"])
      let status = number < FailureLimit.maximumCount ? 401 : 429
      #expect(socket.head.hasPrefix("HTTP/1.1 \(status) "), "\(number): \(socket.head)")
    }
    #expect(program.stop() == 130)
  }

  @Test func `requests have limits`() throws {
    let program = try server()
    let large = String(repeating: "x", count: HTTPHandler.maximumBodyBytes + 1)
    #expect(try program.request("PUT", "/api/v1/cameras/a", body: large).status == 413)
    #expect(try program.request("GET", "/" + String(repeating: "a", count: 5000)).status == 400)
    #expect(try program.request("GET", "/", headers: ["X: " + String(repeating: "a", count: 9000)]).status >= 400)
    #expect(try program.request("GET", "/healthz").status == 200)
  }

  /// Whatever clients send, the server goes on.
  @Test(arguments: 0..<4) func `no client ends the server`(seed: UInt64) throws {
    let program = try server()
    var numbers = SeededNumbers(seed: seed)
    let starts = [
      "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
      "PUT /api/v1/cameras/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
      "GET /api/v1/cameras/127.0.0.1/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      "POST /api/v1/reload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
    ]
    for number in 0..<2500 {
      var bytes = Array(starts[Int(numbers.next() % UInt64(starts.count))].utf8)
      for _ in 0..<numbers.next() % 6 where number % 3 > 0 {
        bytes[Int(numbers.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: numbers.next())
      }
      if number % 2 == 0 {
        bytes += (0..<Int(numbers.next() % 64)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
      }
      let connection = try TestConnection(port: program.port, seconds: 1)
      connection.send(bytes)
      if number % 100 == 0 { _ = connection.receive() }
    }
    #expect(try program.request("GET", "/healthz").text == "ok\n", "\(program.said)")
    #expect(program.stop() == 130)
  }
}
