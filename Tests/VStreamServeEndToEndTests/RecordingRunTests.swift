import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// Recordings by the program, of files that are played again and again at their own pace.
struct RecordingRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let codec: [String]
    /// Settings besides the source.
    var settings = ""
    /// The codecs of the recorded streams.
    let streams: Set<String>
    /// Whether the packets are the camera's.
    var isCopy = true
  }

  static let rows = [
    Row(testDescription: "H.264 with sound", codec: ["-c:v", "libx264"], streams: ["h264", "aac"]),
    Row(
      testDescription: "HEVC, which browsers do not play",
      codec: ["-c:v", "libx265", "-x265-params", "log-level=error"],
      streams: ["hevc", "aac"]),
    Row(
      testDescription: "masked", codec: ["-c:v", "libx264"], settings: ", masks: [\"0%,0%;50%,0%;50%,100%;0%,100%\"]",
      streams: ["h264"], isCopy: false),
  ]

  private func clip(_ codec: [String]) throws -> String {
    let path = folder.file("clip.mp4")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=20", "-f", "lavfi", "-i", "sine=d=20", "-pix_fmt", "yuv420p"]
        + codec + ["-preset", "ultrafast", "-g", "25", "-bf", "0", "-c:a", "aac", path])
    return path
  }

  /// The finished and open files of the camera.
  private var files: [String] {
    RecordingStore.files(in: folder.file("recordings")).map { folder.file("recordings/\($0.camera)/\($0.name)") }
  }

  private func decoded(_ path: String) throws -> (frames: Int, messages: String) {
    let result = try Program.run(
      "/usr/bin/env",
      ["ffmpeg", "-v", "warning", "-nostdin", "-i", path, "-map", "0:v", "-f", "framemd5", "-"])
    return (result.text.split(separator: "\n").count { !$0.hasPrefix("#") }, result.errors)
  }

  private func program(_ source: String, _ settings: String, record: String = "{mode: always}") throws
    -> ServeProgram
  {
    try ServeProgram([
      folder.write(
        "c.yaml",
        "recordings: {path: '\(folder.file("recordings"))', min-free: 0MB}\n"
          + "cameras: {front: {source: '\(source)', detect: none, record: \(record)\(settings)}}\n")
    ])
  }

  /// Waits until files have a number of frames in all, asking at each message of the camera.
  private func waitForFrames(_ count: Int, _ program: ServeProgram) throws {
    var asked = 0
    try program.waitUntil("front") { _ in
      asked += 1
      // Decoding each time would be slow.
      guard asked % 25 == 0 else { return false }
      return files.reduce(0) { $0 + ((try? decoded($1))?.frames ?? 0) } >= count
    }
  }

  @Test(arguments: rows) func `a killed program leaves files that play, and finds them again`(row: Row) throws {
    let camera = try clip(row.codec)
    let program = try program(camera, row.settings)
    try waitForFrames(60, program)
    program.send(SIGKILL)
    let left = files
    #expect(!left.isEmpty)
    for path in left {
      let (frames, messages) = try decoded(path)
      #expect(frames > 0 && messages == "", "\(messages)")
      let streams = try Program.run(
        "/usr/bin/env", ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", path])
      #expect(Set(streams.text.split(separator: "\n").map(String.init)) == row.streams)
    }
    let again = try self.program(camera, row.settings)
    let metrics = try again.request("GET", "/metrics").text
    // With the boxes of the frames.
    let bytes = left.flatMap { [$0, $0.replacing(".mp4", with: ".jsonl")] }.reduce(0) { sum, path in
      sum + ((try? Data(contentsOf: URL(filePath: path)))?.count ?? 0)
    }
    #expect(metrics.contains("vstream_recordings_bytes{camera=\"front\"} \(bytes)"))
    #expect(again.stop() == 130)
  }

  @Test func `recorded frames are the camera's, to the bit`() throws {
    let camera = try clip(["-c:v", "libx264"])
    let program = try program(camera, "")
    try waitForFrames(50, program)
    #expect(program.stop() == 130)
    func hashes(_ path: String) throws -> [Substring] {
      try Program.ffmpeg(["-i", path, "-map", "0:v", "-f", "framemd5", "-"]).text.split(separator: "\n")
        .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").last }
    }
    let sent = Set(try hashes(folder.file("clip.mp4")))
    let recorded = try files.flatMap(hashes)
    #expect(recorded.count >= 50)
    #expect(recorded.allSatisfy(sent.contains))
  }

  @Test func `without an event nothing is recorded`() throws {
    let camera = try clip(["-c:v", "libx264"])
    let program = try program(camera, "", record: "{mode: events}")
    var messages = 0
    try program.waitUntil("front") { state in
      messages += 1
      return state["state"]?.text == "live" && messages > 100
    }
    #expect(files.isEmpty)
    #expect(program.stop() == 130)
  }

  /// Requests events as they come, and takes the first message.
  private func firstEvent(_ program: ServeProgram) throws -> String {
    let connection = try TestConnection(port: program.port)
    let lines = [
      "GET /api/v1/events HTTP/1.1", "Host: 127.0.0.1:\(program.port)", "Accept: text/event-stream", "Last-Event-ID: 0",
    ]
    connection.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    let head = try TestResponse(connection, hasBody: false)
    #expect(head.status == 200 && head.headers["content-type"] == "text/event-stream")
    return String(decoding: try #require(connection.takeChunk()), as: UTF8.self)
  }

  @Test func `people on a street become tracks, with events, pictures and the video of their time`() throws {
    let program = try ServeProgram([
      folder.write(
        "c.yaml",
        "recordings: {path: '\(folder.file("recordings"))', min-free: 0MB}\n"
          + "cameras: {front: {source: '\(Clips.street(in: folder))', record: {mode: always}}}\n")
    ])
    var person: JSONValue?
    try program.waitUntil("front") { _ in
      let tracks = try? program.request("GET", "/api/v1/tracks?camera=front&label=person").json["tracks"]?.list
      // There is something recorded from then on.
      person = tracks?.first { ($0["last"]?.number ?? 0) - ($0["first"]?.number ?? 0) > 5 }
      return person != nil
    }
    let id = Int(try #require(person?["id"]?.number))
    let span = "from=\(try #require(person?["first"]?.number))&to=\(try #require(person?["last"]?.number))"
    #expect(person?["kind"] == .text("object") && (person?["score"]?.number ?? 0) > 0.3)

    let event = try #require(try firstEvent(program).firstMatch(of: /^id: 1\ndata: (.*)\n\n/))
    let message = try JSONValue(json: event.1)
    #expect(message["camera"] == .text("front") && message["type"] == .text("begin"))

    let picture = try program.request("GET", "/api/v1/tracks/\(id)/picture.jpg")
    #expect(picture.status == 200 && picture.headers["content-type"] == "image/jpeg")
    try Data(picture.body).write(to: URL(filePath: folder.file("p.jpg")))
    let image = try #require(try Probe(folder.file("p.jpg")).video)
    #expect(image.codec_name == "mjpeg" && max(image.width ?? 0, image.height ?? 0) <= 160)

    let video = try program.request("GET", "/api/v1/recordings/front/video.mp4?\(span)")
    #expect(video.status == 200 && !video.body.isEmpty)
    try Data(video.body).write(to: URL(filePath: folder.file("v.mp4")))
    let (frames, messages) = try decoded(folder.file("v.mp4"))
    // At 10 frames a second.
    #expect(frames >= 45 && messages == "", "\(frames) frames; \(messages)")

    let boxes = try program.request("GET", "/api/v1/recordings/front/boxes.jsonl?\(span)").text.split(separator: "\n")
    #expect(try JSONValue(json: boxes[0])["type"] == .text("file"))
    #expect(try boxes.count { try JSONValue(json: $0)["type"] == .text("frame") } >= 45)
    #expect(try program.request("HEAD", "/api/v1/recordings/front/video.mp4?\(span)").status == 200)
    #expect(program.stop() == 130)
  }
}
