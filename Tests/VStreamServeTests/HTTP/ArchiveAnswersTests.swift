import Testing
import VStreamCore
import VStreamPipeline
import VStreamTestSupport

@testable import VStreamServe

/// Requests about the past, without a network.
struct ArchiveAnswersTests {
  private let folder: TemporaryFolder
  private let cameras: CameraRegistry
  private let store: RecordingStore

  /// Two tracks, and two files of one camera.
  init() throws {
    folder = try TemporaryFolder()
    cameras = CameraRegistry(CameraDetectors(threads: 1), log: TestRecordings.log)
    var configuration = ServeConfiguration()
    configuration.recordings = TestRecordings.space(folder)
    try cameras.replace(by: configuration)
    store = try #require(cameras.recordings)
    let clip = try TestFragments(folder, seconds: 2)
    try TestRecordings.add(clip.bytes(0..<1), boxes: "{\"frame\":1}\n", to: store, seconds: 1, hasEvent: true)
    try TestRecordings.add(clip.bytes(1..<2), boxes: "{\"frame\":2}\n", to: store, at: 1, seconds: 1)
    let start = TestRecordings.start
    for track in [
      TestTracks.track(1, start...start + 1, zones: ["yard"]),
      TestTracks.track(2, label: "dog", start + 1...start + 2),
    ] {
      store.index.store([.init(track: track, change: .begin)], at: track.first)
    }
    store.index.storePicture([0xFF, 0xD8], of: 1)
    store.index.waitUntilWritten()
  }

  private static func router(_ cameras: CameraRegistry) -> Router {
    Router(cameras: cameras, access: AccessControl(token: nil), reload: nil)
  }

