import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamMedia

/// The segments of a playlist that an earlier run wrote.
struct PlaylistTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let name: String
    let text: String
    let segments: [String]?
  }

  static let rows = [
    Row(
      testDescription: "HLS", name: "a.m3u8",
      text: "#EXTM3U\n#EXT-X-MAP:URI=\"init.mp4\"\n#EXTINF:1,\na0.ts\n#EXTINF:1,\r\na1.ts\n",
      segments: ["a0.ts", "a1.ts", "init.mp4"]),
    Row(
      testDescription: "files elsewhere, hidden ones, and such as are no segments", name: "a.m3u8",
      text: "#EXTM3U\n../a0.ts\n/tmp/a0.ts\n.ssh.ts\nletters.doc\na.m3u8\nhttp://host/a0.ts\nsub/a0.ts\na0.ts\n",
      segments: ["a0.ts"]),
    Row(
      testDescription: "DASH", name: "a.mpd",
      text: """
        <SegmentTemplate initialization="init-stream$RepresentationID$.m4s" \
        media="chunk-stream$RepresentationID$-$Number%05d$.m4s"/>
        """,
      segments: ["chunk-stream0-00001.m4s", "init-stream0.m4s"]),
    Row(testDescription: "another file", name: "a.txt", text: "a0.ts\n", segments: nil),
  ]

  @Test(arguments: rows) func `the segments in its folder`(row: Row) throws {
    let folder = try TemporaryFolder()
    for name in [
      "a0.ts", "a1.ts", "init.mp4", "chunk-stream0-00001.m4s", "init-stream0.m4s", "chunk-stream0-x.m4s", "x.doc",
    ] {
      _ = try folder.write(name, "x")
    }
    let path = try folder.write(row.name, row.text)
    #expect(Playlist(path: path)?.segments == row.segments?.map { folder.file($0) })
  }

  @Test func `there is no such file`() { #expect(Playlist(path: "/no/such.m3u8") == nil) }
}
