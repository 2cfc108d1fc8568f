import Foundation
import Testing
import VStreamMedia
import VStreamTestSupport

/// Transcoding keeps every frame with its time and duration, and copies the other streams unchanged.
struct RoundTripTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// Input's and output's file name.
    let files: (input: String, output: String)
    var rate = "10"
    /// FFmpeg's options for the input.
    var options: [String] = []
    /// Seconds by which rounding to the containers' time bases may move a frame.
    var tolerance = 0.0001
    var preset = "ultrafast"
    var testDescription: String { name }
  }

  /// Frames alternately 100 and 140 ms apart, and one gap.
  static let variableRate = [
    "-vf", "settb=1/1000,setpts=100*N+40*mod(N\\,2)+500*gt(N\\,7)", "-fps_mode", "passthrough",
    "-enc_time_base", "1/1000",
  ]
  static let bFrames = ["-c:v", "libx264", "-bf", "3", "-g", "12"]

  static let rows = [
    Row(name: "constant rate, MP4", files: ("in.mp4", "out.mp4")),
    Row(name: "constant rate, MP4 to MKV", files: ("in.mp4", "out.mkv"), tolerance: 0.0006),
    Row(name: "constant rate, MP4 to MOV", files: ("in.mp4", "out.mov")),
    Row(name: "constant rate, AVI to MP4", files: ("in.avi", "out.mp4"), options: ["-c:v", "mjpeg"]),
    Row(name: "30000/1001 frames per second", files: ("in.mp4", "out.mp4"), rate: "30000/1001"),
    Row(name: "B-frames in, MP4", files: ("in.mp4", "out.mp4"), options: bFrames),
    Row(name: "B-frames in and out, MP4", files: ("in.mp4", "out.mp4"), options: bFrames, preset: "fast"),
    Row(name: "B-frames out, MKV", files: ("in.mkv", "out.mkv"), tolerance: 0.0006, preset: "fast"),
    Row(name: "B-frames out, MOV", files: ("in.mov", "out.mov"), preset: "fast"),
    Row(name: "variable rate, MKV", files: ("in.mkv", "out.mkv"), options: variableRate),
    Row(name: "variable rate, MKV to MP4", files: ("in.mkv", "out.mp4"), options: variableRate, tolerance: 0.0006),
    Row(name: "variable rate, MP4 with B-frames", files: ("in.mp4", "out.mp4"), options: variableRate, preset: "fast"),
    Row(name: "start at 5 s, MKV", files: ("in.mkv", "out.mkv"), options: ["-output_ts_offset", "5"]),
    Row(name: "start at 5 s, MKV to MP4", files: ("in.mkv", "out.mp4"), options: ["-output_ts_offset", "5"]),
    Row(name: "start at 5 s, MP4", files: ("in.mp4", "out.mp4"), options: ["-output_ts_offset", "5"]),
    Row(
      name: "start at 5 s, MP4 with B-frames", files: ("in.mp4", "out.mp4"),
      options: bFrames + ["-output_ts_offset", "5"], preset: "fast"),
    Row(
      name: "MPEG-TS, whose start is 1.4 s, to MP4", files: ("in.ts", "out.mp4"), options: ["-c:v", "libx264"],
      tolerance: 0.0006),
    Row(name: "a single frame", files: ("in.mp4", "out.mp4"), options: ["-frames:v", "1"]),
  ]

  @Test(arguments: rows)
  func `frames keep their number and times`(row: Row) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file(row.files.input), folder.file(row.files.output))
    try Program.ffmpeg(Clip.video(rate: row.rate, seconds: "1.2") + row.options + [input])
    try Transcoder(settings: EncoderSettings(preset: row.preset)).run(input, to: output)

    let (before, after) = (try Probe(input).frameTimes(), try Probe(output).frameTimes())
    #expect(!before.isEmpty)
    #expect(after.count == before.count)
    let furthest = zip(before, after).map { abs($0 - $1) }.max() ?? 0
    #expect(furthest <= row.tolerance, "\(before) became \(after)")
  }

  static let durationRows = rows.filter { row in
    // MPEG-TS stores no durations, nor does FFmpeg 7 in Matroska at a variable rate.
    !row.files.input.hasSuffix(".ts") && !row.name.hasPrefix("variable rate, MKV")
  }

  @Test(arguments: durationRows)
  func `the file keeps its end time, so that the last frame keeps its duration`(row: Row) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file(row.files.input), folder.file(row.files.output))
    try Program.ffmpeg(Clip.video(rate: row.rate, seconds: "1.2") + row.options + [input])
    try Transcoder(settings: EncoderSettings(preset: row.preset)).run(input, to: output)
    let (before, after) = (try #require(try Probe(input).duration), try #require(try Probe(output).duration))
    #expect(abs(before - after) <= 0.0015, "\(before) s became \(after) s")
  }

  struct CopyRow: CustomTestStringConvertible, Sendable {
    let name: String
    let files: (input: String, output: String)
    let options: [String]
    /// FFmpeg's names of the streams that are compared.
    let streams: [String]
    var testDescription: String { name }
  }

  static let copyRows = [
    CopyRow(
      name: "AAC and text, MP4", files: ("in.mp4", "out.mp4"), options: ["-c:a", "aac", "-c:s", "mov_text"],
      streams: ["a:0", "s:0"]),
    CopyRow(
      name: "AAC, SubRip, MKV", files: ("in.mkv", "out.mkv"), options: ["-c:a", "aac", "-c:s", "srt"],
      streams: ["a:0", "s:0"]),
    CopyRow(
      name: "FLAC, ASS, MKV", files: ("in.mkv", "out.mkv"),
      options: ["-c:a", "flac", "-c:s", "ass"], streams: ["a:0", "s:0"]),
    CopyRow(name: "PCM, MOV", files: ("in.mov", "out.mov"), options: ["-c:a", "pcm_s16le", "-sn"], streams: ["a:0"]),
    CopyRow(
      name: "MP3, AVI to MKV", files: ("in.avi", "out.mkv"), options: ["-c:a", "libmp3lame", "-sn"], streams: ["a:0"]),
    CopyRow(name: "AAC, MPEG-TS", files: ("in.ts", "out.ts"), options: ["-c:a", "aac", "-sn"], streams: ["a:0"]),
  ]

  @Test(arguments: copyRows)
  func `audio and subtitles are copied packet by packet`(row: CopyRow) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file(row.files.input), folder.file(row.files.output))
    try makeWithSubtitles(input, options: row.options, in: folder)
    let omitted = try Transcoder().run(input, to: output)
    #expect(omitted.map(\.reason) == [])

    let (before, after) = (try Probe(input), try Probe(output))
    for stream in row.streams {
      let (wanted, got) = (try before.packets(stream), try after.packets(stream))
      #expect(!wanted.isEmpty)
      #expect(got.map(\.size) == wanted.map(\.size), "sizes of \(stream)")
      let furthest = zip(wanted, got).map { abs(($0.time ?? 0) - ($1.time ?? 0)) }.max() ?? 0
      #expect(furthest <= 0.0011, "times of \(stream): \(wanted.map(\.time)) became \(got.map(\.time))")
    }
  }

  private func makeWithSubtitles(_ path: String, options: [String], in folder: TemporaryFolder) throws {
    let text = folder.file("words.srt")
    let words = """
      1
      00:00:00,200 --> 00:00:00,700
      first

      2
      00:00:00,800 --> 00:00:01,100
      second

      """
    try words.write(toFile: text, atomically: true, encoding: .utf8)
    let inputs = Clip.video(seconds: "1.2") + Clip.tone(seconds: "1.2") + ["-i", text]
    try Program.ffmpeg(inputs + ["-map", "0", "-map", "1", "-map", "2", "-preset", "ultrafast"] + options + [path])
  }

  @Test func `a stream that the container cannot hold is omitted and named`() throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("in.mkv"), folder.file("out.avi"))
    try makeWithSubtitles(input, options: ["-c:a", "aac", "-c:s", "srt"], in: folder)
    let omitted = try Transcoder().run(input, to: output)
    #expect(omitted.map(\.stream.kind) == [.subtitle])
    #expect(omitted.first?.reason.contains(".mkv") == true)
    #expect(try Probe(output).streams.map(\.codec_type) == ["video", "audio"])
  }

  struct LosslessRow: CustomTestStringConvertible, Sendable {
    let format: String
    let encoder: EncoderSettings
    var testDescription: String { "\(encoder.codec), \(format)" }
  }

  static let losslessRows = [
    LosslessRow(format: "yuv420p", encoder: EncoderSettings(preset: "ultrafast", crf: 0)),
    LosslessRow(format: "yuv444p", encoder: EncoderSettings(preset: "ultrafast", crf: 0)),
    LosslessRow(format: "yuv420p", encoder: EncoderSettings(codec: "ffv1")),
    LosslessRow(format: "yuv422p10le", encoder: EncoderSettings(codec: "ffv1")),
    LosslessRow(format: "gray", encoder: EncoderSettings(codec: "ffv1")),
    LosslessRow(format: "gbrp", encoder: EncoderSettings(codec: "ffv1")),
  ]

  @Test(arguments: losslessRows)
  func `a lossless encoder reproduces every bit`(row: LosslessRow) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("in.mkv"), folder.file("out.mkv"))
    try Program.ffmpeg(Clip.video("97x63") + ["-vf", "scale=98:62", "-pix_fmt", row.format, "-c:v", "ffv1", input])
    try Transcoder(settings: row.encoder).run(input, to: output)
    let (before, after) = (try Decoded(input).frames, try Decoded(output).frames)
    #expect(before.count == 10)
    #expect(before.map(\.format) == after.map(\.format))
    #expect(before.map(\.pixels) == after.map(\.pixels))
  }

  @Test func `colour tags and the sample aspect ratio are kept`() throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("in.mp4"), folder.file("out.mp4"))
    let colours = [
      "-vf", "setsar=4/3", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range",
      "pc",
    ]
    try Program.ffmpeg(Clip.video() + colours + [input])
    try Transcoder().run(input, to: output)
    let (before, after) = (try #require(try Probe(input).video), try #require(try Probe(output).video))
    #expect(before.color_space == "bt709")
    #expect(after.color_space == before.color_space)
    #expect(after.color_primaries == before.color_primaries)
    #expect(after.color_transfer == before.color_transfer)
    #expect(after.color_range == before.color_range)
    #expect(after.sample_aspect_ratio == before.sample_aspect_ratio)
  }

  @Test func `titles and languages are kept`() throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("in.mkv"), folder.file("out.mkv"))
    let tags = ["-metadata", "title=A walk", "-metadata:s:a:0", "language=fra"]
    try Program.ffmpeg(Clip.video() + Clip.tone() + ["-c:a", "aac"] + tags + [input])
    try Transcoder().run(input, to: output)
    let after = try Probe(output)
    #expect(after.formatTags.first { $0.key.lowercased() == "title" }?.value == "A walk")
    #expect(after.audio.first?.tags?["language"] == "fra")
  }

  @Test(arguments: ["mp4", "mkv"])
  func `chapters are kept`(ending: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.file("in.mkv"), folder.file("out.\(ending)"))
    let chapters = folder.file("chapters.txt")
    let text =
      ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=one\n"
      + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=two\n"
    try text.write(toFile: chapters, atomically: true, encoding: .utf8)
    try Program.ffmpeg(Clip.video() + ["-i", chapters, "-map_metadata", "1", "-map_chapters", "1", input])
    try Transcoder().run(input, to: output)
    let (before, after) = (try MediaReader(MediaInput(input)).container, try MediaReader(MediaInput(output)).container)
    #expect(before.chapters.count == 2)
    #expect(after.chapters.map(\.start.seconds) == before.chapters.map(\.start.seconds))
    #expect(after.chapters.map { $0.metadata["title"] } == before.chapters.map { $0.metadata["title"] })
  }
}
