import Testing
import VStreamScene
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
    #expect(decision == .forbidden("the request comes from another server's page"))
  }

  /// A name of another domain may lead to this machine (DNS rebinding).
  @Test(arguments: [
    ("localhost:8480", true), ("127.0.0.1", true), ("[::1]:8480", true), ("evil.example:8480", false), ("", false),
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
    ] as [(String, [String]?)]) func `paths are decoded in their parts`(target: String, path: [String]?)
  {
    #expect(WebRequest(method: "GET", target: target, headers: [], client: "")?.path == path)
  }
}
