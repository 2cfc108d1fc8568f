import Testing
import VStreamCore

/// Locations as they are shown, without what gives access.
struct ShownLocationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let location: String
    let shown: String
    let fileName: String
    var testDescription: String { location }
    init(_ location: String, _ shown: String, file: String) {
      (self.location, self.shown, fileName) = (location, shown, file)
    }
  }

  static let rows = [
    Row("walk.mp4", "walk.mp4", file: "walk.mp4"),
    Row("/a b/walk@home:8.mp4", "/a b/walk@home:8.mp4", file: "walk@home:8.mp4"),
    Row("-", "-", file: "-"),
    Row("rtsp://camera/live", "rtsp://camera/live", file: "live"),
    Row("rtsp://user@camera/live", "rtsp://user@camera/live", file: "live"),
    Row("rtsp://user:secret@camera:554/live", "rtsp://user:…@camera:554/live", file: "live"),
    Row("http://user:secret@camera", "http://user:…@camera", file: "camera"),
    Row("http://user:secret@camera/", "http://user:…@camera/", file: "camera"),
    Row("http://user:se@cret@camera/a", "http://user:…@camera/a", file: "a"),
    Row("rtsp://user:se/cret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("http://user:se#cret@camera/a", "http://user:…@camera/a", file: "a"),
    Row("http://user:se?cret@camera/a", "http://user:…@camera/a", file: "a"),
    Row("http://camera:80?mail=a@b.c", "http://camera:…@…", file: "…"),
    Row("rtsp://user:p#a/s?s@w@camera:554/a", "rtsp://user:…@camera:554/a", file: "a"),
    Row("rtsp://user:12?secret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://user:12#secret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://user:12/sec:ret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://user:#secret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://user:a@sec/ret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://user:a@sec?ret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://user:a@sec#ret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://user:sec|ret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://user:sec://ret@camera/a", "rtsp://user:…@camera/a", file: "a"),
    Row("rtsp://[user:sec/ret@camera/a", "rtsp://[user:…@camera/a", file: "a"),
    Row("rtsp://us/er:secret@camera", "rtsp://us/er:…@camera", file: "er:…@camera"),
    Row("rtsp://user:secret#x@camera/a?b=c@d", "rtsp://user:…@…", file: "…"),
    Row("rtsp://me:12#x@camera/a?token=b@secret", "rtsp://me:…@…", file: "…"),
    Row("https://me:secret@host/a?mail=b@c", "https://me:…@host/a?mail=…", file: "a"),
    Row("https://me:secret@host/a@b/c", "https://me:…@b/c", file: "c"),
    Row("http://[::1]:80/a@b", "http://[::1]:80/a@b", file: "a@b"),
    Row("srt://host:9000?passphrase=sec@ret&latency=20", "srt://host:9000?passphrase=…&latency=20", file: "host:9000"),
    Row("srt://host:9000?passphrase=sec|ret", "srt://host:9000?passphrase=…", file: "host:9000"),
    Row("srt://host:9000?passphrase=sec#ret/a?b", "srt://host:9000?passphrase=…", file: "host:9000"),
    Row("rtmp://host/app/se#cr?et", "rtmp://host/app/…?…", file: "host"),
    Row("rtsp://:secret@camera/a", "rtsp://:…@camera/a", file: "a"),
    Row("http://[2001:db8::1]:80/a", "http://[2001:db8::1]:80/a", file: "a"),
    Row("https://host/a.m3u8?token=4711&t=5", "https://host/a.m3u8?token=…&t=5", file: "a.m3u8"),
    Row(
      "https://host/a.mp4?X-Amz-Signature=ab&X-Amz-Credential=c",
      "https://host/a.mp4?X-Amz-Signature=…&X-Amz-Credential=…", file: "a.mp4"),
    Row(
      "srt://host:9000?passphrase=long%20one&latency=20", "srt://host:9000?passphrase=…&latency=20", file: "host:9000"),
    Row("https://host/a.mp4?mail=a@b.c", "https://host/a.mp4?mail=…", file: "a.mp4"),
    Row("rtmp://live.host/app/abcd-1234", "rtmp://live.host/app/…", file: "live.host"),
    Row("https://host/a?a=1;token=se;cret&t=5", "https://host/a?a=…;token=…&t=5", file: "a"),
    Row("https://host/a?token=ab_cd&t=5", "https://host/a?token=…&t=5", file: "a"),
    Row("https://host/a.m3u8?hdnts=exp=1~hmac=5ec", "https://host/a.m3u8?hdnts=…", file: "a.m3u8"),
    Row("http://ghp_0123456789abcdef@host/a", "http://…@host/a", file: "a"),
    Row("http://proxy:8080/http://me:secret@host", "http://proxy:8080/http://me:…@host", file: "host"),
    Row("http://proxy:8080/http://me:secret@host/x.mp4", "http://proxy:8080/http://me:…@host/x.mp4", file: "x.mp4"),
    Row(
      "rtsp://camera/user=admin_password=5ec_ret_channel=1_stream=0.sdp",
      "rtsp://camera/user=admin_password=…_channel=1_stream=0.sdp",
      file: "user=admin_password=…_channel=1_stream=0.sdp"),
    Row(
      "https://host/a.mp4?code=1&hash=2&st=3&k=4&p=5&api=6&Policy=7&fps=25",
      "https://host/a.mp4?code=…&hash=…&st=…&k=…&p=…&api=…&Policy=…&fps=25", file: "a.mp4"),
    Row("https://host/a.mp4?4711", "https://host/a.mp4?…", file: "a.mp4"),
    Row("crypto:http://me:secret@host/a", "crypto:http://me:…@host/a", file: "a"),
    Row("http:/me:secret@host/a", "http:/me:…@host/a", file: "a"),
    Row("rtsp:me:secret@host/a", "rtsp:me:…@host/a", file: "a"),
    Row("http:///me:secret@host/a", "http:///me:…@host/a", file: "a"),
    Row("http://me%3Asecret@host/a", "http://me:…@host/a", file: "a"),
    Row("http://me%253Asecret@host/a", "http://…@host/a", file: "a"),
    Row("rtsp//me:secret@host", "rtsp//me:…@host", file: "me:secret@host"),
    Row("//me:secret@host/x", "//me:…@host/x", file: "x"),
    Row("me:secret@host/x", "me:…@host/x", file: "x"),
    Row("http://me:1234/secret@host/x", "http://me:…@host/x", file: "x"),
    Row("https://host/a?t=hunter2secret&stream=main", "https://host/a?t=…&stream=main", file: "a"),
    Row("https://host/a?t=2026-11-25&size=1280x720", "https://host/a?t=2026-11-25&size=1280x720", file: "a"),
    Row("photos/http:8/a@b.jpg", "photos/http:8/a@b.jpg", file: "a@b.jpg"),
    Row("concat:http://u:p@h/a.ts|http://u:p@h/b.ts", "concat:http://u:…@h/a.ts|http://u:…@h/b.ts", file: "b.ts"),
  ]

  @Test(arguments: rows)
  func `a location is shown without what gives access`(row: Row) {
    #expect(ShownLocation.text(row.location) == row.shown)
    #expect(ShownLocation.text(row.shown) == row.shown)
    #expect(ShownLocation.fileName(row.location) == row.fileName)
  }

  @Test(arguments: [
    (
      "Failed to open 'rtsp://user:secret@camera/live': 401 Unauthorized",
      "Failed to open 'rtsp://user:…@camera/live': 401 Unauthorized"
    ),
    ("'http://camera:9/a?x=1' cannot be opened", "'http://camera:9/a?x=…' cannot be opened"),
    ("'http://camera:9/a?x=…' cannot be opened", "'http://camera:9/a?x=…' cannot be opened"),
    (
      "open (http://camera/a?x=1), then http://camera/b?y=2; end.",
      "open (http://camera/a?x=…), then http://camera/b?y=…; end."
    ),
    ("rtmp://camera:1935/live/key\nvstream: two\tlines", "rtmp://camera:1935/live/…\nvstream: two\tlines"),
    ("nothing: to hide", "nothing: to hide"),
    ("'rtsp://user:se cr et@camera/a' and more: x@y", "'rtsp://user:…@camera/a' and more: x@y"),
    ("'rtsp://camera:554/a' and x@y", "'rtsp://camera:554/a' and x@y"),
  ])
  func `locations in texts are shown so, and the text around them stays`(text: String, shown: String) {
    #expect(ShownLocation.inText(text) == shown)
  }
}
