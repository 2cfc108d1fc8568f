import Testing
import VStreamCore
import VStreamTestSupport

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
    #expect(Self.request("/", [("cookie", header)])?.cookies("session") == (value.map { [$0] } ?? []))
  }

  @Test(arguments: [
    ("http://a:80", "a:80", false), ("https://a", "a", false), ("http://A", "a", false), ("http://a:81", "a:80", true),
    ("null", "a", true), ("", "a", true), ("http://a.evil", "a", true), ("http://evil/a", "a", true),
    ("https://a", "a:443", false), ("http://a:80", "a", false), ("https://a:80", "a:443", true),
    ("http://[::1]:80", "[::1]", false), ("http://u@a", "a", true), ("http://a:+80", "a", true), ("http://", "", true),
  ]) func `requests of other servers' pages`(origin: String, host: String, isCross: Bool) {
    #expect(Self.request("/", [("Origin", origin), ("Host", host)])?.isCrossOrigin == isCross)
  }

  @Test func `of several headers of one name the first counts`() {
    let request = Self.request("/", [("X-A", "1"), ("x-a", "2")])
    #expect(request?.headers == ["x-a": "1"])
    #expect(request?.isCrossOrigin == false)
  }

  @Test func `targets have a limit, and are paths`() {
    #expect(Self.request("/" + String(repeating: "a", count: 4096)) == nil)
    #expect(Self.request("http://evil/") == nil)
    #expect(Self.request("*") == nil)
    #expect(WebRequest(method: "TRACE", target: "/", headers: [], client: "")?.method == nil)
  }
}

/// Responses as they are written.
struct WebResponseTests {
  @Test(arguments: [
    (VStreamError.Code.usage, 400), (.missingDependency, 503), (.inputOutput, 500), (.library, 500),
  ]) func `an error states what is wrong, and what to do, in the words of the configuration`(
    code: VStreamError.Code, status: Int
  ) throws {
    let error = VStreamError(code, "\(.objectModel, "x") is wrong", remedy: "omit \(.pixelFormat)")
    let response = WebResponse.error(error)
    #expect(response.status == status && response.contentType == "application/json")
    let value = try JSONValue(json: String(decoding: response.body, as: UTF8.self))
    #expect(value["error"]?.text == "object-model x is wrong")
    #expect(value["remedy"]?.text == "omit pixel-format")
  }

  @Test func `headers are added to those that there are`() {
    let response = WebResponse.text("a", status: 201).adding("A", "1").adding("A", "2")
    #expect(response.headers.map(\.value) == ["1", "2"] && response.status == 201)
    #expect(response.body == [UInt8(ascii: "a")] && response.contentType.hasPrefix("text/plain"))
  }

  @Test func `an error without a remedy has none`() {
    #expect(WebResponse.error(404, "no").body == Array("{\"error\":\"no\"}\n".utf8))
  }
}
