import Testing

@testable import VStreamServe

/// Addresses, networks and authorities.
struct IPAddressTests {
  @Test(
    arguments: [
      ("10.0.0.1", "10.0.0.1"), ("::ffff:10.0.0.1", "10.0.0.1"), ("::FFFF:0a00:0001", "10.0.0.1"),
      ("::1", "0:0:0:0:0:0:0:1"), ("2001:DB8::", "2001:db8:0:0:0:0:0:0"),
      ("", nil), ("10.0.0", nil), ("10.0.0.256", nil), ("10.0.0.+1", nil), ("10.0.0.01", nil), (" 10.0.0.1", nil),
      ("10.0.0.1\0x", nil), ("::1%lo", nil), ("[::1]", nil), ("1:2", nil), ("localhost", nil),
    ] as [(String, String?)]) func `addresses`(text: String, description: String?)
  {
    #expect(IPAddress(text)?.description == description)
    #expect(description.map { IPAddress($0) == IPAddress(text) } != false)
  }

  @Test(
    arguments: [
      ("10.0.0.1", "10.0.0.1"), (" 10.0.0.1 ", "10.0.0.1"), ("10.0.0.1:4711", "10.0.0.1"),
      ("[::ffff:10.0.0.1]:1", "10.0.0.1"),
      ("[::1]", "0:0:0:0:0:0:0:1"), ("::1", "0:0:0:0:0:0:0:1"),
      ("unknown", nil), ("_hidden", nil), ("", nil), ("10.0.0.1:x", nil), ("[10.0.0.1", nil), ("nvr.example", nil),
    ] as [(String, String?)]) func `addresses of X-Forwarded-For`(text: String, description: String?)
  {
    #expect(IPAddress(forwarded: text)?.description == description)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
    ("::2", false), ("7f00::1", false), ("0.0.0.0", false), ("::", false),
  ]) func `loopback`(text: String, isLoopback: Bool) {
    #expect(IPAddress(text)?.isLoopback == isLoopback)
    #expect(ListeningAddress(host: text, port: 1).isLoopback == isLoopback)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3/8", "10.9.9.9", true),
    ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("172.16.0.0/12", "172.31.255.255", true),
    ("172.16.0.0/12", "172.32.0.0", false), ("10.0.0.1/32", "10.0.0.1", true), ("10.0.0.1/32", "10.0.0.0", false),
    ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "1.2.3.4", true),
    ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
    ("::ffff:10.0.0.0/104", "10.1.1.1", true), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
  ]) func `networks`(range: String, address: String, isInside: Bool) throws {
    #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == isInside)
  }

  @Test(arguments: [
    "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "::/129", "proxy", "10.0.0.0/8/8",
  ])
  func `texts that are no network`(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test(
    arguments: [
      ("a", "a", nil), ("A.b:80", "a.b", 80), ("[::1]:80", "::1", 80), ("[::1]", "::1", nil), ("a:0", "a", 0),
      ("", nil, nil), (":80", nil, nil), ("a:", nil, nil), ("a:x", nil, nil), ("a:+1", nil, nil), ("a:65536", nil, nil),
      ("a:1:2", nil, nil), ("[x]", nil, nil), ("[::1", nil, nil), ("[::1]80", nil, nil), ("a/b", nil, nil),
      ("u@a", nil, nil), ("a b", nil, nil), ("a?", nil, nil), ("a#", nil, nil),
    ] as [(String, String?, Int?)]) func `authorities`(text: String, host: String?, port: Int?)
  {
    let authority = Authority(text)
    #expect(authority?.host == host && authority?.port == port)
  }

  @Test(
    arguments: [
      ("0", 0), ("007", 7), ("123456789012345678", 123_456_789_012_345_678), ("1234567890123456789", nil), ("", nil),
      ("+1", nil), ("-1", nil), ("1 ", nil), ("\u{661}", nil),
    ] as [(String, Int?)]) func `digits`(text: String, number: Int?)
  {
    #expect(Int(digits: text) == number)
  }
}
