import Foundation
import Testing
import VStreamTestSupport

/// Parts of a video that are rendered by themselves and joined, through the built program.
struct RenderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let output: String
    /// Of detection and of what is painted.
    let options: [String]
    var encoder: [String] = []
    /// Whether the encoder keeps every pixel.
    var isLossless = true
  }

  static let rows = [
    Row(
      testDescription: "boxes, labels and zones, lossless", output: "out.mkv",
      options: ["--detect", "objects", "--zone", "door:10%,10%;60%,10%;60%,90%", "--draw", "boxes,labels,ids,zones"],
      encoder: ["--codec", "ffv1"]),
    Row(
      testDescription: "B-frames in MP4", output: "out.mp4", options: ["--detect", "objects"], isLossless: false),
    Row(
      testDescription: "persons are redacted", output: "out.mkv",
      options: ["--redact", "fill", "--redact-what", "person", "--draw", "none"], encoder: ["--codec", "ffv1"]),
    Row(
      testDescription: "half of the groups have a person of such a score, and are encoded", output: "out.mp4",
      options: ["--detect", "objects", "--classes", "person", "--min-score", "0.85", "--lost-after", "0.1"],
      encoder: ["--encode", "changed"]),
  ]

  /// Every 13th frame of the street, 2 s apart, with a tone, a title and chapters.
  private func clip() throws -> String {
    let chapters = try folder.write(
      "chapters.txt",
      ";FFMETADATA1\ntitle=Street\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=40\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1\n"
        + "START=40\nEND=120\ntitle=Two\n")
    let path = folder.file("clip.mp4")
    try Program.ffmpeg(
      ["-i", Checkout.sample("street.avi"), "-f", "lavfi", "-i", "sine=220:duration=119", "-i", chapters]
        + ["-vf", "select=not(mod(n\\,13)),scale=192:144,setpts=2*N/TB,fps=1/2", "-fps_mode", "passthrough"]
        + ["-map", "0:v", "-map", "1:a", "-map_metadata", "2", "-frames:v", "60", "-c:v", "libx264", "-g", "6", path])
    return path
  }

  private func run(_ arguments: [String]) throws {
    let result = try Program.vstream(arguments + ["--quiet"])
    try #require(result.status == 0, "\(arguments): \(result.errors)")
  }

  /// Detects, joins what is painted, renders and joins the video.
  private func renderParts(_ input: String, _ row: Row) throws {
    let (plan, parts) = (folder.file("plan.json"), folder.file("parts"))
    let split = try Program.vstream(["split", input, "-o", plan, "--part-duration", "30"])
    try #require(split.status == 0, "\(split.errors)")
    try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: true)
    for number in 0..<4 {
      try run(
        [input, "-o", "null", "--part", "\(plan):\(number)", "--record-detections"]
          + ["--records", "\(parts)/part-000\(number).jsonl"] + row.options)
    }
    try run(["join", plan, "--parts", parts, "--paint"] + row.options)
    for number in row.encoder.contains("--encode") ? 0..<0 : 0..<4 {
      try run(
        [input, "-o", folder.file(row.output), "--part", "\(plan):\(number)"]
          + ["--from-paint", "\(parts)/paint-000\(number).jsonl", "--packets", "\(parts)/video-000\(number).packets"]
          + row.options + row.encoder)
    }
    #expect(!folder.names.contains(row.output))
    try run(["join", plan, "--parts", parts, "-o", folder.file(row.output)] + row.options + row.encoder)
  }

  private func probe(_ path: String, _ arguments: [String]) throws -> [String] {
    let result = try Program.run("/usr/bin/env", ["ffprobe", "-v", "error"] + arguments + ["-of", "flat", path])
    let changing = ["filename", "size", "bit_rate"]
    return result.text.split(separator: "\n").map(String.init).filter { line in
      !changing.contains { line.contains(".\($0)=") }
    }
  }

  private func hashes(_ path: String, _ arguments: [String]) throws -> String {
    try Program.ffmpeg(["-i", path] + arguments + ["-f", "framemd5", "-"]).text
  }

  @Test(arguments: rows)
  func `a joined video is that of one run`(row: Row) throws {
    let input = try clip()
    let (one, joined) = (folder.file("one-\(row.output)"), folder.file(row.output))
    try run([input, "-o", one, "--records", folder.file("one.jsonl")] + row.options + row.encoder)
    try renderParts(input, row)
    for what in [
      ["-show_format", "-show_streams", "-show_chapters"],
      ["-select_streams", "v", "-show_entries", "frame=pts,pkt_duration,duration"],
    ] {
      #expect(try probe(one, what) == probe(joined, what))
    }
    let sound = ["-map", "0:a", "-c", "copy"]
    #expect(try hashes(one, sound) == hashes(joined, sound))
    let pictures = ["-map", "0:v", "-fps_mode", "passthrough"]
    #expect(try (hashes(one, pictures) == hashes(joined, pictures)) == row.isLossless)
  }

  @Test func `what was to be redacted is not rendered without it`() throws {
    let row = Self.rows[2]
    let input = try clip()
    try renderParts(input, row)
    let paint = folder.file("parts/paint-0000.jsonl")
    for (options, message) in [
      (["--detect", "objects"], "has regions to redact, and this run redacts nothing"),
      (["--redact", "fill", "--codec", "ffv1"], nil),
    ] as [([String], String?)] {
      let result = try Program.vstream(
        [input, "-o", folder.file("x.mkv"), "--part", folder.file("plan.json:0"), "--from-paint", paint]
          + ["--packets", folder.file("x.packets"), "--quiet"] + options)
      #expect(result.status == (message == nil ? 0 : 64), "\(result.errors)")
      if let message { #expect(result.errors.contains(message)) }
    }
  }

  @Test func `packets of another part, or rendered without redaction, are not joined`() throws {
    let row = Self.rows[2]
    try renderParts(try clip(), row)
    func join(_ options: [String]) throws -> ProgramResult {
      try Program.vstream(
        ["join", folder.file("plan.json"), "--parts", folder.file("parts"), "-o", folder.file("x.mkv"), "--quiet"]
          + options + row.encoder)
    }
    let unredacted = try join(["--draw", "none"])
    #expect(unredacted.status == 64 && unredacted.errors.contains("was rendered with redaction, and this run redacts"))
    try FileManager.default.removeItem(atPath: folder.file("parts/video-0001.packets"))
    try FileManager.default.copyItem(
      atPath: folder.file("parts/video-0002.packets"), toPath: folder.file("parts/video-0001.packets"))
    let swapped = try join(row.options)
    #expect(swapped.status == 65 && swapped.errors.contains("does not hold the packets of part 1"), "\(swapped.errors)")
    #expect(!folder.names.contains("x.mkv"))
  }

  @Test func `parts that were encoded otherwise are not joined`() throws {
    let row = Row(testDescription: "", output: "out.mkv", options: ["--detect", "objects"], encoder: ["--crf", "30"])
    try renderParts(try clip(), row)
    let result = try Program.vstream(
      ["join", folder.file("plan.json"), "--parts", folder.file("parts"), "-o", folder.file("other.mkv")] + row.options
        + ["--scale", "96x72", "--quiet"])
    #expect(result.status == 65)
    #expect(result.errors.contains("was encoded with other options than this run has"))
  }
}
