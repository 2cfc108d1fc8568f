import Foundation
import Testing
import VStreamTestSupport

/// Frames that arrive faster than they can be processed, through the built program.
struct LateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip(_ seconds: Int, rate: Int = 50) throws -> String {
    let path = folder.file("in.mkv")
    let source = "testsrc2=size=320x240:rate=\(rate):duration=\(seconds)"
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", source, "-f", "lavfi", "-i", "sine=duration=\(seconds)", "-c:v", "libx264"]
        + ["-preset", "ultrafast", "-c:a", "flac", path])
    return path
  }

  /// Sends the first frames of the street footage into a pipe, which ends with them.
  private func street(frames: Int, to pipe: OpenPipe) throws -> Child {
    defer { pipe.closeWriting() }
    return try Child(
      ["/usr/bin/env", "ffmpeg", "-v", "error", "-nostdin", "-i", Checkout.sample("street.avi"), "-c", "copy"]
        + ["-frames:v", "\(frames)", "-f", "nut", "-"],
      output: pipe.writing)
  }

  @Test func `a sink that does not read has frames dropped, oldest first, and no audio`() throws {
    let input = try clip(6)
    let output = try OpenPipe()
    let statistics = folder.file("s.json")
    let program = try RunningProgram(
      [input, "-o", "-", "--realtime", "--detect", "none", "--codec", "rawvideo", "--stats", statistics]
        + ["--stats-every", "0.2"],
      output: output)
    output.closeWriting()
    // There is no reader: the pipe holds less than a frame.
    #expect(
      program.waitUntil { RunningProgram.lastCount("framesDropped", in: $0) > 20 },
      "\(program.errors.suffix(1000))")
    let received = folder.file("out.nut")
    try output.readToEnd().write(to: URL(filePath: received))
    #expect(program.wait() == 0, "\(program.errors.suffix(1000))")

    let counts = try JSON(String(contentsOfFile: statistics, encoding: .utf8))
    let (framesIn, framesOut) = (try #require(counts["framesIn"].int), try #require(counts["framesOut"].int))
    let dropped = try #require(counts["framesDropped"].int)
    #expect(framesIn == 300)
    #expect(framesIn == framesOut + dropped)
    let probe = try Probe(received)
    let times = try probe.frameTimes()
    #expect(times.count == framesOut)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(abs((times.last ?? 0) - 5.98) < 0.001, "the newest are kept")
    let sound = try probe.packets("a:0")
    #expect(try sound.map(\.size) == Probe(input).packets("a:0").map(\.size), "no sound is dropped")
  }

  @Test func `a signal ends a run whose sink does not read`() throws {
    let output = try OpenPipe()
    let program = try RunningProgram(
      [try clip(60), "-o", "-", "--realtime", "--detect", "none", "--codec", "rawvideo", "--stats-every", "0.2"],
      output: output)
    output.closeWriting()
    #expect(
      program.waitUntil { RunningProgram.lastCount("framesDropped", in: $0) > 5 },
      "\(program.errors.suffix(1000))")
    program.send(SIGINT)
    #expect(program.wait() == 130, "\(program.errors.suffix(1000))")
    #expect(program.errors.contains("was blocked"))
  }

  @Test func `a sink that is closed ends a run whose source is silent`() throws {
    let (source, output) = (try OpenPipe(), try OpenPipe())
    let statistics = folder.file("s.json")
    let program = try RunningProgram(
      ["-", "-o", "-", "--detect", "none", "--codec", "rawvideo", "--input-option", "fpsprobesize=1"]
        + ["--stats", statistics],
      input: source, output: output)
    output.closeWriting()
    // Written by another process, which may be killed; this process's end keeps the pipe open without data.
    let sender = try Child(
      ["/usr/bin/env", "ffmpeg", "-v", "quiet", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25"]
        + ["-frames:v", "4", "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "-"],
      output: source.writing)
    #expect(!output.read(upTo: 1000).isEmpty)
    output.closeReading()
    #expect(program.wait() == 0, "\(program.errors)")
    source.closeReading()
    _ = sender.wait()
    let counts = try JSON(String(contentsOfFile: statistics, encoding: .utf8))
    let count = { (name: String) throws in try #require(counts[name].int, "\(name)") }
    #expect(try count("framesIn") == count("framesOut") + count("framesDropped"))
    #expect(try count("framesOut") == count("framesDetected") + count("framesPredicted"))
  }

  @Test func `standard input waits for a slow sink, and every frame of it arrives`() throws {
    let input = try clip(2)
    let (source, output) = (try OpenPipe(), try OpenPipe())
    let sender = try Child(
      ["/usr/bin/env", "ffmpeg", "-v", "error", "-nostdin", "-i", input, "-c", "copy", "-f", "nut", "-"],
      output: source.writing)
    source.closeWriting()
    let program = try RunningProgram(
      ["-", "-o", "-", "--detect", "none", "--codec", "rawvideo", "--stats-every", "0.2"], input: source,
      output: output)
    source.closeReading()
    output.closeWriting()
    // The sink does not read, and frames are in flight.
    #expect(program.waitUntil { $0.components(separatedBy: "\"fpsOut\":0.0,").count > 3 }, "\(program.errors)")
    let received = folder.file("out.nut")
    try output.readToEnd().write(to: URL(filePath: received))
    #expect(program.wait() == 0, "\(program.errors)")
    #expect(sender.wait().status == 0)
    #expect(try Probe(received).frameTimes().count == 100)
    #expect(program.errors.contains("0 dropped"))
  }

  @Test func `a detector that is too slow for a pipe makes frames late, and the summary suggests --late wait`() throws {
    let source = try OpenPipe()
    let sender = try street(frames: 60, to: source)
    // With a hold of 0, no frame gets its own detection.
    let program = try RunningProgram(["-", "-o", "null", "--hold", "0"], input: source)
    source.closeReading()
    #expect(program.wait() == 0, "\(program.errors)")
    #expect(sender.wait().status == 0)
    #expect(program.errors.contains("60 frames"), "\(program.errors)")
    #expect(program.errors.contains("--late wait"), "\(program.errors)")
  }

  @Test func `with --late wait, the detector runs on every frame of a pipe`() throws {
    let source = try OpenPipe()
    let sender = try street(frames: 12, to: source)
    let program = try RunningProgram(["-", "-o", "null", "--late", "wait"], input: source)
    source.closeReading()
    #expect(program.wait() == 0, "\(program.errors)")
    #expect(sender.wait().status == 0)
    #expect(program.errors.contains("12 detected, 0 late, 0 dropped"), "\(program.errors)")
  }

  @Test func `--duration ends a live input`() throws {
    let source = try OpenPipe()
    let output = folder.file("out.mkv")
    let sender = try Child(
      [
        "/usr/bin/env", "ffmpeg", "-v", "error", "-nostdin", "-re", "-f", "lavfi", "-i",
        "testsrc2=size=160x120:rate=25",
      ]
        + ["-c:v", "rawvideo", "-f", "nut", "-"],
      output: source.writing)
    source.closeWriting()
    let program = try RunningProgram(["-", "-o", output, "--detect", "none", "--duration", "1"], input: source)
    source.closeReading()
    #expect(program.wait() == 0, "\(program.errors)")
    _ = sender.wait()
    #expect(try Probe(output).frameTimes().count == 25)
  }

  @Test func `a file read with --realtime reports its status, and keeps its frames`() throws {
    let output = folder.file("out.mkv")
    let result = try Program.vstream([
      try clip(2, rate: 10), "-o", output, "--realtime", "--detect", "none", "--stats-every", "0.4",
    ])
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.errors.split(separator: "\n").filter { $0.hasPrefix("{") }
    #expect(lines.count >= 3, "\(result.errors)")
    let last = try JSON(String(try #require(lines.last)))
    for key in [
      "type", "seconds", "fpsIn", "fpsOut", "fpsDetected", "framesDropped", "framesLateForDetector", "tracks",
    ] {
      #expect(!last[key].isAbsent, "\(key)")
    }
    #expect(try Probe(output).frameTimes().count == 20)
  }
}
