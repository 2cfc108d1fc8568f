import Foundation
import Testing
import VStreamTestSupport

/// WebVTT's cues begin at the times of the output's frames.
struct CueTimeTests {
  private let folder: TemporaryFolder

  /// With videos of one second, 25 frames a second: from zero, and from five seconds on; and an AVI, whose ticks are frames.
  init() throws {
    folder = try TemporaryFolder()
    let test = "-f lavfi -i testsrc=s=64x48:r=25:d=1".split(separator: " ").map(String.init)
    for made in ["in.mkv", "-output_ts_offset 5 late.mkv", "-c:v mjpeg -pix_fmt yuvj420p in.avi", "-f mpegts in.ts"] {
      try Program.ffmpeg(test + made.split(separator: " ").map(String.init), folder: folder.path)
    }
  }

  private static func seconds(_ timestamp: Substring) -> Double {
    timestamp.split(separator: ":").compactMap { Double($0) }.reduce(0) { 60 * $0 + $1 }
  }

  private func cueTimes(_ name: String) throws -> [Double] {
    let text = try String(contentsOfFile: folder.file(name), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.contains(" --> ") }
      .map { Self.seconds($0.prefix { $0 != " " }) }
  }

  @Test(arguments: [
    "in.mkv -o out.mkv", "in.mkv -o out.mkv --start 0.3", "in.mkv -o out.mp4 --start 0.3",
    "in.mkv -o out.mp4 --start 0.31 --duration 0.3", "in.avi -o out.mkv --start 0.31", "in.avi -o out.mkv --start 0.33",
    "late.mkv -o out.mkv", "late.mkv -o out.mp4 --start 0.5", "late.mkv -o out.mkv --start 0.5 --keep-start",
    "in.ts -o out.mkv --start 0.31", "in.mkv -o out.mkv --realtime --start 0.5",
  ])
  func `each cue begins with its frame`(words: String) throws {
    let result = try Program.vstream(
      words.split(separator: " ").map(String.init) + ["--detect", "none", "--records", "r.vtt", "--records", "s.vtt"],
      folder: folder.path)
    try #require(result.status == 0, "\(result.errors)")
    let output = folder.names.first { $0.hasPrefix("out.") } ?? ""
    let (cues, frames) = (try cueTimes("r.vtt"), try Probe(folder.file(output)).frameTimes())
    #expect(cues.count == frames.count && !cues.isEmpty)
    #expect(zip(cues, frames).allSatisfy { abs($0 - $1) < 0.0015 }, "\(cues.prefix(3)), \(frames.prefix(3))")
    #expect(try cueTimes("s.vtt") == cues)
  }

  @Test func `without an output, the cues are those of the video that the same run would write`() throws {
    let run = { (output: String, records: String) in
      try Program.vstream(
        ["in.avi", "-o", output, "--start", "0.31", "--duration", "0.4", "--detect", "none", "--records", records],
        folder: folder.path)
    }
    #expect(try run("out.mkv", "a.vtt").status == 0)
    #expect(try run("null", "b.vtt").status == 0)
    #expect(try cueTimes("b.vtt") == cueTimes("a.vtt"))
    #expect(try cueTimes("b.vtt").first == 0)
  }
}