  private func respond(
    _ target: String, method: String = "GET", headers: [(name: String, value: String)] = [],
    cameras: CameraRegistry? = nil
  ) throws -> WebResponse {
    let request = try #require(
      WebRequest(
        method: method, target: target, headers: headers + [("Host", "localhost:8480")], client: "127.0.0.1"))
    return Self.router(cameras ?? self.cameras).respond(to: request)
  }

  /// The body with what is streamed.
  private static func contents(_ response: WebResponse) throws -> [UInt8] {
    var bytes = response.body
    while case .bytes(let piece)? = try response.stream?.next() { bytes += piece }
    return bytes
  }

  struct Row: CustomTestStringConvertible, Sendable {
    /// The address after `/api/v1/`.
    let testDescription: String
    let status: Int
    /// Contents of the answer, and what it has not.
    let pieces: [String]
    let absent: [String]

    init(_ address: String, _ status: Int, _ pieces: String..., absent: [String] = []) {
      (testDescription, self.status, self.pieces, self.absent) = (address, status, pieces, absent)
    }
  }

  static let rows = [
    Row("tracks", 200, "{\"tracks\":[{\"id\":2,", "\"id\":1,", "\"box\":[10.0,20.0,30.0,40.0]", "\"zones\":[\"yard\"]"),
    Row("tracks?limit=1", 200, "\"id\":2,", absent: ["\"id\":1,"]),
    Row("tracks?label=person", 200, "\"id\":1,", absent: ["\"id\":2,"]),
    Row("tracks?zone=yard&camera=front", 200, "\"id\":1,", absent: ["\"id\":2,"]),
    Row("tracks?from=1795593602&to=1795593700", 200, "\"id\":2,", absent: ["\"id\":1,"]),
    Row("tracks?camera=back", 200, "{\"tracks\":[]}"),
    Row("tracks?camera=x%27%20OR%201%3D1%20--", 200, "{\"tracks\":[]}"),
    Row("tracks?limit=0", 400, "limit", "1 to 1000"),
    Row("tracks?limit=1001", 400, "limit"),
    Row("tracks?limit=many", 400, "limit"),
    Row("tracks?limit=nan", 400, "limit"),
    Row("tracks?from=-1", 400, "from"),
    Row("tracks?from=1e12", 400, "from"),
    Row("tracks?from=", 400, "from"),
    Row("tracks?from=10&to=5", 400, "to is before from"),
    Row("tracks/1", 404),
    Row("tracks/1/picture.jpg", 200),
    Row("tracks/2/picture.jpg", 404, "no picture"),
    Row("tracks/99999999999999999999/picture.jpg", 404),
    Row("tracks/x/picture.jpg", 404),
    Row("tracks/1/picture.jpg/x", 404),
    Row("tracks/1/picture.png", 404),
    Row("events", 200, "{\"events\":[{\"seq\":2,\"id\":2,", "{\"seq\":1,\"id\":1,", "\"type\":\"begin\""),
    Row("events?after=1", 200, "{\"events\":[{\"seq\":2,", absent: ["\"seq\":1,"]),
    Row("events?after=0&limit=1", 200, "{\"events\":[{\"seq\":1,", absent: ["\"seq\":2,"]),
    Row("events?camera=back", 200, "{\"events\":[]}"),
    Row("events?after=-1", 400, "after"),
    Row("events?after=x", 400, "after"),
    Row("events/1", 404),
    Row(
      "timeline?camera=front&from=1795593600&to=1795593660&step=30", 200, "[[1795593600.0,1795593602.0]]", "\"person\"",
      "\"dog\""),
    Row("timeline?camera=back&from=1795593600&to=1795593660", 200, absent: ["person", "1795593600"]),
    Row("timeline", 400, "camera is missing"),
    Row("timeline?camera=front", 400, "step", "10000 at most"),
    Row("timeline?camera=front&from=0&to=10&step=0", 400, "step"),
    Row("timeline?camera=front&from=0&to=10&step=0.5", 400, "step"),
    Row(
      "recordings", 200, "\"camera\":\"front\"", "2026-11-25/08-00-00.mp4", "2026-11-25/08-00-01.mp4", "\"event\":true"),
    Row("recordings?camera=front&to=1795593600.5", 200, "08-00-00.mp4", absent: ["08-00-01.mp4"]),
    Row("recordings?camera=back", 200, "{\"recordings\":[]}"),
    Row("recordings?to=x", 400, "to"),
    Row("recordings/front", 404),
    Row("recordings/front/video.mp4", 200, "ftyp", "moof"),
    Row("recordings/front/video.mp4?from=1795593700", 404, "nothing was recorded then"),
    Row("recordings/front/video.mp4?from=5&to=1", 400, "to is before from"),
    Row("recordings/back/video.mp4", 404, "nothing was recorded then"),
    Row("recordings/../video.mp4", 404),
    Row("recordings/%2e%2e/video.mp4", 404),
    Row("recordings/%2e%2e%2ffront/video.mp4", 404),
    Row("recordings/front%2f2026-11-25/video.mp4", 404),
    Row("recordings/front/%2e%2e%2findex.sqlite", 404),
    Row("recordings/front/2026-11-25/08-00-00.mp4", 404),
    Row("recordings/front/video.mp4/x", 404),
    Row("recordings/front/boxes.jsonl", 200, "\"type\":\"file\"", "{\"frame\":1}\n", "{\"frame\":2}\n"),
    Row("recordings/front/boxes.jsonl?from=1795593601.5", 200, "{\"frame\":2}\n", absent: ["{\"frame\":1}"]),
    Row("recordings/front/boxes.jsonl?from=x", 400, "from"),
    Row("recordings/%2e%2e/boxes.jsonl", 200, absent: ["frame"]),
  ]

  @Test(arguments: rows) func `an address`(row: Row) throws {
    let response = try respond("/api/v1/\(row.testDescription)")
    let text = String(decoding: try Self.contents(response), as: UTF8.self)
    #expect(response.status == row.status, "\(text.prefix(200))")
    for piece in row.pieces { #expect(text.contains(piece), "\(piece): \(text.prefix(500))") }
    for piece in row.absent { #expect(!text.contains(piece), "\(piece): \(text.prefix(500))") }
    #expect(!text.contains(folder.path))
    if row.status >= 400 { #expect(text.contains("\"error\":")) }
    let head = try respond("/api/v1/\(row.testDescription)", method: "HEAD")
    #expect(head.status == row.status && head.contentType == response.contentType)
    #expect(try respond("/api/v1/\(row.testDescription)", method: "POST").status == 404)
    #expect(try respond("/api/v1/\(row.testDescription)", method: "DELETE").status == 404)
  }

  @Test func `without recordings there is no past`() throws {
    let none = CameraRegistry(CameraDetectors(threads: 1), log: TestRecordings.log)
    for address in ["tracks", "events", "timeline", "recordings", "recordings/front/video.mp4", "tracks/1/picture.jpg"]
    {
      let response = try respond("/api/v1/\(address)", cameras: none)
      #expect(response.status == 404 && String(decoding: response.body, as: UTF8.self).contains("nothing is recorded"))
    }
  }

  @Test func `a video states its length, its name and its start`() throws {
    let response = try respond("/api/v1/recordings/front/video.mp4?from=1795593601.2&to=1795593601.6")
    #expect(response.contentType == "video/mp4")
    #expect(try !Self.contents(response).isEmpty)
    let headers = Dictionary(uniqueKeysWithValues: response.headers.map { ($0.name, $0.value) })
    #expect(headers["Vstream-Start"] == "1795593601.000000")
    #expect(headers["Content-Disposition"]?.contains("front-2026-11-25T08-00-01") == true)
  }

  @Test func `the kinds of contents`() throws {
    for (address, type) in [
      ("tracks", "application/json"), ("tracks/1/picture.jpg", "image/jpeg"),
      ("recordings/front/boxes.jsonl", "application/jsonl"),
    ] { #expect(try respond("/api/v1/\(address)").contentType == type) }
    #expect(try respond("/api/v1/tracks/1/picture.jpg").body == [0xFF, 0xD8])
  }

  // MARK: Events as they come

  struct Stream: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var query = ""
    var lastID: String?
    /// The events that are sent at once.
    let ids: [Int]
  }

  @Test(arguments: [
    Stream(testDescription: "the new ones alone", ids: []),
    Stream(testDescription: "those after the last one that is known", lastID: "1", ids: [2]),
    Stream(testDescription: "all", lastID: "0", ids: [1, 2]),
    Stream(testDescription: "those after a parameter", query: "?after=1", ids: [2]),
    Stream(testDescription: "the header counts before the parameter", query: "?after=0", lastID: "1", ids: [2]),
    Stream(testDescription: "a wrong ID is none", lastID: "x", ids: []),
    Stream(testDescription: "another camera", query: "?camera=back", lastID: "0", ids: []),
  ]) func `a stream of events begins with`(row: Stream) throws {
    let headers = [("Accept", "text/event-stream")] + (row.lastID.map { [("Last-Event-ID", $0)] } ?? [])
    let response = try respond("/api/v1/events\(row.query)", headers: headers.map { (name: $0.0, value: $0.1) })
    #expect(response.contentType == "text/event-stream")
    let stream = try #require(response.stream)
    if !row.ids.isEmpty { #expect(try Self.ids(stream.next()) == row.ids) }
    #expect(try stream.next() == .wait)
  }

  /// The IDs of a piece of a stream, whose messages are checked.
  private static func ids(_ piece: BodyPiece) throws -> [Int] {
    guard case .bytes(let bytes) = piece else { return [] }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasSuffix("\n\n"))
    return try text.split(separator: "\n\n").map { event in
      let match = try #require(event.wholeMatch(of: /id: ([0-9]+)\ndata: (.*)/))
      #expect(try JSONValue(json: match.2)["type"]?.text == "begin")
      return try #require(Int(match.1))
    }
  }

  @Test func `a stream goes on with new events, and a comment every 10 s without one`() throws {
    let now = Monitor(100.0)
    var stream = EventStream(store.index, camera: "front", after: 2) { now.read { $0 } }
    #expect(try stream.next() == .wait)
    let comment = BodyPiece.bytes(Array(":\n\n".utf8))
    for (seconds, piece) in [(9.9, BodyPiece.wait), (0.1, comment), (0, .wait), (9.9, .wait), (0.1, comment)] {
      now.update { $0 += seconds }
      #expect(try stream.next() == piece)
    }
    now.update { $0 += 9 }
    let track = TestTracks.track(3, 5...6)
    store.index.store([.init(track: track, change: .begin)], at: 5)
    store.index.store([.init(track: TestTracks.track(4, camera: "back"), change: .begin)], at: 5)
    store.index.waitUntilWritten()
    #expect(try Self.ids(stream.next()) == [3])
    // The event counts as a sign of life.
    now.update { $0 += 9 }
    #expect(try stream.next() == .wait)
  }

  @Test func `events of a long absence come in parts`() throws {
    store.index.store((10..<460).map { .init(track: TestTracks.track($0), change: .begin) }, at: 5)
    store.index.waitUntilWritten()
    var stream = EventStream(store.index, camera: nil, after: 0)
    var ids: [Int] = []
    while case .bytes(let bytes) = try stream.next() { ids += try Self.ids(.bytes(bytes)) }
    #expect(ids == Array(1...452))
  }
}
