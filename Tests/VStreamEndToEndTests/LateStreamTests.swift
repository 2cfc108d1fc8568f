import Foundation
import Testing
import VStreamTestSupport

/// Inputs whose streams begin late, change, or are several videos.
struct LateStreamTests {
  /// A video of 20 s whose sound begins after 12 s: more than libav analyses.
  private static func lateSound(in folder: TemporaryFolder) throws -> String {
    let path = folder.file("late.ts")
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=20"] + ["-itsoffset", "12"] + [
        "-f", "lavfi", "-i", "sine=duration=8",
      ]
        + ["-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-c:a", "aac", "-f", "mpegts", path])
    return path
  }

  @Test(arguments: ["mp4", "mkv"])
  func `sound that begins late keeps its sample rate`(container: String) throws {
    let folder = try TemporaryFolder()
    let output = folder.file("out.\(container)")
    let result = try Program.vstream([try Self.lateSound(in: folder), "-o", output, "--detect", "none"])
    #expect(result.status == 0)
    #expect(!result.errors.contains("warning"), "\(result.errors)")
    let audio = try #require(Contents(output).streams.first { $0.codec_type == "audio" })
    #expect(audio.codec_name == "aac")
    #expect(audio.sample_rate == "44100")
  }

  @Test func `of a pipe, sound whose parameters are unknown is omitted, and the options that find them are named`()
    throws
  {
    let folder = try TemporaryFolder()
    let input = try Self.lateSound(in: folder)
    func audioStreams(_ options: String, errors: String?) throws -> Int {
      let script = "cat \"$1\" | \"$0\" - -o out.mp4 -y --detect none \(options)"
      let result = try Program.run("/bin/bash", ["-c", script, Program.vstreamPath, input], folder: folder.path)
      #expect(result.status == 0)
      #expect(result.errors.contains("stream #1 (audio, aac) is omitted") == (errors != nil), "\(result.errors)")
      if let errors { #expect(result.errors.contains(errors)) }
      return try Contents(folder.file("out.mp4")).streams.count { $0.codec_type == "audio" }
    }
    let remedy = "--input-option analyzeduration=60M --input-option probesize=100M"
    #expect(try audioStreams("", errors: "--input-option analyzeduration=60M") == 0)
    #expect(try audioStreams(remedy, errors: nil) == 1)
  }

  @Test func `of a pipe, a stream that is announced later is named`() throws {
    let folder = try TemporaryFolder()
    let video = ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=9"]
    let codecs = ["-c:v", "mpeg1video", "-c:a", "mp2", "-f", "mpeg"]
    try Program.ffmpeg(video + codecs + [folder.file("a.mpg")])
    try Program.ffmpeg(video + ["-f", "lavfi", "-i", "sine=duration=9"] + codecs + [folder.file("b.mpg")])
    let script = "cat a.mpg b.mpg | \"$0\" - -o out.mkv --detect none"
    let result = try Program.run("/bin/bash", ["-c", script, Program.vstreamPath], folder: folder.path)
    #expect(result.status == 0)
    #expect(
      result.errors.contains("warning: stream #1 (audio, mp2) begins after the input was opened"), "\(result.errors)")
    #expect(try Contents(folder.file("out.mkv")).streams.count == 1)
  }

  struct Videos: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Size and seconds of each video.
    let videos: [(size: String, seconds: String)]
    var options: [String] = []
    let frames: Int
    /// The stream that the message names; `nil` for no message.
    let chosen: Int?
  }

  static let videos = [
    Videos(testDescription: "one video", videos: [("160x120", "1")], frames: 10, chosen: nil),
    Videos(
      testDescription: "a phone's still image of a larger size", videos: [("320x240", "0.2"), ("160x120", "3")],
      frames: 30, chosen: 1),
    Videos(
      testDescription: "two of equal length: the larger", videos: [("160x120", "1"), ("320x240", "1")], frames: 10,
      chosen: 1),
    Videos(
      testDescription: "the one that --map names", videos: [("320x240", "0.2"), ("160x120", "3")],
      options: ["--map", "0:v:0"], frames: 2, chosen: nil),
  ]

  @Test(arguments: videos, ["mp4", "mkv"])
  func `of several videos the one that plays is processed, and named`(row: Videos, container: String) throws {
    let folder = try TemporaryFolder()
    let inputs = row.videos.flatMap {
      ["-f", "lavfi", "-i", "testsrc2=size=\($0.size):rate=10:duration=\($0.seconds)"]
    }
    let maps = row.videos.indices.flatMap { ["-map", "\($0)"] }
    let path = folder.file("in.\(container)")
    try Program.ffmpeg(inputs + maps + ["-c:v", "libx264", "-disposition:v", "default", path])
    let result = try Program.vstream(
      [path, "-o", folder.file("out.mkv"), "--detect", "none", "--stats", folder.file("s.json")] + row.options)
    #expect(result.status == 0)
    let stats = try JSONValue(json: String(contentsOfFile: folder.file("s.json"), encoding: .utf8))
    #expect(stats["framesIn"]?.number == Double(row.frames))
    #expect(result.errors.contains("videos, stream #") == (row.chosen != nil), "\(result.errors)")
    if let chosen = row.chosen { #expect(result.errors.contains("stream #\(chosen) (video")) }
  }

  /// A playlist of three parts, each with a clock of its own; the second has sound of another rate and other channels.
  private static func playlist(rates: (String, String), in folder: TemporaryFolder) throws -> String {
    for (name, rate, channels, tone) in [
      ("a", rates.0, "1", "440"), ("b", rates.1, "2", "880"), ("c", rates.0, "1", "440"),
    ] {
      try Program.ffmpeg(
        ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=2"] + [
          "-f", "lavfi", "-i", "sine=frequency=\(tone):duration=2",
        ]
          + ["-c:v", "libx264", "-c:a", "aac", "-ar", rate, "-ac", channels, folder.file("\(name).ts")])
    }
    let parts = ["a", "b", "c"].map { "#EXTINF:2.0,\n\($0).ts" }.joined(separator: "\n#EXT-X-DISCONTINUITY\n")
    let path = folder.file("list.m3u8")
    try "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n\(parts)\n#EXT-X-ENDLIST\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test(arguments: ["mkv", "mp4", "ts"], [("48000", "44100"), ("24000", "48000")])
  func `a playlist with discontinuities is complete, and its sound keeps its pitch`(
    container: String, rates: (String, String)
  ) throws {
    let folder = try TemporaryFolder()
    let output = folder.file("out.\(container)")
    let result = try Program.vstream([
      try Self.playlist(rates: rates, in: folder), "-o", output, "--detect", "none", "--strict",
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.errors.contains("truncated"))
    #expect(result.errors.contains("stream #1 (audio, aac) changes its sample rate or channels"), "\(result.errors)")
    let path = folder.file("sound.raw")
    try Program.ffmpeg(["-i", output, "-vn", "-ac", "1", "-ar", "48000", "-f", "s16le", path])
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
    for (start, tone) in [(0.5, 440), (2.5, 880), (4.5, 440)] {
      let first = Int(start * 48_000) * 2 + 1
      let positive = stride(from: first, to: first + 96_000, by: 2).map { bytes[$0] < 128 }
      // Each period rises through zero once.
      let rises = zip(positive, positive.dropFirst()).count { !$0 && $1 }
      #expect(abs(rises - tone) < tone / 50, "\(start) s: \(rises) Hz")
    }
  }
}
