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
    let bytes = left.reduce(0) { sum, path in sum + ((try? Data(contentsOf: URL(filePath: path)))?.count ?? 0) }
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
}
