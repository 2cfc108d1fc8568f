import Testing

@testable import VStreamServe

/// Requests as they are read.
struct WebRequestTests {
  private static func request(_ target: String, _ headers: [(name: String, value: String)] = []) -> WebRequest? {
    WebRequest(method: "GET", target: target, headers: headers, client: "10.0.0.1")
  }

  @Test(
    arguments: [
      ("/?a=1&b=two+words&a=3", ["a": "1", "b": "two words"]), ("/?", [:]), ("/?a", ["a": ""]),
      ("/?a=%3D%26", ["a": "=&"]),
      ("/?a=%zz&b=1", ["b": "1"]), ("/?=1", ["": "1"]), ("/?a=b=c", ["a": "b=c"]), ("/x?y?z=1", ["y?z": "1"]),
    ] as [(String, [String: String])]) func `parameters`(target: String, parameters: [String: String])
  {
    #expect(Self.request(target)?.query == parameters)
  }

  @Test(
    arguments: [
      ("session=1", "1"), ("a=b; session=1; c=d", "1"), ("a=b;session=x=y", "x=y"), ("xsession=1", nil), ("", nil),
    ] as [(String, String?)]) func `cookies`(header: String, value: String?)
  {
    #expect(Self.request("/", [("cookie", header)])?.cookie("session") == value)
  }

  @Test(arguments: [
    ("http://a:80", "a:80", false), ("https://a", "a", false), ("http://A", "a", false), ("http://a:81", "a:80", true),
    ("null", "a", true), ("", "a", true), ("http://a.evil", "a", true), ("http://evil/a", "a", true),
  ]) func `requests of other servers' pages`(origin: String, host: String, isCross: Bool) {
    #expect(Self.request("/", [("Origin", origin), ("Host", host)])?.isCrossOrigin == isCross)
  }

  @Test func `of several headers of one name the first counts`() {
    let request = Self.request("/", [("X-A", "1"), ("x-a", "2")])
    #expect(request?.headers == ["x-a": "1"])
    #expect(request?.isCrossOrigin == false)
  }

  @Test(arguments: [("localhost:80", "localhost"), ("[::1]:80", "::1"), ("A.b", "a.b"), ("", "")])
  func `hosts`(header: String, host: String) {
    #expect(Self.request("/", [("Host", header)])?.host == host)
  }

  @Test func `targets have a limit, and are paths`() {
    #expect(Self.request("/" + String(repeating: "a", count: 4096)) == nil)
    #expect(Self.request("http://evil/") == nil)
    #expect(Self.request("*") == nil)
    #expect(WebRequest(method: "TRACE", target: "/", headers: [], client: "")?.method == nil)
  }
}
