import Testing
import VStreamTestSupport

@testable import VStreamMedia

/// What streams state of their durations and parameters.
struct DurationTests {
  @Test(arguments: ["mp4", "mkv", "avi"]) func `each stream has its own duration`(container: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.\(container)")
    try Program.ffmpeg(
      Clip.video(seconds: "1") + Clip.video(seconds: "3") + ["-map", "0", "-map", "1", "-c:v", "mpeg4", path])
    let seconds = try MediaReader(MediaInput(path)).streams.map { $0.durationSeconds ?? 0 }
    #expect(abs(seconds[0] - 1) < 0.11, "\(seconds)")
    #expect(abs(seconds[1] - 3) < 0.11, "\(seconds)")
  }

  @Test func `sound that begins late in a file is determined`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("in.ts")
    try Program.ffmpeg(
      Clip.video(seconds: "20") + ["-itsoffset", "12"] + Clip.tone(seconds: "8")
        + ["-map", "0", "-map", "1", "-c:v", "libx264", "-c:a", "aac", path])
    #expect(try MediaReader(MediaInput(path)).sound?.isUndetermined == false)
    let short = MediaInput(path, options: [("analyzeduration", "1000000")])
    #expect(try MediaReader(short).sound?.isUndetermined == true)
  }
}
