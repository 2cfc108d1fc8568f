import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// Cameras by RTSP, as they are watched, lost and replaced.
@Suite(.serialized) struct LiveTests {
  private let folder: TemporaryFolder
  private let clip: String

  init() throws {
    folder = try TemporaryFolder()
    clip = try Clips.street(in: folder)
  }

  @Test func `the live view plays, and the boxes have the times of its frames`() throws {
    let camera = try RTSPServer(clip)
    let program = try ServeProgram([camera.url])
    try program.waitUntil("127.0.0.1") { $0["state"]?.text == "live" }
    let socket = try TestWebSocket(port: program.port, "/api/v1/cameras/127.0.0.1/live")
    #expect(socket.isOpen, "\(socket.head)")
    var file: [UInt8] = []
    var fragments = 0
    var records: [Double] = []
    var mimeType: String?
    while records.count < 40 || fragments < 40, let message = socket.next() {
      switch message {
      case .binary(let bytes):
        file += bytes
        fragments += 1
      case .text(let text):
        let value = try JSONValue(json: text)
        if value["type"]?.text == "video" { mimeType = value["mimeType"]?.text }
        if value["type"]?.text == "frame", let time = value["pts"]?.number { records.append(time) }
      case .close: Issue.record("closed")
      }
    }
    #expect(mimeType?.hasPrefix("video/mp4; codecs=\"avc1.") == true)
    try Data(file).write(to: URL(filePath: folder.file("live.mp4")))
    let times = try Probe(folder.file("live.mp4")).frameTimes()
    #expect(times.count == fragments - 1, "\(times.count) frames of \(fragments) messages")
    // The last frames' boxes are still to come.
    let shown = times.filter { $0 < records.max() ?? 0 && $0 >= records.min() ?? 0 }
    #expect(shown.count >= 30)
    // A frame that was dropped, on a machine that is busy with other tests, has no record.
    let missing = shown.filter { time in !records.contains { abs($0 - time) < 0.002 } }
    let dropped = try program.camera("127.0.0.1")["frames"]?["dropped"]?.number ?? 0
    #expect(Double(missing.count) <= dropped, "no boxes for \(missing)")
    #expect(program.stop() == 130)
  }

