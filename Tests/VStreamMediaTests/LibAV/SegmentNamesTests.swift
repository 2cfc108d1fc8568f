import Testing
import VStreamTestSupport

@testable import VStreamMedia

/// The names of HLS segments for playlists of any name.
struct SegmentNamesTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    var options: [String: String] = [:]
    /// The pattern of the segments; `nil` for FFmpeg's own.
    var segments: String?
    var baseURL: String?
    var testDescription: String { "\(name) \(options)" }
  }

  static let rows = [
    Row(name: "a-b_c.1.m3u8"), Row(name: "äß日.m3u8"), Row(name: "a:b.mpd"), Row(name: "-a.m3u8"),
    Row(name: "a:b.m3u8", segments: "a_b-4a01160-%d.ts"), Row(name: "a#b.m3u8", segments: "a_b-48be20d-%d.ts"),
    Row(name: "a b.m3u8", segments: "a_b-4833892-%d.ts"), Row(name: "a\nb.m3u8", segments: "a_b-415e670-%d.ts"),
    Row(name: "a%20b.m3u8", segments: "a_20b-bd050849-%d.ts"),
    Row(name: "a:b.m3u8", options: ["hls_segment_type": "fmp4"], segments: "a_b-4a01160-%d.m4s"),
    Row(name: "a:b.m3u8", options: ["hls_flags": "single_file"], segments: "a_b-4a01160-.ts"),
    Row(name: "%v.m3u8", options: ["var_stream_map": "v:0"]),
    Row(name: "a:b%v.m3u8", options: ["var_stream_map": "v:0"], segments: "a_b-4a01160-%v-%d.ts"),
    Row(name: "a:b.m3u8", options: ["strftime": "1"]), Row(name: "a#b.m3u8", options: ["hls_base_url": "http://x/"]),
    Row(name: "a:b.m3u8", options: ["hls_segment_filename": "s%d.ts"]),
    Row(name: "a.m3u8", options: ["hls_segment_filename": "x:%d.ts"], baseURL: "./"),
  ]

  @Test(arguments: rows) func `segments have names that all players find`(row: Row) throws {
    let folder = try TemporaryFolder()
    let destination = try OutputDestination(
      folder.file(row.name), options: row.options.map { ($0.key, $0.value) }, overwrite: false)
    let options = Dictionary(SegmentNames.options(of: destination).map { ($0.key, $0.value) }) { $1 }
    #expect(options["hls_segment_filename"] == row.segments.map { folder.file($0) })
    #expect(options["hls_base_url"] == row.baseURL)
    #expect(options.count == [row.segments, row.baseURL].count { $0 != nil })
  }
}
