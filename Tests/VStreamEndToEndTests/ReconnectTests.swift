import Foundation
import Testing
import VStreamTestSupport

/// A network stream that is lost and reconnected: one output file on one timeline.
@Suite(.serialized) struct ReconnectTests {
  private let folder: TemporaryFolder
  /// A still frame of a street as video, so that each person must keep one ID: three people, far from each other, so that
  /// whatever region of the frame is searched shows each of them alone.
  private let clip: String

  init() throws {
    folder = try TemporaryFolder()
    clip = folder.file("still.mp4")
    try Program.ffmpeg(
      [
        "-ss", "0.6", "-i", Checkout.sample("street.avi"), "-vf", "loop=loop=1200:size=1,setpts=N/10/TB", "-frames:v",
        "300", "-r", "10",
      ]
        + ["-c:v", "libx264", "-preset", "ultrafast", "-g", "5", "-bf", "0", "-pix_fmt", "yuv420p", clip])
  }

  private static func written(_ text: String) -> Int { RunningProgram.lastCount("framesOut", in: text) }

  private static func count(_ piece: String, in text: String) -> Int { text.components(separatedBy: piece).count - 1 }

  /// Runs the command on a stream whose source is interrupted three times, and stops it.
  ///
  /// - Parameters:
  ///   - silence: seconds without data after which the command notices a loss.
  ///   - endsConnection: whether the source's end ends its connection, so that the command notices it at once.
  private func run(_ url: String, silence: Int, endsConnection: Bool, makeSource: () throws -> () -> Void) throws {
    let output = folder.file("out.mkv")
    let records = folder.file("r.jsonl")
    var end = try makeSource()
    let program = try RunningProgram(
      [
        url, "-o", output, "--records", records, "--reconnect", "60", "--lost-after", "60", "--hold", "2",
        "--confirm-after", "1", "--classes", "person", "--timeout", "\(silence)",
      ]
        + ["--stats-every", "0.2", "--preset", "ultrafast"])
    #expect(program.waitUntil { RunningProgram.lastCount("tracks", in: $0) >= 3 }, "\(program.errors.suffix(2000))")
    let beforeLoss = Self.written(program.errors)
    for loss in 1...3 {
      end()
      #expect(program.waitUntil { Self.count("was lost", in: $0) == loss }, "\(program.errors.suffix(2000))")
      end = try makeSource()
      #expect(program.waitUntil { Self.count("was reconnected", in: $0) == loss }, "\(program.errors.suffix(2000))")
      try waitUntilDetected(by: program)
    }
    program.send(SIGINT)
    #expect(program.wait() == 130, "\(program.errors.suffix(2000))")
    end()

    let times = try Probe(output).frameTimes()
    #expect(times.count >= beforeLoss + 15)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
    if !endsConnection {
      let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.sorted().suffix(3)
      #expect(gaps.allSatisfy { $0 >= Double(silence) - 0.01 }, "\(gaps)")
    }
    let run = try RecordedRun(String(contentsOfFile: records, encoding: .utf8))
    // Frames may be written before the model is loaded.
    let people = run.objects.map { Set($0.compactMap { $0["id"].int }) }.drop(while: \.isEmpty)
    #expect(Set(people) == [[1, 2, 3]])
  }

