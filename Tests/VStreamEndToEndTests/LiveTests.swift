import Foundation
import Testing
import VStreamTestSupport

/// Live sources and sinks, through the built command.
struct LiveTests {
  /// A clip of 320×240 at 25 frames a second, with audio, longer than the runs.
  private static func clip(in folder: TemporaryFolder, seconds: Int = 20) throws -> String {
    let path = folder.file("clip-with-sound.mp4")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=\(seconds)", "-f", "lavfi"]
        + ["-i", "sine=duration=\(seconds)", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
        + ["-g", "25", "-bf", "0", "-c:a", "aac", path])
    return path
  }

  private static func vstream(_ arguments: [String]) -> [String] { [Program.vstreamPath] + arguments }

  /// Prevents dropped frames on a busy machine.
  private static let whole = ["--late", "wait"]

  /// Checks that times increase, and that frames have at least the given rate.
  private func expectSteady(_ times: [Double], frames: ClosedRange<Int>, _ what: String = "") {
    #expect(frames.contains(times.count), "\(times.count) \(what)")
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(what)")
  }

  // MARK: Devices

  /// The columns of the window: the first and last that are not black.
  private func window(in frame: [UInt8], width: Int) -> ClosedRange<Int>? {
    let row = frame.count / width / 2
    let lit = (0..<width).filter { frame[row * width + $0] > 40 }
    return lit.first.flatMap { first in lit.last.map { first...$0 } }
  }

  @Test(.timeLimit(.minutes(30)))
  func `a screen is captured, with a moving window`() throws {
    let screen = try Screen(width: 320, height: 240)
    let folder = try TemporaryFolder()
    let options = [
      "--input-format", "x11grab", "--input-option", "video_size=320x240", "--input-option", "framerate=15",
    ]
    let result = try Program.vstream(
      [screen.display, "-o", folder.file("x.mp4"), "--duration", "5", "--detect", "none"] + options)
    #expect(result.status == 0, "\(result.errors)")
    let probe = try Probe(folder.file("x.mp4"))
    #expect(probe.video?.width == 320)
    #expect(probe.video?.height == 240)
    expectSteady(try probe.frameTimes(), frames: 10...76)
    // The frames as gray values, one after the other.
    let raw = try Program.ffmpeg(["-i", folder.file("x.mp4"), "-f", "rawvideo", "-pix_fmt", "gray", "-"]).output
    let size = 320 * 240
    let positions = stride(from: 0, to: raw.count - size + 1, by: size).compactMap { start in
      window(in: Array(raw[start..<(start + size)]), width: 320)?.lowerBound
    }
    #expect(positions.count >= 10)
    #expect((positions.max() ?? 0) - (positions.min() ?? 0) > 40, "\(positions)")
  }

  @Test func `an FFmpeg generator is read to its end`() throws {
    let folder = try TemporaryFolder()
    let result = try Program.vstream(
      ["testsrc2=size=160x120:rate=10:duration=2", "--input-format", "lavfi", "-o", folder.file("l.mp4")]
        + ["--detect", "none"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Probe(folder.file("l.mp4")).frameTimes().count == 20)
  }

  struct Missing: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: [String]
    let status: Int32
    let expected: String
    var testDescription: String { name }
  }

  static let missing = [
    Missing(
      name: "no such screen", arguments: [":9999", "--input-format", "x11grab"], status: 66, expected: "':9999'"),
    Missing(name: "no such camera", arguments: ["/dev/video987"], status: 66, expected: "/dev/video987"),
    Missing(
      name: "no such format", arguments: ["a", "--input-format", "nonsense"], status: 64, expected: "'nonsense'"),
    Missing(
      name: "no such option", arguments: ["testsrc2", "--input-format", "lavfi", "--input-option", "nonsense=1"],
      status: 64, expected: "'nonsense'"),
    Missing(name: "no such host", arguments: ["rtsp://host.invalid/a"], status: 66, expected: "unknown host"),
    Missing(name: "no listener", arguments: ["rtsp://127.0.0.1:1/a"], status: 66, expected: "connection refused"),
  ]

