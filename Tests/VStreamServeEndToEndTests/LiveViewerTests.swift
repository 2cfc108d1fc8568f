import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// Those who watch: many at once, and some who do not read.
@Suite(.serialized) struct LiveViewerTests {
  private let folder: TemporaryFolder
  /// Two megabytes a second: what nobody reads fills every buffer.
  private let clip: String

  init() throws {
    folder = try TemporaryFolder()
    clip = folder.file("noise.mp4")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=640x480:rate=25:duration=30,noise=alls=60:allf=t", "-c:v", "libx264"]
        + ["-preset", "ultrafast", "-b:v", "16M", "-minrate", "16M", "-maxrate", "16M", "-bufsize", "16M", "-g", "25"]
        + ["-bf", "0", "-pix_fmt", "yuv420p", clip])
  }

  private static func memory(_ program: ServeProgram) throws -> Double {
    let text = try program.request("GET", "/metrics").text
    return text.firstMatch(of: /process_resident_memory_bytes ([0-9]+)/).flatMap { Double($0.1) } ?? 0
  }

  @Test func `a viewer that reads nothing harms nobody, holds little, and goes on at a key frame`() throws {
    let camera = try RTSPServer(clip)
    let program = try ServeProgram([camera.url, "--detect", "none"])
    try program.waitUntil("127.0.0.1") { $0["state"]?.text == "live" }
    let path = "/api/v1/cameras/127.0.0.1/live"
    let reader = try TestWebSocket(port: program.port, path)
    for _ in 0..<100 { _ = reader.next() }
    let before = try Self.memory(program)
    let sleepers = try (0..<4).map { _ in try TestWebSocket(port: program.port, path, receiveBuffer: 4096) }
    // Twelve seconds of 2 MB for each.
    var fragments = 0
    while fragments < 300, let message = reader.next() { if case .binary = message { fragments += 1 } }
    #expect(fragments == 300)
    let held = try Self.memory(program) - before
    #expect(held < 4 * 8 * 1_048_576, "\(held / 1_048_576) MB for four viewers")
    // The sleeper wakes: what it is sent still plays, from a key frame on.
    var file: [UInt8] = []
    var count = 0
    while count < 400, let message = sleepers[0].next() {
      guard case .binary(let bytes) = message else { continue }
      file += bytes
      count += 1
    }
    try Data(file).write(to: URL(filePath: folder.file("late.mp4")))
    let times = try Probe(folder.file("late.mp4")).frameTimes()
    let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(times.count > 300 && gaps.allSatisfy { $0 > 0 })
    #expect(gaps.contains { $0 > 1 }, "nothing was skipped")
    #expect(try program.camera("127.0.0.1")["frames"]?["dropped"]?.number == 0)
    #expect(program.stop() == 130)
  }

  @Test func `twenty viewers see the same, and their number is known`() throws {
    let camera = try RTSPServer(clip)
    let program = try ServeProgram([camera.url, "--detect", "none"])
    try program.waitUntil("127.0.0.1") { $0["state"]?.text == "live" }
    let viewers = try (0..<20).map { _ in
      try TestWebSocket(port: program.port, "/api/v1/cameras/127.0.0.1/live")
    }
    for viewer in viewers {
      #expect(viewer.isOpen)
      #expect(try viewer.next("video")?["width"]?.number == 640)
    }
    let text = try program.request("GET", "/metrics").text
    #expect(text.contains("vstream_viewers 20\n"))
    // A frame that clients may not send ends the connection, not the server.
    viewers[0].send(2, [UInt8](repeating: 1, count: 100))
    viewers[1].send(9, Array("ping".utf8))
    viewers[2].send(8, [3, 232])
    var hasClosed = false
    while let message = viewers[2].next() { if case .close = message { hasClosed = true } }
    #expect(hasClosed)
    #expect(viewers[1].next() != nil)
    // The camera is removed: its viewers are disconnected.
    #expect(try program.request("DELETE", "/api/v1/cameras/127.0.0.1").status == 204)
    while let message = viewers[3].next() { if case .close = message { hasClosed = true } }
    #expect(try program.request("GET", "/metrics").text.contains("vstream_viewers 0\n"))
    #expect(program.stop() == 130)
  }
}