  @Test func `a file is live all the time, also where it starts again`() throws {
    let short = folder.file("short.mp4")
    try Program.ffmpeg(["-i", clip, "-t", "1.5", "-c", "copy", short])
    let program = try ServeProgram([
      folder.write(
        "c.yaml", "cameras:\n  one: {source: '\(short)'}\n  two: {source: '\(short)', detect-source: '\(short)'}\n")
    ])
    for name in ["one", "two"] {
      let records = try TestWebSocket(port: program.port, "/api/v1/cameras/\(name)/records")
      for _ in 0..<4 { #expect(try records.next("header") != nil) }
      let camera = try program.camera(name)
      #expect(camera["state"]?.text == "live" && camera["reconnects"]?.number == 0, "\(camera)")
      let first = try #require(try records.next("frame")?["pts"]?.number)
      #expect(first < 0.5)
    }
    #expect(!program.said.contains("not running") && !program.said.contains("retrying"), "\(program.said)")
    try FileManager.default.removeItem(atPath: short)
    try program.waitUntil("one") { $0["state"]?.text == "lost" && $0["problem"]?.text?.contains("no file") == true }
    #expect(program.said.components(separatedBy: "one: live").count == 2, "\(program.said)")
    #expect(program.stop() == 130)
  }

  @Test func `a camera that is lost comes back, and others go on`() throws {
    let port = try LocalPort.unused()
    var lost: RTSPServer? = try RTSPServer(clip, port: port)
    let other = try RTSPServer(clip)
    let configuration = try folder.write(
      "c.yaml",
      """
      defaults: {timeout: 5}
      cameras:
        lost: {source: "rtsp://user:secret@127.0.0.1:\(port)/live"}
        other: {source: "\(other.url)"}
        never: {source: "rtsp://127.0.0.1:9/live"}
      """)
    let program = try ServeProgram([configuration])
    try program.waitUntil("lost") { $0["state"]?.text == "live" }
    try program.waitUntil("other") { $0["state"]?.text == "live" }
    try program.waitUntil("never") { $0["state"]?.text == "lost" }
    #expect(try program.camera("never")["problem"]?.text?.isEmpty == false)
    lost?.killNow()
    // Why it cannot be reached now, not only why it was lost.
    try program.waitUntil("lost") {
      $0["state"]?.text == "lost" && $0["problem"]?.text?.contains("connection refused") == true
    }
    #expect(try program.request("GET", "/api/v1/cameras/lost/frame.jpg").status == 503)
    lost = try RTSPServer(clip, port: port)
    try program.waitUntil("lost") { $0["state"]?.text == "live" && $0["reconnects"]?.number == 1 }
    // It returns with another size.
    lost?.killNow()
    try program.waitUntil("lost") { $0["state"]?.text == "lost" }
    lost = try RTSPServer(Clips.street(in: folder, width: 320, height: 240), port: port)
    try program.waitUntil("lost") { $0["state"]?.text == "live" && $0["width"]?.number == 320 }
    let status = try program.camera("other")
    #expect(status["state"]?.text == "live" && status["reconnects"]?.number == 0)
    #expect(program.stop() == 130)
    #expect(!program.said.contains("secret"), "\(program.said)")
    _ = lost
  }

  @Test func `where nothing moves only key frames are decoded, and every frame has its record`() throws {
    let still = 8.0
    let camera = try RTSPServer(try Clips.street(in: folder, stillSeconds: Int(still)))
    let configuration = try folder.write(
      "c.yaml",
      """
      cameras:
        front: {source: '\(camera.url)', classes: [person], confirm-after: 1}
        all: {source: '\(camera.url)', rest: false}
      """)
    let program = try ServeProgram([configuration])
    let socket = try TestWebSocket(port: program.port, "/api/v1/cameras/front/records")
    var (times, ids, undecoded): ([Double], [Set<Int>], Int) = ([], [], 0)
    var wasSeen = false
    while times.last ?? 0 < still + 4, let record = try socket.next("frame") {
      times.append(record["pts"]?.number ?? 0)
      ids.append(Set((record["objects"]?.list ?? []).compactMap { $0["id"]?.number.map { Int($0) } }))
      if times.count % 10 == 0 {
        undecoded = max(undecoded, Int(try program.camera("front")["frames"]?["undecoded"]?.number ?? 0))
      }
      if undecoded > 0, !wasSeen {
        wasSeen = true
        #expect(try program.request("GET", "/api/v1/cameras/front/frame.jpg").status == 200)
      }
    }
    // Idle from four seconds on at the latest, but for a key frame a second.
    #expect(undecoded >= 20, "\(undecoded)")
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.1) < 0.02 }, "\(times)")
    let idle = zip(times, ids).filter { $0.0 > still - 4 && $0.0 < still }.map(\.1)
    #expect(idle.count >= 30 && idle.allSatisfy { $0 == idle[0] && !$0.isEmpty }, "\(idle)")
    // People who begin to walk keep their IDs, and others come.
    let walking = zip(times, ids).filter { $0.0 > still + 1 }.map(\.1)
    #expect(walking.contains { !$0.isDisjoint(with: idle[0]) } && Set(walking).count > 3, "\(walking)")
    #expect(try program.camera("front")["frames"]?["undecoded"]?.number == Double(undecoded))
    #expect(try program.camera("all")["frames"]?["undecoded"]?.number == 0)
    let metrics = try program.request("GET", "/metrics").text
    #expect(metrics.contains("vstream_frames_total{camera=\"front\",state=\"undecoded\"} \(undecoded)"), "\(metrics)")
    #expect(program.stop() == 130)
  }

  @Test func `a smaller stream is searched, and the boxes are those of the larger one`() throws {
    let (large, small) = (
      try RTSPServer(clip), try RTSPServer(Clips.street(in: folder, width: 192, height: 144))
    )
    let configuration = try folder.write(
      "c.yaml",
      """
      cameras:
        front:
          source: "\(large.url)"
          detect-source: "\(small.url)"
          zones: {right: "192,0;384,0;384,288;192,288"}
      """)
    let program = try ServeProgram([configuration])
    try program.waitUntil("front") { $0["state"]?.text == "live" }
    let socket = try TestWebSocket(port: program.port, "/api/v1/cameras/front/live")
    var (starts, file, fragments): ([Double?], [UInt8], Int) = ([], [], 0)
    var (times, edges, inside): ([Double], [Double], Int) = ([], [], 0)
    while times.count < 60 || fragments < 60, let message = socket.next() {
      guard case .text(let text) = message else {
        if case .binary(let bytes) = message { file += bytes }
        fragments += 1
        continue
      }
      let value = try JSONValue(json: text)
      if value["type"]?.text == "video" { starts.append(value["width"]?.number) }
      guard value["type"]?.text == "frame", let time = value["pts"]?.number else { continue }
      times.append(time)
      for object in value["objects"]?.list ?? [] {
        guard let box = object["box"]?.list?.compactMap(\.number), box.count == 4 else { continue }
        edges.append(box[0] + box[2])
      }
      inside += Int(value["zones"]?["right"]?["person"]?.number ?? 0)
    }
    #expect(starts == [384], "the live view is that of the source")
    try Data(file).write(to: URL(filePath: folder.file("live.mp4")))
    let shown = try Probe(folder.file("live.mp4")).frameTimes()
    // The boxes are those of what is shown meanwhile, though each stream has times of its own.
    let (first, last) = (try #require(shown.first), try #require(shown.last))
    #expect(times.filter { $0 > first - 0.5 && $0 < last + 0.5 }.count >= 50, "\(times) for \(first) to \(last)")
    // People walk over the whole street.
    #expect((edges.max() ?? 0) > 210 && (edges.max() ?? 0) < 400, "\(edges.max() ?? 0)")
    #expect(inside > 0)
    let status = try program.camera("front")
    #expect(status["width"]?.number == 384 && status["source"]?.text == large.url)
    let image = try program.request("GET", "/api/v1/cameras/front/frame.jpg?annotated=1")
    try Data(image.body).write(to: URL(filePath: folder.file("frame.jpg")))
    #expect(try Probe(folder.file("frame.jpg")).video?.width == 384)
    // Each of the two is retried on its own.
    small.killNow()
    try program.waitUntil("front") { $0["state"]?.text == "lost" }
    #expect(try program.camera("front")["problem"]?.text?.contains("detect-source") == true)
    #expect(program.stop() == 130)
  }

  @Test func `a reload and requests change only the cameras that they name`() throws {
    let camera = try RTSPServer(clip)
    let (a, b) = ("a: {source: '\(camera.url)'}", "b: {source: '\(camera.url)', weight: 2}")
    let configuration = try folder.write("c.yaml", "cameras:\n  \(a)\n  \(b)\n")
    let program = try ServeProgram([configuration])
    for name in ["a", "b"] { try program.waitUntil(name) { ($0["frames"]?["in"]?.number ?? 0) >= 10 } }
    let before = try program.camera("a")["frames"]?["in"]?.number ?? 0
    _ = try folder.write("c.yaml", "cameras:\n  \(a)\n  c: {source: '\(camera.url)'}\n")
    program.send(SIGHUP)
    try program.wait(for: "the configuration was read")
    try program.waitUntil("c") { $0["state"]?.text == "live" }
    #expect(try program.request("GET", "/api/v1/cameras/b").status == 404)
    // The count would begin again with another run.
    #expect(try program.camera("a")["frames"]?["in"]?.number ?? 0 > before)
    #expect(program.said.components(separatedBy: "a: live").count == 2, "\(program.said)")

    _ = try folder.write("c.yaml", "cameras:\n  a: {weight: 1}\n")
    let refused = try program.request("POST", "/api/v1/reload")
    #expect(refused.status == 400 && refused.text.contains("line 2"), "\(refused.text)")
    #expect(try program.camera("c")["state"]?.text == "live")

    let put = try program.request("PUT", "/api/v1/cameras/d", body: "{\"source\":\"\(camera.url)\"}")
    #expect(put.status == 201, "\(put.text)")
    try program.waitUntil("d") { $0["state"]?.text == "live" }
    let wrong = try program.request("PUT", "/api/v1/cameras/d", body: "{\"sauce\":\"x\"}")
    #expect(wrong.status == 400 && wrong.text.contains("did you mean source?"), "\(wrong.text)")
    #expect(try program.request("DELETE", "/api/v1/cameras/d").status == 204)
    #expect(try program.request("DELETE", "/api/v1/cameras/d").status == 404)
    #expect(program.stop() == 130)
  }

  @Test func `records of a day are a file of their own, and valid`() throws {
    let camera = try RTSPServer(clip)
    let pattern = folder.file("records/{camera}-{date}.jsonl")
    let configuration = try folder.write(
      "c.yaml", "cameras: {front: {source: '\(camera.url)', records: '\(pattern)'}}\n")
    for _ in 0..<2 {
      let program = try ServeProgram([configuration])
      try program.waitUntil("front") { ($0["frames"]?["in"]?.number ?? 0) >= 20 }
      let socket = try TestWebSocket(port: program.port, "/api/v1/cameras/front/records")
      #expect(try socket.next("header") != nil)
      #expect(try socket.next("frame")?["objects"]?.list != nil)
      #expect(program.stop() == 130)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("records")).sorted()
    #expect(names.count == 2 && names.contains { $0.hasSuffix("-2.jsonl") }, "\(names)")
    for name in names {
      let lines = try String(contentsOfFile: folder.file("records/\(name)"), encoding: .utf8).split(separator: "\n")
      let types = try lines.map { try JSONValue(json: $0)["type"]?.text ?? "" }
      #expect(types.first == "header" && types.last == "summary" && types.count > 10, "\(types)")
    }
  }
}
