import Foundation
import Testing
import VStreamTestSupport

/// A simulated camera: a pipe that delivers a number of frames with their audio, and then stays open without data, so that
/// a run waits at a known frame.
struct PacedInput {
  static let frameRate = 25
  private let folder: TemporaryFolder
  /// Where each frame ends in the file.
  private let ends: [Int]
  private var path: String { folder.file("source.nut") }

  /// - Parameter seconds: the maximum duration of the input.
  init(seconds: Int) throws {
    folder = try TemporaryFolder()
    let source = "testsrc2=size=160x120:rate=\(Self.frameRate):duration=\(seconds)"
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", source, "-f", "lavfi", "-i", "sine=duration=\(seconds)"]
        + ["-c:v", "rawvideo", "-pix_fmt", "yuv420p", "-c:a", "aac", folder.file("source.nut")])
    let probe = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pos,size"]
    let listed = try Program.run("/usr/bin/env", probe + ["-of", "csv=p=0", folder.file("source.nut")])
    ends = listed.text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",").compactMap { Int($0) }
      // `pos` is where the frame's header starts, which takes less than 64 bytes.
      return fields.count == 2 ? fields[0] + fields[1] + 64 : nil
    }
    try #require(ends.count == seconds * Self.frameRate)
  }

  /// The command after it has written the first frames, waiting for more.
  ///
  /// - Returns: the command, the number of frames that it reports as written, and the object that keeps its input open.
  func run(frames: Int, _ arguments: [String]) throws -> (program: RunningProgram, written: Int, input: OpenPipe) {
    let pipe = try OpenPipe()
    let program = try RunningProgram(["-"] + arguments + ["--stats-every", "0.1"], input: pipe)
    // Written by another process, which ends if the command ends early.
    let end = "/proc/\(getpid())/fd/\(pipe.writing)"
    _ = try Program.run("/bin/sh", ["-c", "head -c \"$1\" \"$0\" >\"$2\"", path, "\(ends[frames - 1])", end])
    #expect(program.waitUntil { RunningProgram.lastCount("framesOut", in: $0) >= frames - 1 }, "\(program.errors)")
    return (program, RunningProgram.lastCount("framesOut", in: program.errors), pipe)
  }
}