  @Test(arguments: missing)
  func `a missing source is named on one line`(row: Missing) throws {
    let result = try Program.vstream(row.arguments + ["-o", "null", "--detect", "none"])
    #expect(result.status == row.status)
    #expect(result.errors.contains(row.expected), "\(result.errors)")
    #expect(oneLine(result.errors))
  }

  /// An invalid library file precedes the real one on the search path.
  @Test func `a device without FFmpeg's library for devices is a missing dependency, with its package`() throws {
    let folder = try TemporaryFolder()
    let version = try Program.run("/usr/bin/env", ["pkg-config", "--modversion", "libavdevice"]).text
    let major = try #require(version.split(separator: ".").first)
    try Data().write(to: URL(filePath: folder.file("libavdevice.so.\(major)")))
    let result = try Program.vstream(
      [":0", "--input-format", "x11grab", "-o", "null", "--detect", "none"],
      environment: ["LD_LIBRARY_PATH": folder.path])
    #expect(result.status == 69)
    #expect(result.errors.contains("apt-get install libavdevice\(major)"), "\(result.errors)")
    #expect(oneLine(result.errors))
  }

  // MARK: Streams in a network

  @Test(.timeLimit(.minutes(30)), arguments: ["tcp", "udp"])
  func `RTSP is read with audio, by either transport`(transport: String) throws {
    let folder = try TemporaryFolder()
    let server = try RTSPServer(try Self.clip(in: folder))
    // TCP is the default.
    let option = transport == "udp" ? ["--input-option", "rtsp_transport=udp"] : []
    let result = try Program.vstream(
      [server.url, "-o", folder.file("r.mkv"), "--duration", "2", "--detect", "none"] + Self.whole + option)
    #expect(result.status == 0, "\(result.errors)")
    let probe = try Probe(folder.file("r.mkv"))
    #expect(probe.audio.first?.codec_name == "aac")
    // Over UDP, packets may be lost.
    expectSteady(try probe.frameTimes(), frames: (transport == "udp" ? 10 : 45)...51, transport)
    server.killNow()
  }

  @Test(.timeLimit(.minutes(30)))
  func `RTSP is sent`() throws {
    let folder = try TemporaryFolder()
    let server = try RTSPServer(try Self.clip(in: folder), recorded: folder.file("sent.h264"))
    let result = try Program.vstream(
      [server.url, "-o", server.recordURL, "--duration", "2", "--audio", "none", "--detect", "none"] + Self.whole)
    #expect(result.status == 0, "\(result.errors)")
    let sent = try Program.ffmpeg(["-i", folder.file("sent.h264"), "-f", "rawvideo", "-pix_fmt", "gray", "-"])
    // The last packets may arrive after the server's end of the session.
    #expect((30...51).contains(sent.output.count / (320 * 240)), "\(sent.output.count / (320 * 240))")
    server.killNow()
  }

  @Test(.timeLimit(.minutes(30)))
  func `HTTP is read to its end`() throws {
    let folder = try TemporaryFolder()
    let clip = try Self.clip(in: folder, seconds: 2)
    let port = try LocalPort.unused()
    let url = "http://127.0.0.1:\(port)/live.ts"
    let server = try Background(
      ["ffmpeg", "-v", "error", "-nostdin", "-re", "-i", clip, "-c", "copy", "-f", "mpegts", "-listen", "1", url])
    try LocalPort.waitUntilListening(port)
    let result = try Program.vstream([url, "-o", folder.file("h.mkv"), "--detect", "none"] + Self.whole)
    #expect(result.status == 0, "\(result.errors)")
    expectSteady(try Probe(folder.file("h.mkv")).frameTimes(), frames: 50...50)
    #expect(server.wait() == 0, "\(server.said)")
  }

