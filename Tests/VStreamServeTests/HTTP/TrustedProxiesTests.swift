import Testing

@testable import VStreamServe

/// The clients of requests that came through proxies, and who may do what then.
struct TrustedProxiesTests {
  private static let proxies = TrustedProxies(
    ranges: ["127.0.0.1", "10.0.0.0/8", "::1"].compactMap { AddressRange($0) })

  private static func request(
    _ headers: [(name: String, value: String)], from peer: String = "127.0.0.1", method: String = "GET",
    target: String = "/", usesTLS: Bool = false
  ) throws -> WebRequest {
    try #require(
      WebRequest(
        method: method, target: target, headers: headers,
        connection: RequestConnection(
          peer: peer, local: ListeningAddress(host: "127.0.0.1", port: 8480), usesTLS: usesTLS), proxies: proxies))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let peer: String
    let forwarded: [String]
    let client: String

    init(_ name: String, from peer: String = "127.0.0.1", _ forwarded: [String], _ client: String) {
      (testDescription, self.peer, self.forwarded, self.client) = (name, peer, forwarded, client)
    }
  }

  @Test(arguments: [
    Row("no proxy", from: "8.8.8.8", [], "8.8.8.8"),
    Row("a client that invents one", from: "8.8.8.8", ["1.1.1.1"], "8.8.8.8"),
    Row("a proxy that states nothing", [], "127.0.0.1"),
    Row("one proxy", ["8.8.8.8"], "8.8.8.8"),
    Row("one proxy by IPv6", from: "::1", ["8.8.8.8"], "8.8.8.8"),
    Row("one proxy at a socket of both", from: "::ffff:127.0.0.1", ["8.8.8.8"], "8.8.8.8"),
    Row("what the client invented is before it", ["1.1.1.1, 8.8.8.8"], "8.8.8.8"),
    Row("two proxies", ["8.8.8.8, 10.0.0.2"], "8.8.8.8"),
    Row("two proxies, and an invention", ["1.1.1.1, 8.8.8.8, 10.0.0.2"], "8.8.8.8"),
    Row("a trusted address that the client invented", ["10.0.0.9, 8.8.8.8"], "8.8.8.8"),
    Row("two headers", ["1.1.1.1", "8.8.8.8"], "8.8.8.8"),
    Row("two headers of two proxies", ["8.8.8.8", "10.0.0.2"], "8.8.8.8"),
    Row("a client in the proxies' network", ["10.0.0.7"], "10.0.0.7"),
    Row("with a port", ["8.8.8.8:4711"], "8.8.8.8"),
    Row("IPv6 with a port", ["[::ffff:8.8.8.8]:4711"], "8.8.8.8"),
    Row("without spaces", ["1.1.1.1,8.8.8.8"], "8.8.8.8"),
    Row("an unknown client", ["8.8.8.8, unknown"], "127.0.0.1"),
    Row("an unknown client, behind two", ["unknown, 10.0.0.2"], "10.0.0.2"),
    Row("an empty header", [""], "127.0.0.1"),
    Row("only commas", [", ,"], "127.0.0.1"),
  ]) func `the client`(row: Row) throws {
    let headers = row.forwarded.map { (name: "X-Forwarded-For", value: $0) }
    let other = (name: "Forwarded", value: "for=9.9.9.9;host=evil.example;proto=https")
    let client = try Self.request(headers + [other], from: row.peer).client
    #expect(client.address == row.client && client.host == nil && !client.usesTLS)
  }

  @Test(
    arguments: [
      ("8.8.8.8", [:], false, nil), ("8.8.8.8", ["Proto": "https", "Host": "a"], false, nil),
      ("127.0.0.1", [:], false, nil), ("127.0.0.1", ["Proto": "https"], true, nil),
      ("127.0.0.1", ["Proto": "HTTPS"], true, nil), ("127.0.0.1", ["Proto": "wss"], true, nil),
      ("127.0.0.1", ["Proto": "http"], false, nil), ("127.0.0.1", ["Proto": "https, http"], false, nil),
      ("127.0.0.1", ["Proto": "https, http", "For": "8.8.8.8, 10.0.0.2"], true, nil),
      ("127.0.0.1", ["Proto": "https", "For": "8.8.8.8, 10.0.0.2"], true, nil),
      ("127.0.0.1", ["Proto": ""], false, nil),
      ("127.0.0.1", ["Host": "nvr:1"], false, "nvr:1"), ("127.0.0.1", ["Host": "evil, nvr"], false, "nvr"),
      ("127.0.0.1", ["Host": "nvr, inner", "For": "8.8.8.8, 10.0.0.2"], false, "nvr"),
    ] as [(String, [String: String], Bool, String?)]) func `the client's scheme and host`(
      peer: String, stated: [String: String], usesTLS: Bool, host: String?
    ) throws
  {
    let client = try Self.request(stated.map { ("X-Forwarded-\($0.key)", $0.value) }, from: peer).client
    #expect(client.usesTLS == usesTLS && client.host == host)
  }

  @Test func `a proxy's plain connection to its client is not encrypted, although the server's is`() throws {
    #expect(try Self.request([], usesTLS: true).client.usesTLS)
    #expect(try !Self.request([("X-Forwarded-Proto", "http")], usesTLS: true).client.usesTLS)
    #expect(try Self.request([("X-Forwarded-Proto", "http")], from: "8.8.8.8", usesTLS: true).client.usesTLS)
  }

  struct PageRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var peer = "127.0.0.1"
    var host: String
    var statedHost: String?
    let origin: String
    var hasCookie = false
    /// With a token, and without one.
    let isAllowed: [Bool]
  }

  @Test(arguments: [
    PageRow(
      testDescription: "the host is passed on", host: "nvr", origin: "https://nvr", hasCookie: true,
      isAllowed: [true, false]),
    PageRow(
      testDescription: "the host is stated", host: "127.0.0.1:8480", statedHost: "nvr:444", origin: "https://nvr:444",
      hasCookie: true, isAllowed: [true, false]),
    PageRow(
      testDescription: "the host is stated, and the page is another's", host: "127.0.0.1:8480", statedHost: "nvr",
      origin: "https://evil.example", hasCookie: true, isAllowed: [false, false]),
    PageRow(
      testDescription: "an address of this machine is stated", host: "127.0.0.1:8480", statedHost: "localhost:81",
      origin: "http://localhost:81", isAllowed: [false, true]),
    PageRow(
      testDescription: "the host is not known (nginx's default)", host: "127.0.0.1:8480", origin: "https://nvr",
      hasCookie: true, isAllowed: [true, false]),
    PageRow(
      testDescription: "the host is not known, by its name", host: "localhost:8480", origin: "https://nvr",
      hasCookie: true, isAllowed: [true, false]),
    PageRow(
      testDescription: "the host is not known, and the page of this machine", host: "127.0.0.1:8480",
      origin: "http://127.0.0.1:8496", isAllowed: [false, true]),
    PageRow(
      testDescription: "the host is not known, without a cookie", host: "127.0.0.1:8480", origin: "https://nvr",
      isAllowed: [false, false]),
    PageRow(
      testDescription: "the host is not known, and the page has none", host: "127.0.0.1:8480", origin: "null",
      hasCookie: true, isAllowed: [false, false]),
    PageRow(
      testDescription: "another port of this machine", host: "127.0.0.1:9", origin: "https://nvr", hasCookie: true,
      isAllowed: [false, false]),
    PageRow(
      testDescription: "a proxy that is not trusted", peer: "8.8.8.8", host: "127.0.0.1:8480", origin: "https://nvr",
      hasCookie: true, isAllowed: [false, false]),
    PageRow(
      testDescription: "a client that invents the host", peer: "8.8.8.8", host: "127.0.0.1:8480", statedHost: "nvr",
      origin: "https://nvr", hasCookie: true, isAllowed: [false, false]),
    PageRow(
      testDescription: "a name that leads to this machine, and an invented host", host: "evil.example:8480",
      statedHost: "localhost", origin: "http://localhost", isAllowed: [false, false]),
  ]) func `WebSockets and changes of pages`(row: PageRow) throws {
    for (token, isAllowed) in zip([Array("0123456789abcdef".utf8), nil], row.isAllowed) {
      let access = AccessControl(token: token)
      var headers = [(name: "Host", value: row.host), ("Origin", row.origin)]
      if let stated = row.statedHost { headers.append(("X-Forwarded-Host", stated)) }
      if row.hasCookie { headers.append(("Cookie", "\(AccessControl.cookieName)=\(access.session)")) }
      let socket = try Self.request(headers + [("Upgrade", "websocket")], from: row.peer)
      #expect((access.decide(socket, at: 0) == .allowed) == isAllowed)
      let change = try Self.request(headers, from: row.peer, method: "DELETE")
      #expect((access.decide(change, at: 0) == .allowed) == isAllowed)
    }
  }

  /// A bearer token that the proxy itself adds would also be added to requests of other servers' pages.
  @Test func `a token in a header does not take the place of the cookie where the host is not known`() throws {
    let headers = [(name: "Authorization", value: "Bearer 0123456789abcdef"), ("Host", "127.0.0.1:8480")]
    let access = AccessControl(token: Array("0123456789abcdef".utf8))
    #expect(access.decide(try Self.request(headers, method: "DELETE"), at: 0) == .allowed)
    let page = try Self.request(headers + [("Origin", "https://evil.example")], method: "DELETE")
    guard case .forbidden(_, let remedy) = access.decide(page, at: 0) else { return #expect(Bool(false)) }
    #expect(remedy.contains("trusted-proxies"))
  }

  @Test func `wrong tokens of one client of a proxy do not lock out another`() throws {
    let access = AccessControl(token: Array("0123456789abcdef".utf8))
    func decide(_ client: String, _ token: String, from peer: String = "127.0.0.1") throws -> AccessControl.Decision {
      access.decide(try Self.request([("X-Forwarded-For", client)], from: peer, target: "/?token=\(token)"), at: 0)
    }
    for _ in 0..<FailureLimit.maximumCount { _ = try decide("8.8.8.8", "wrong") }
    #expect(try decide("8.8.8.8", "0123456789abcdef") == .limited(seconds: 60))
    #expect(try decide("1.1.1.1, 8.8.8.8", "0123456789abcdef") == .limited(seconds: 60))
    #expect(try decide("8.8.4.4", "0123456789abcdef") == .allowedByAddress)
    // What clients invent does not make them others.
    for number in 0..<FailureLimit.maximumCount { _ = try decide("1.1.1.\(number)", "wrong", from: "9.9.9.9") }
    #expect(try decide("1.1.1.200", "0123456789abcdef", from: "9.9.9.9") == .limited(seconds: 60))
  }
}
