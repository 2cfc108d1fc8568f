import Foundation
import Testing
import VStreamTestSupport

/// Runs that end before their input.
struct SignalTests {
  /// Whether a progress line reports written frames.
  private static func hasWritten(_ text: String) -> Bool {
    text.split(separator: "\u{1B}[K").contains { line in
      line.contains("fps") && !line.contains(" 0 of ") && !line.hasPrefix("0 frames")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends the run with a playable part file`(signal: Int32) throws {
    let folder = try TemporaryFolder()
    let files = ["--records", folder.file("r.jsonl"), "--stats", folder.file("s.json")]
    let arguments = [Checkout.sample("street.avi"), "-o", folder.file("out.mp4"), "--progress", "always"]
    let program = try RunningProgram(arguments + files)
    #expect(program.waitUntil(Self.hasWritten))
    program.send(signal)
    #expect(program.wait() == 130, "\(program.errors)")
    #expect(program.errors.contains("stopped"))
    #expect(folder.names == ["out.mp4.part", "r.jsonl", "s.json"])
    #expect(program.errors.contains("plays: '\(folder.file("out.mp4.part"))'"), "\(program.errors)")

    let frames = try Probe(folder.file("out.mp4.part")).frameTimes().count
    #expect((1..<795).contains(frames))
    let run = try RecordedRun(try String(contentsOfFile: folder.file("r.jsonl"), encoding: .utf8))
    #expect(run.frames.count == frames)
    #expect(run.summary["framesOut"].int == frames)
  }

  /// Both runs may replace an existing file; neither may damage the other's output.
  @Test func `two runs do not write the same file at once`() throws {
    let folder = try TemporaryFolder()
    let (clip, output) = (Checkout.sample("street.avi"), folder.file("out.mp4"))
    let first = try RunningProgram(
      [clip, "-o", output, "-y", "--detect", "none", "--realtime", "--progress", "always"])
    #expect(first.waitUntil(Self.hasWritten))
    let second = try Program.vstream([clip, "-o", output, "-y", "--detect", "none"])
    #expect(second.status == 73)
    #expect(second.errors.contains("is being written by another run"), "\(second.errors)")
    first.send(SIGINT)
    #expect(first.wait() == 130, "\(first.errors)")
    #expect(try Probe(output + ".part").frameTimes().count >= 1)
  }

  /// Nobody reads its messages, so that the first signal cannot end the run: its next message waits.
  @Test func `a second signal ends the run at once`() throws {
    let messages = try OpenPipe()
    let arguments = [Checkout.sample("street.avi"), "-o", "null", "--detect", "none", "--realtime"]
    let program = try Child(
      [Program.vstreamPath] + arguments + ["--progress", "always"], errors: messages.writing)
    var text = ""
    while !text.contains("fps"), case let next = messages.read(), !next.isEmpty {
      text += String(decoding: next, as: UTF8.self)
    }
    #expect(text.contains("fps"), "the run has not started: \(text)")
    try messages.fill()
    program.send(SIGINT)
    program.send(SIGTERM)
    #expect(program.wait(limit: Program.limit) == (130, nil))
    messages.closeWriting()
    #expect(!String(decoding: messages.readToEnd(), as: UTF8.self).contains("stopped"))
  }

  /// A pipe without data, so that the command is blocked in a read.
  @Test func `a signal ends a run whose standard input is silent`() throws {
    let folder = try TemporaryFolder()
    let source = try OpenPipe()
    let arguments = ["-", "-o", folder.file("out.mkv"), "--detect", "none", "--input-format", "mpegts"]
    let program = try RunningProgram(arguments, input: source)
    #expect(program.waitUntilCaught(SIGHUP), "the last of the handled signals")
    program.send(SIGINT)
    #expect(program.wait() == 130)
    #expect(folder.names == [])
    withExtendedLifetime(source) {}
  }

  /// The program may be asked to stop when it has hardly started.
  @Test(arguments: [SIGINT, SIGTERM]) func `a signal right after the start is not lost`(signal: Int32) throws {
    for _ in 0..<5 {
      let source = try OpenPipe()
      let program = try RunningProgram(
        ["-", "-o", "null", "--detect", "none", "--input-format", "mpegts"], input: source)
      #expect(program.waitUntilNotDefault(signal))
      program.send(signal)
      #expect(program.wait(limit: 60) == 130)
      withExtendedLifetime(source) {}
    }
  }

  @Test func `a reader that closes standard output early is no error`() throws {
    let street = try ClipFolder(street: 40)
    let pipe = try OpenPipe()
    let program = try RunningProgram([street.input, "-o", "-", "--detect", "none"], output: pipe)
    // The beginning is read, then nothing more.
    let beginning = pipe.read(upTo: 4)
    pipe.closeReading()
    pipe.closeWriting()
    #expect(beginning == Data("nut/".utf8))
    #expect(program.wait() == 0)
    #expect(program.errors == "")
  }

  @Test func `a run whose standard error is closed succeeds`() throws {
    let street = try ClipFolder(street: 3)
    let script = "exec \"$0\" in.avi -o out.mp4 --detect none 2>&-"
    let result = try Program.run("/bin/sh", ["-c", script, Program.vstreamPath], folder: street.folder.path)
    #expect(result.status == 0)
    #expect(try Probe(street.folder.file("out.mp4")).frameTimes().count == 3)
  }

  @Test func `media are read from and written to pipes`() throws {
    let street = try ClipFolder(street: 5)
    let script = "ffmpeg -v error -i in.avi -c copy -f matroska - | \"$0\" - -o - --detect none --quiet | cat > got.nut"
    let result = try Program.run("/bin/sh", ["-c", script, Program.vstreamPath], folder: street.folder.path)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(try Probe(street.folder.file("got.nut")).frameTimes().count == 5)
  }

  @Test func `special files are written directly`() throws {
    let street = try ClipFolder(street: 5)
    let script = "mkfifo f.mkv; cat f.mkv > got.mkv & \"$0\" in.avi -o f.mkv --detect none --quiet; wait"
    let result = try Program.run("/bin/sh", ["-c", script, Program.vstreamPath], folder: street.folder.path)
    #expect(result.status == 0)
    #expect(try Probe(street.folder.file("got.mkv")).frameTimes().count == 5)
    let null = try street.vstream(["in.avi", "-o", "/dev/null", "--detect", "none"])
    #expect(null.status == 0, "\(null.errors)")
  }
}
