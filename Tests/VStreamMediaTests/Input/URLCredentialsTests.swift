import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// Users and passwords in URLs, as libav is given them.
struct URLCredentialsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let url: String
    /// `nil` if the URL is refused.
    let encoded: String?
    var testDescription: String { url }
    init(_ url: String, _ encoded: String?) { (self.url, self.encoded) = (url, encoded) }
  }

  static let rows = [
    Row("rtsp://host/a", "rtsp://host/a"),
    Row("rtsp://me:plain@host:554/a", "rtsp://me:plain@host:554/a"),
    Row("rtsp://me:p#a/s?s@w@host:554/path", "rtsp://me:p%23a%2Fs%3Fs%40w@host:554/path"),
    Row("rtsps://me:/@host", "rtsps://me:%2F@host"),
    Row("https://me:12?x@host/a?b=c", "https://me:12%3Fx@host/a?b=c"),
    Row("http://me:12#x@host/a", "http://me:12%23x@host/a"),
    Row("http://me:a@b#c@host/a", "http://me:a%40b%23c@host/a"),
    Row("http://me:#@[fe80::1%25eth0]:80/a", "http://me:%23@[fe80::1%25eth0]:80/a"),
    Row("http://me:a b\\|[]\"é@host/a", "http://me:a%20b%5C%7C%5B%5D%22%C3%A9@host/a"),
    Row("http://me:a@b@host/a", "http://me:a%40b@host/a"),
    // Encoded by the user.
    Row("http://me:p%23a%2fs@host/a", "http://me:p%23a%2fs@host/a"),
    Row("http://me:100%@host/a", "http://me:100%25@host/a"), Row("http://me:%zz@host/a", "http://me:%25zz@host/a"),
    // An @ in the path or query.
    Row("http://host:8080/@channel/a", "http://host:8080/@channel/a"), Row("http://host/a:b@c", "http://host/a:b@c"),
    Row("https://me:pw@host/a@b/c", "https://me:pw@host/a@b/c"),
    Row("http://host:80?mail=a@b.c", "http://host:80?mail=a@b.c"),
    Row("http://[::1]:80/a@b", "http://[::1]:80/a@b"), Row("http://host/a#b@c", "http://host/a#b@c"),
    Row("http://proxy:80/http://me:pw@host", "http://proxy:80/http://me:pw@host"),
    // More than one @ may precede the host, or none.
    Row("rtsp://me:p#x@host:9/p?a=b@c", nil), Row("rtsp://me:p#x@host/a@2/c", nil), Row("rtsp://me:p/x@ho st/a", nil),
    // Protocols that decode nothing.
    Row("rtmp://me:p/w@host/app/key", nil), Row("ftp://me:p#w@host/a", nil),
    Row("rtmp://me:p%w@host/app/key", "rtmp://me:p%w@host/app/key"),
    Row("srt://host:9?passphrase=a#b/c d?e@f", "srt://host:9?passphrase=a#b/c+d?e@f"),
    Row("udp://@239.0.0.1:5000", "udp://@239.0.0.1:5000"), Row("concat:a.ts|b.ts", "concat:a.ts|b.ts"),
  ]

  @Test(arguments: rows) func `special characters in users and passwords are percent-encoded`(row: Row) throws {
    guard let encoded = row.encoded else {
      let error = failure { _ = try URLCredentials.encoded(row.url) }
      #expect(error?.code == .usage)
      #expect(error?.message.contains("has special characters") == true)
      #expect(error?.message.contains("p#") == false && error?.message.contains("p/w") == false)
      return
    }
    #expect(try URLCredentials.encoded(row.url) == encoded)
    #expect(try URLCredentials.encoded(encoded) == encoded, "an encoded URL stays")
  }

  @Test(arguments: [
    ("rtsp://me:12/secret@host/a", true), ("rtsp://me:a@sec/ret@host/a", true), ("rtsp://me:p#a@host/a", false),
    ("rtsp://me:pw@host/a", false), ("rtsp://host/a@b", false), ("a.mp4", false),
  ])
  func `a host that may be part of a password is suspected`(url: String, isSuspected: Bool) {
    #expect(URLCredentials.mayBeMisread(url) == isSuspected)
  }
}
