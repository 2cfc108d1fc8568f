import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamServe

/// Who may do what.
struct AccessControlTests {
  private static let token = "0123456789abcdef"

  private static func request(
    _ method: String = "GET", _ target: String = "/", _ headers: [(name: String, value: String)] = [],
    client: String = "10.0.0.1"
  ) throws -> WebRequest {
    try #require(
      WebRequest(
        method: method, target: target, headers: headers + [("Host", "nvr:8480")], client: client))
  }

  private let access = AccessControl(token: Array(token.utf8))

  @Test func `a token is needed, in the header or in the address`() throws {
    let wrong = "x\(Self.token)"
    #expect(access.decide(try Self.request(), at: 0) == .unauthorised)
    #expect(access.decide(try Self.request("GET", "/?token=\(wrong)"), at: 0) == .unauthorised)
    #expect(
      access.decide(try Self.request("GET", "/", [("Authorization", "Bearer \(Self.token)")]), at: 0) == .allowed)
    #expect(access.decide(try Self.request("GET", "/?token=\(Self.token)"), at: 0) == .allowedByAddress)
    #expect(
      access.decide(try Self.request("GET", "/", [("Authorization", "Basic \(Self.token)")]), at: 0) == .unauthorised)
  }

  @Test func `the cookie takes the token's place, and is another secret`() throws {
    let cookie = [(name: "Cookie", value: "a=b; \(AccessControl.cookieName)=\(access.session)")]
    #expect(access.decide(try Self.request("GET", "/", cookie), at: 0) == .allowed)
    #expect(!access.session.contains(Self.token))
    #expect(AccessControl(token: nil).session != access.session)
    let wrong = [(name: "Cookie", value: "\(AccessControl.cookieName)=\(access.session.dropLast())0")]
    let isSame = access.session.hasSuffix("0")
    #expect(access.decide(try Self.request("GET", "/", wrong), at: 0) == (isSame ? .allowed : .unauthorised))
  }

  @Test func `after ten wrong tokens a client waits, and others do not`() throws {
    for _ in 0..<FailureLimit.maximumCount {
      #expect(access.decide(try Self.request("GET", "/?token=no"), at: 100) == .unauthorised)
    }
    let right = "/?token=\(Self.token)"
    #expect(access.decide(try Self.request("GET", right), at: 101) == .limited(seconds: 59))
    #expect(access.decide(try Self.request("GET", right, client: "10.0.0.2"), at: 101) == .allowedByAddress)
    // A session that is open goes on.
    let cookie = [(name: "Cookie", value: "\(AccessControl.cookieName)=\(access.session)")]
    #expect(access.decide(try Self.request("GET", "/", cookie), at: 101) == .allowed)
    #expect(access.decide(try Self.request("GET", right), at: 161) == .allowedByAddress)
  }

  /// A client has 2⁶⁴ addresses of IPv6, and IPv4 has two forms.
  @Test(arguments: [
    ("2001:db8::1", "2001:db8::ffff:2", true), ("2001:db8::1", "2001:db8:0:1::1", false),
    ("::ffff:10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false),
  ]) func `the addresses of one client count together`(first: String, second: String, isSame: Bool) throws {
    let right = "/?token=\(Self.token)"
    for _ in 0..<FailureLimit.maximumCount {
      _ = access.decide(try Self.request("GET", "/?token=no", client: first), at: 100)
    }
    let decision = access.decide(try Self.request("GET", right, client: second), at: 101)
    #expect(decision == (isSame ? .limited(seconds: 59) : .allowedByAddress))
  }

  /// Another server of the same host may have set a cookie of the same name.
  @Test func `one of several cookies is enough`() throws {
    let name = AccessControl.cookieName
    let cookies = [(name: "Cookie", value: "\(name)=other; \(name)=\(access.session)")]
    #expect(access.decide(try Self.request("GET", "/", cookies), at: 0) == .allowed)
  }

  @Test func `the memory of wrong tokens is bounded`() {
    var limit = FailureLimit()
    for number in 0..<20_000 { limit.note("client\(number)", at: 5) }
    // What does not fit counts together.
    #expect(limit.waitSeconds(for: "another", at: 6) != nil)
    #expect(limit.waitSeconds(for: "client7", at: 6) == nil)
  }

  @Test(arguments: [
    ("PUT", "https://evil.example", true), ("PUT", "http://nvr:8480", false), ("PUT", "null", true),
    ("GET", "https://evil.example", false), ("DELETE", "http://nvr", true),
  ]) func `a page of another server changes nothing`(method: String, origin: String, isForbidden: Bool) throws {
    let headers = [(name: "Origin", value: origin), (name: "Authorization", value: "Bearer \(Self.token)")]
    let decision = access.decide(try Self.request(method, "/api/v1/cameras/a", headers), at: 0)
    if case .forbidden = decision { #expect(isForbidden) } else { #expect(!isForbidden && decision == .allowed) }
  }

  @Test func `a page of another server opens no WebSocket`() throws {
    let headers = [(name: "Upgrade", value: "websocket"), (name: "Origin", value: "http://evil.example")]
    let decision = AccessControl(token: nil).decide(
      try #require(
        WebRequest(method: "GET", target: "/x", headers: headers + [("Host", "localhost:8480")], client: "::1")), at: 0)
    guard case .forbidden("the request comes from another server's page", _) = decision else {
      Issue.record("\(decision)")
      return
    }
  }

  /// A name of another domain may lead to this machine (DNS rebinding).
  @Test(arguments: [
    ("localhost:8480", true), ("127.0.0.1", true), ("[::1]:8480", true), ("evil.example:8480", false), ("", false),
    ("127.9.8.7:1", true), ("[::ffff:127.0.0.1]", true), ("127.evil.example", false), ("127.0.0.1.evil.example", false),
    ("localhost.evil.example", false), ("localhost:x", false), ("::1", false), ("[::1", false), ("10.0.0.1", false),
  ]) func `without a token only names of this machine are answered`(host: String, isAllowed: Bool) throws {
    let request = try #require(
      WebRequest(method: "GET", target: "/", headers: [("Host", host)], client: "127.0.0.1"))
    #expect((AccessControl(token: nil).decide(request, at: 0) == .allowed) == isAllowed)
  }

  @Test func `a token is the first line of its file, and not short`() throws {
    let folder = try TemporaryFolder()
    #expect(try AccessControl.token(of: folder.write("a", " \(Self.token) \nmore\n")) == Array(Self.token.utf8))
    #expect(throws: VStreamError.self) { try AccessControl.token(of: folder.write("b", "short\n")) }
    #expect(throws: VStreamError.self) { try AccessControl.token(of: folder.file("none")) }
  }

  @Test(arguments: [("", ""), ("a", ""), ("", "a"), ("ab", "ab"), ("ab", "aB"), ("ab", "abab"), ("abab", "ab")])
  func `tokens are compared whole`(one: String, other: String) {
    #expect(AccessControl.isEqual(Array(one.utf8), Array(other.utf8)) == (one == other))
  }

  @Test(
    arguments: [
      ("/a/b%20c/%2e%2e", ["a", "b c", ".."]), ("/", []), ("//a//", ["a"]), ("/%zz", nil), ("/%ff", nil), ("x", nil),
      ("/%+f", nil), ("/%-1", nil), ("/% 1", nil), ("/%0x", nil), ("/%2", nil), ("/%", nil), ("/a%", nil),
      ("/%2B", ["+"]), ("/%2b+", ["++"]), ("/a%2Fb", ["a/b"]), ("/%e2%82%AC", ["\u{20AC}"]), ("/%c0%af", nil),
      ("/%25%32%66", ["%2f"]), ("/%00", ["\0"]),
    ] as [(String, [String]?)]) func `paths are decoded in their parts`(target: String, path: [String]?)
  {
    #expect(WebRequest(method: "GET", target: target, headers: [], client: "")?.path == path)
  }
}
