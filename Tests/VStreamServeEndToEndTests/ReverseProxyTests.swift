import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// The server behind nginx, as the documentation configures them.
struct ReverseProxyTests {
  private static let token = "a-token-of-24-characters"
  private static let live = "/cams/api/v1/cameras/127.0.0.1/live"
  private static let bearer = "Authorization: Bearer \(token)"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func server(_ arguments: [String]) throws -> ServeProgram {
    try ServeProgram(
      ["rtsp://127.0.0.1:9/live", "--detect", "none", "--token-file", folder.write("token", Self.token)] + arguments)
  }

  /// The status of a request to open a WebSocket.
  private func open(
    _ proxy: ReverseProxy, _ path: String = live, _ headers: [String] = [], from client: String = "127.0.0.2"
  ) throws -> Int {
    try TestResponse("GET", path, port: proxy.port, headers: TestWebSocket.upgrade + headers, from: client).status
  }

  @Test func `every address works below a path`() throws {
    let program = try server(["--trusted-proxy", "127.0.0.1"])
    let proxy = try ReverseProxy(to: program.port, in: folder)
    let page = "http://127.0.0.1:\(proxy.port)"
    func get(_ path: String, _ headers: [String] = []) throws -> TestResponse {
      try TestResponse("GET", path, port: proxy.port, headers: headers, from: "127.0.0.2")
    }
    let bare = try get("/cams?token=\(Self.token)")
    #expect((300..<400).contains(bare.status))
    #expect(bare.headers["location"]?.hasSuffix("/cams/?token=\(Self.token)") == true, "\(bare.headers)")
    let entry = try get("/cams/?token=\(Self.token)")
    let location = try #require(entry.headers["location"])
    #expect(entry.status == 303)
    #expect(URL(string: location, relativeTo: URL(string: page + "/cams/"))?.absoluteString == page + "/cams/")
    let cookie = try #require(entry.headers["set-cookie"])
    #expect(!cookie.contains("Path=") && !cookie.contains("Secure"))
    let session = "Cookie: \(cookie.prefix { $0 != ";" })"
    #expect(try get("/cams/", [session]).text.contains("<title>vstream</title>"))
    // The proxy keeps its connection to the server, on which a WebSocket is opened later.
    for _ in 0..<3 { #expect(try get("/cams/api/v1/cameras", [session]).status == 200) }
    #expect(try get(Self.live, [session]).status == 426)
    #expect(try open(proxy, Self.live, [session, "Origin: \(page)"]) == 101)
    #expect(try open(proxy, Self.live, [Self.bearer]) == 101)
    #expect(try open(proxy, Self.live, [session, "Origin: http://evil.example"]) == 403)
    #expect(try open(proxy) == 401)
    #expect(try open(proxy, Self.live, ["Authorization: Bearer wrong"]) == 401)
    #expect(try open(proxy, "/cams/api/v1/cameras/none/live", [session]) == 404)
    let added = try TestResponse(
      "PUT", "/cams/api/v1/cameras/yard", port: proxy.port, headers: [session, "Origin: \(page)"],
      body: "{source: 'rtsp://127.0.0.1:9/', detect: none}")
    #expect(added.status == 201)
    #expect(program.stop() == 130)
  }

  @Test func `wrong tokens lock out one client, not all`() throws {
    for (option, status) in [(["--trusted-proxy", "127.0.0.1"], 101), ([], 429)] {
      let program = try server(option)
      let proxy = try ReverseProxy(to: program.port, in: folder)
      for _ in 0..<FailureLimit.maximumCount {
        #expect(try open(proxy, Self.live, ["Authorization: Bearer wrong"], from: "127.0.0.2") == 401)
      }
      #expect(try open(proxy, Self.live, [Self.bearer], from: "127.0.0.2") == 429)
      #expect(try open(proxy, Self.live, [Self.bearer], from: "127.0.0.3") == status)
      #expect(program.stop() == 130)
    }
  }

  /// nginx states the address of the server as the host that it was asked for, if it is not told otherwise.
  @Test func `nginx with its own Host header`() throws {
    let program = try server(["--trusted-proxy", "127.0.0.1"])
    let proxy = try ReverseProxy(to: program.port, in: folder) { block in
      block.split(separator: "\n").filter { !$0.contains("X-Forwarded") }.joined(separator: "\n")
    }
    let entry = try TestResponse("GET", "/cams/?token=\(Self.token)", port: proxy.port)
    let session = try "Cookie: \(#require(entry.headers["set-cookie"]).prefix { $0 != ";" })"
    #expect(try open(proxy, Self.live, [session, "Origin: https://nvr.example"]) == 101)
    #expect(try open(proxy, Self.live, [Self.bearer, "Origin: https://nvr.example"]) == 403)
    #expect(program.stop() == 130)
  }

  @Test func `the cookie is for HTTPS only where the proxy's client uses it`() throws {
    let program = try server(["--trusted-proxy", "127.0.0.1"])
    for (scheme, isSecure) in [("https", true), ("http", false)] {
      let headers = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: \(scheme)"]
      let entry = try program.request("GET", "/?token=\(Self.token)", headers: headers)
      #expect(entry.headers["set-cookie"]?.contains("; Secure") == isSecure)
    }
    #expect(program.stop() == 130)
  }
}