  @Test(.timeLimit(.minutes(30)))
  func `MPEG-TS is read over UDP`() throws {
    let folder = try TemporaryFolder()
    let clip = try Self.clip(in: folder)
    let url = "udp://127.0.0.1:\(try LocalPort.unused(SOCK_DGRAM))"
    let sender = try Background(
      ["ffmpeg", "-v", "error", "-nostdin", "-re", "-i", clip, "-c", "copy", "-f", "mpegts", "\(url)?pkt_size=1316"])
    let result = try Program.vstream(
      [url, "-o", folder.file("u.mkv"), "--duration", "2", "--detect", "none"] + Self.whole)
    #expect(result.status == 0, "\(result.errors)")
    let probe = try Probe(folder.file("u.mkv"))
    #expect(probe.audio.first?.codec_name == "aac")
    expectSteady(try probe.frameTimes(), frames: 10...51)
    sender.killNow()
  }

  struct Receiver: CustomTestStringConvertible, Sendable {
    let scheme: String
    let format: String
    var testDescription: String { scheme }
  }

  @Test(
    .timeLimit(.minutes(30)),
    arguments: [Receiver(scheme: "tcp", format: "mpegts"), Receiver(scheme: "rtmp", format: "flv")])
  func `a stream is sent to a listening receiver`(row: Receiver) throws {
    let folder = try TemporaryFolder()
    let clip = try Self.clip(in: folder, seconds: 2)
    let port = try LocalPort.unused()
    let url = "\(row.scheme)://127.0.0.1:\(port)" + (row.scheme == "rtmp" ? "/live/a" : "")
    let listening = row.scheme == "rtmp" ? ["-listen", "1", "-i", url] : ["-i", "\(url)?listen=1"]
    let receiver = try Background(
      ["ffmpeg", "-v", "error", "-nostdin", "-f", row.format] + listening + ["-c", "copy", folder.file("got.mkv")])
    try LocalPort.waitUntilListening(port)
    let result = try Program.vstream([clip, "-o", url, "--detect", "none"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(receiver.wait() == 0, "\(receiver.said)")
    let probe = try Probe(folder.file("got.mkv"))
    #expect(probe.video?.codec_name == "h264")
    #expect(probe.audio.first?.codec_name == "aac")
    expectSteady(try probe.frameTimes(), frames: 50...50)
  }

  @Test(.timeLimit(.minutes(30)))
  func `a stream is sent over UDP`() throws {
    let folder = try TemporaryFolder()
    let port = try LocalPort.unused(SOCK_DGRAM)
    let url = "udp://127.0.0.1:\(port)"
    let receiver = try Background(
      ["ffmpeg", "-v", "error", "-nostdin", "-f", "mpegts", "-analyzeduration", "500000", "-i", url]
        + ["-t", "1", "-c", "copy", folder.file("got.mkv")])
    try LocalPort.waitUntilListening(port, udp: true)
    let server = try RTSPServer(try Self.clip(in: folder))
    let result = try Program.vstream(
      [server.url, "-o", "\(url)?pkt_size=1316", "--duration", "4", "--detect", "none"] + Self.whole)
    #expect(result.status == 0, "\(result.errors)")
    #expect(receiver.wait() == 0, "\(receiver.said)")
    expectSteady(try Probe(folder.file("got.mkv")).frameTimes(), frames: 5...30)
    server.killNow()
  }

  @Test func `HLS is written as a playlist with segments, and read as one video`() throws {
    let folder = try TemporaryFolder()
    let clip = try Self.clip(in: folder, seconds: 5)
    let pieces = ["--output-option", "hls_time=2", "--output-option", "hls_list_size=0"]
    let sent = try Program.vstream([clip, "-o", folder.file("a.m3u8"), "--detect", "none"] + pieces)
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(folder.names.filter { $0.hasSuffix(".ts") }.count > 1)
    let read = try Program.vstream([folder.file("a.m3u8"), "-o", folder.file("b.mkv"), "--detect", "none"])
    #expect(read.status == 0, "\(read.errors)")
    expectSteady(try Probe(folder.file("b.mkv")).frameTimes(), frames: 125...125)
  }

  // MARK: Standard input

  struct Piped: CustomTestStringConvertible, Sendable {
    let format: String
    let coding: [String]
    var options: [String] = []
    var testDescription: String { format }
  }

  private static let raw = ["video_size=160x120", "pixel_format=yuv420p", "framerate=25"].flatMap {
    ["--input-option", $0]
  }

  static let piped = [
    Piped(format: "mpegts", coding: ["-c:v", "libx264", "-bf", "0"]),
    Piped(format: "nut", coding: ["-c:v", "rawvideo"]),
    Piped(format: "matroska", coding: ["-c:v", "libx264"]), Piped(format: "mjpeg", coding: ["-c:v", "mjpeg"]),
    Piped(format: "yuv4mpegpipe", coding: ["-c:v", "wrapped_avframe"]), Piped(format: "flv", coding: ["-c:v", "flv"]),
    Piped(format: "rawvideo", coding: ["-c:v", "rawvideo"], options: ["--input-format", "rawvideo"] + raw),
  ]

  @Test(.timeLimit(.minutes(30)), arguments: piped)
  func `every frame of a pipe arrives, whatever the format`(row: Piped) throws {
    let folder = try TemporaryFolder()
    let source = "testsrc2=size=160x120:rate=25:duration=2"
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p"] + row.coding + ["-f", row.format, folder.file("in")])
    let script = "input=$1; shift; cat \"$input\" | \"$0\" - -o out.mkv --detect none \"$@\""
    let result = try Program.run(
      "/bin/bash", ["-c", script, Program.vstreamPath, "in"] + row.options, folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    expectSteady(try Probe(folder.file("out.mkv")).frameTimes(), frames: 50...50, row.format)
  }

  static let untimed = [
    Piped(format: "mjpeg", coding: ["-c:v", "mjpeg"]),
    Piped(format: "h264", coding: ["-c:v", "libx264", "-tune", "zerolatency"]),
  ]

  @Test(arguments: untimed)
  func `a live pipe without timestamps takes as long as it did`(row: Piped) throws {
    let folder = try TemporaryFolder()
    let script = """
      ffmpeg -nostdin -v error -re -f lavfi -i testsrc2=size=320x240:rate=10 -t 4 -flush_packets 1 "$@" | \
        "$0" - -o out.mkv --detect none
      """
    let result = try Program.run(
      "/bin/bash", ["-c", script, Program.vstreamPath] + row.coding + ["-f", row.format, "-"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let times = try Probe(folder.file("out.mkv")).frameTimes()
    #expect(times.count == 40)
    #expect((3.4...4.6).contains(times.last ?? 0), "\(times)")
  }

  @Test func `a recording that begins between key frames starts at 0`() throws {
    let folder = try TemporaryFolder()
    let parts = ["-c:v", "libx264", "-g", "50", "-bf", "0", "-f", "mpegts", folder.file("whole.ts")]
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=4"] + parts)
    // Between two key frames; a packet of MPEG-TS has 188 bytes.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("whole.ts")))
    try bytes.dropFirst(bytes.count / 188 / 8 * 188).write(to: URL(fileURLWithPath: folder.file("late.ts")))
    let result = try Program.vstream([folder.file("late.ts"), "-o", folder.file("out.mp4"), "--detect", "none"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Probe(folder.file("out.mp4")).frameTimes().first == 0)
  }

  @Test func `standard input redirected from a file is read as a file`() throws {
    let folder = try TemporaryFolder()
    _ = try Self.clip(in: folder, seconds: 1)
    let script = "\"$0\" - -o out.mkv --detect none <clip-with-sound.mp4"
    let result = try Program.run("/bin/bash", ["-c", script, Program.vstreamPath], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    expectSteady(try Probe(folder.file("out.mkv")).frameTimes(), frames: 25...25)
  }
}