  /// Waits until frames are written, and detectors are run, that came after this call.
  private func waitUntilDetected(by program: RunningProgram) throws {
    let (written, runs) = (
      Self.written(program.errors), RunningProgram.lastCount("detectorRuns", in: program.errors)
    )
    #expect(
      program.waitUntil {
        Self.written($0) >= written + 5 && RunningProgram.lastCount("detectorRuns", in: $0) >= runs + 2
      }, "\(program.errors.suffix(2000))")
  }

  @Test func `an RTSP server that is killed and restarted three times`() throws {
    let port = try LocalPort.unused()
    try run("rtsp://127.0.0.1:\(port)/live", silence: 5, endsConnection: true) {
      let server = try RTSPServer(clip, port: port)
      return { server.killNow() }
    }
  }

  /// libav's parser of H.264 returns the last frame after the timeout.
  @Test func `an RTSP server whose connection stays open without data, three times`() throws {
    let port = try LocalPort.unused()
    var last: RTSPServer?
    try run("rtsp://127.0.0.1:\(port)/live", silence: 5, endsConnection: false) {
      last?.killNow()
      let server = try RTSPServer(clip, port: port)
      last = server
      return { server.freeze() }
    }
    last?.killNow()
  }

  @Test func `a sender by UDP that is killed and restarted three times`() throws {
    let port = try LocalPort.unused(SOCK_DGRAM)
    let url = "udp://127.0.0.1:\(port)"
    try run(url, silence: 3, endsConnection: false) {
      let sender = try Background(
        ["ffmpeg", "-v", "error", "-nostdin", "-re", "-stream_loop", "-1", "-i", clip, "-c", "copy", "-f", "mpegts"]
          + ["\(url)?pkt_size=1316"])
      return { sender.killNow() }
    }
  }

  @Test func `an HTTP server that is killed and restarted three times`() throws {
    let port = try LocalPort.unused()
    let url = "http://127.0.0.1:\(port)"
    var isFirst = true
    try run(url, silence: 5, endsConnection: true) {
      let server = try Background(
        ["ffmpeg", "-v", "error", "-nostdin", "-re", "-stream_loop", "-1", "-i", clip, "-c", "copy", "-f", "mpegts"]
          + ["-listen", "1", url])
      if isFirst { try LocalPort.waitUntilListening(port) }
      isFirst = false
      return { server.killNow() }
    }
  }

  /// Frames arrive for two seconds while the streams are determined, more than wait for a stage that is slow for a moment.
  @Test func `frames that arrive while a connection is opened are not dropped`() throws {
    let port = try LocalPort.unused()
    var server = try RTSPServer(clip, port: port)
    let program = try RunningProgram(
      [server.url, "-o", folder.file("out.mkv"), "--stats", folder.file("s.json"), "--reconnect", "60"]
        + ["--detect", "objects", "--detect-every", "10", "--stats-every", "0.2", "--preset", "ultrafast"])
    #expect(program.waitUntil { Self.written($0) >= 30 }, "\(program.errors.suffix(2000))")
    server.killNow()
    #expect(program.waitUntil { $0.contains("was lost") }, "\(program.errors.suffix(2000))")
    let before = Self.written(program.errors)
    server = try RTSPServer(clip, port: port)
    #expect(program.waitUntil { Self.written($0) >= before + 30 }, "\(program.errors.suffix(2000))")
    program.send(SIGINT)
    #expect(program.wait() == 130, "\(program.errors.suffix(2000))")
    server.killNow()
    let text = try String(contentsOfFile: folder.file("s.json"), encoding: .utf8)
    // A busy machine may drop some later; about 16 would be dropped for each of the two connections.
    #expect(RunningProgram.lastCount("framesDropped", in: text) < 16, "\(text)")
  }

  @Test func `a stream that is not available again ends the run, and the file plays`() throws {
    let output = folder.file("out.mp4")
    let server = try RTSPServer(clip)
    let program = try RunningProgram(
      [server.url, "-o", output, "--detect", "none", "--reconnect", "1", "--timeout", "5", "--stats-every", "0.2"])
    #expect(program.waitUntil { Self.written($0) >= 3 }, "\(program.errors.suffix(2000))")
    server.killNow()
    #expect(program.wait() == 74)
    let problems = program.errors.components(separatedBy: "reconnecting failed: ").dropFirst()
    // Once, however often it fails for that reason.
    #expect(problems.count <= 2 && problems.last?.contains("connection refused") == true, "\(program.errors)")
    #expect(program.errors.contains("could not be reconnected (--reconnect 1"), "\(program.errors.suffix(2000))")
    #expect(try Probe(output).frameTimes().count >= 3)
  }
}
