import Foundation
import Testing
import VStreamTestSupport

/// Boxes and labels as subtitles over copied video, rendered by FFmpeg.
struct OverlayTrackTests {
  private let folder: TemporaryFolder
  private static let (width, height) = (320, 240)
  private static let frames = 12

  init() throws { folder = try TemporaryFolder() }

  /// A black clip with B-frames with irregular frame times.
  private func clip(_ name: String, _ options: [String] = [], filter: String = "") throws -> String {
    let size = "\(Self.width)x\(Self.height)"
    // Times: 0, 1, 4, 5, 8, 9, … of 1/25 s.
    let uneven = "setpts='(2*N-mod(N,2))/25/TB'"
    try Program.ffmpeg(
      ["-f", "lavfi", "-i", "color=black:size=\(size):rate=25,\(uneven)\(filter)", "-frames:v", "\(Self.frames)"]
        + ["-fps_mode", "passthrough", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "8"] + options
        + [folder.file(name)])
    return folder.file(name)
  }

  /// The object's position in a frame: it moves by four pixels per frame.
  private static func box(_ frame: Int) -> (x: Int, y: Int, width: Int, height: Int) {
    (40 + 4 * frame, 60 + 2 * frame, 48, 64)
  }

  /// Records of one object, by the frames' times.
  private func records(width: Int = width, height: Int = height) throws -> String {
    let input = #"{"name":"a","width":\#(width),"height":\#(height),"rotation":0,"timeBase":"1/25"}"#
    let frames = (0..<Self.frames).map { index in
      let (x, y, width, height) = Self.box(index)
      let object = #"{"id":1,"label":"person","score":0.9,"box":[\#(x),\#(y),\#(width),\#(height)]}"#
      let ticks = 2 * index - index % 2
      return #"{"type":"frame","ticks":\#(ticks),"source":"detected","objects":[\#(object)]}"#
    }
    let path = folder.file("tracks.jsonl")
    let lines = [#"{"type":"header","version":1,"input":\#(input)}"#] + frames
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func run(_ input: String, _ output: String, _ extra: [String] = []) throws -> ProgramResult {
    try Program.vstream(
      [input, "-o", folder.file(output), "--overlay-track", "ass", "--from-records", folder.file("tracks.jsonl")]
        + extra)
  }

  /// The frames of a video with its subtitles, as grey values.
  private func shown(_ video: String, script: String, width: Int = width, height: Int = height) throws -> [[UInt8]] {
    let data = try Program.ffmpeg(
      ["-i", folder.file(video), "-vf", "subtitles=\(folder.file(script))", "-fps_mode", "passthrough"]
        + ["-f", "rawvideo", "-pix_fmt", "gray", "-"]
    ).output
    let count = width * height
    #expect(data.count % count == 0)
    return (0..<data.count / count).map { [UInt8](data[($0 * count)..<(($0 + 1) * count)]) }
  }

  /// The left, top, right and bottom of the smallest box around all pixels that are not black.
  private func lit(_ frame: [UInt8], width: Int = width) -> [Int]? {
    let positions = frame.indices.filter { frame[$0] > 60 }
    let (columns, rows) = (positions.map { $0 % width }, positions.map { $0 / width })
    guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
      return nil
    }
    return [left, top, right + 1, bottom + 1]
  }

  /// Checks that each frame shows its own box, to the pixel.
  private func expectBoxes(_ frames: [[UInt8]], width: Int = width, _ what: String) {
    #expect(frames.count == Self.frames, "\(what)")
    for (index, frame) in frames.enumerated() {
      let (x, y, boxWidth, boxHeight) = Self.box(index)
      let expected = [x, y, x + boxWidth, y + boxHeight]
      guard let found = lit(frame, width: width) else {
        Issue.record("\(what): nothing in frame \(index)")
        continue
      }
      // Lines of 1.5 pixels lie half outside.
      let isThere = zip(found, expected).allSatisfy { abs($0 - $1) <= 1 }
      #expect(isThere, "\(what), frame \(index): \(found) instead of \(expected)")
    }
  }

  struct Way: CustomTestStringConvertible, Sendable {
    let input: String
    let output: String
    var script: String { output.hasSuffix(".mkv") ? output : "out.ass" }
    var testDescription: String { "\(input) to \(output)" }
  }

  static let ways = ["in.mp4", "in.mov", "in.mkv"].flatMap { input in
    ["out.mkv", "out.mp4", "out.mov"].map { Way(input: input, output: $0) }
  }

  @Test(arguments: ways)
  func `the video's packets equal the input's, and each frame shows its own box`(way: Way) throws {
    let input = try clip(way.input)
    _ = try records()
    let result = try run(input, way.output, ["--draw", "boxes"])
    #expect(result.status == 0, "\(result.errors)")
    let (before, after) = (try Contents(input), try Contents(folder.file(way.output)))
    let (packets, copies) = (before.packets[0] ?? [], after.packets[0] ?? [])
    #expect(packets.count == Self.frames)
    #expect(copies.map(\.hash) == packets.map(\.hash))
    #expect(after.streams[0].extradata_hash == before.streams[0].extradata_hash)
    let seconds = { (contents: Contents, packets: [Contents.Packet]) in
      let base = contents.streams[0].base
      return packets.map { Double(($0.ticks ?? 0) * base.numerator) / Double(base.denominator) }
    }
    for (one, other) in zip(seconds(before, packets), seconds(after, copies)) { #expect(abs(one - other) < 0.00051) }
    expectBoxes(try shown(way.output, script: way.script), way.testDescription)
    let names = folder.names
    #expect(names.contains("out.ass") == (way.script == "out.ass"))
    #expect(!names.contains { $0.hasSuffix(".part") })
  }

  @Test func `audio, other subtitles and tags are copied, and the overlay is a separate track`() throws {
    try "1\n00:00:00,100 --> 00:00:00,300\nhello\n".write(
      toFile: folder.file("a.srt"), atomically: true, encoding: .utf8)
    let plain = try clip("plain.mkv")
    try Program.ffmpeg([
      "-i", plain, "-f", "lavfi", "-i", "sine=duration=1", "-i", folder.file("a.srt"), "-map", "0", "-map", "1", "-map",
      "2", "-c:v", "copy", "-c:a", "flac", "-c:s", "srt", "-metadata", "title=a walk", folder.file("in.mkv"),
    ])
    _ = try records()
    #expect(try run(folder.file("in.mkv"), "out.mkv").status == 0)
    let (before, after) = (try Contents(folder.file("in.mkv")), try Contents(folder.file("out.mkv")))
    #expect(after.streams.map(\.codec_name) == ["h264", "flac", "subrip", "ass"])
    #expect(after.streams[3].tags?["title"] == "vstream")
    #expect(after.tags["title"] == "a walk")
    for index in 0..<3 {
      #expect(after.packets[index]?.map(\.hash) == before.packets[index]?.map(\.hash), "stream \(index)")
    }
    // A box and a label for each frame.
    #expect(after.packets[3]?.count == 2 * Self.frames)
  }

  @Test func `labels are above their boxes`() throws {
    let input = try clip("in.mp4")
    _ = try records()
    #expect(try run(input, "out.mkv").status == 0)
    let frames = try shown("out.mkv", script: "out.mkv")
    #expect(frames.count == Self.frames)
    for (index, frame) in frames.enumerated() {
      let (x, y, _, height) = Self.box(index)
      let found = try #require(lit(frame))
      #expect(found[1] < y - 8 && found[1] > y - 24, "frame \(index): the label's top is \(found[1]), the box's \(y)")
      #expect(abs(found[0] - x) <= 3 && abs(found[3] - (y + height)) <= 1, "frame \(index): \(found)")
    }
  }

  @Test func `the overlay is correct for pixels that are not square`() throws {
    let input = try clip("in.mp4", filter: ",setsar=16/11")
    _ = try records()
    #expect(try run(input, "out.mkv", ["--draw", "boxes"]).status == 0)
    #expect(try Probe(folder.file("out.mkv")).video?.sample_aspect_ratio == "16:11")
    expectBoxes(try shown("out.mkv", script: "out.mkv"), "16:11")
  }

  @Test func `a rotated video stays rotated, with upright boxes; Matroska without rotation is refused`() throws {
    let upright = try clip("upright.mp4")
    try Program.ffmpeg(Program.rotating(upright, by: 90) + [folder.file("in.mp4")])
    _ = try records(width: Self.height, height: Self.width)
    let refused = try run(folder.file("in.mp4"), "out.mkv")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("cannot store that the video is rotated"), "\(refused.errors)")
    #expect(!folder.names.contains { $0.hasPrefix("out") })
    let result = try run(folder.file("in.mp4"), "out.mp4", ["--draw", "boxes"])
    #expect(result.status == 0, "\(result.errors)")
    let frames = try shown("out.mp4", script: "out.ass", width: Self.height, height: Self.width)
    expectBoxes(frames, width: Self.height, "rotated")
  }

  @Test func `a live input is copied as it comes`() throws {
    let input = try clip("in.mkv")
    _ = try records()
    let result = try run(input, "out.mkv", ["--realtime", "--draw", "boxes"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Contents(folder.file("out.mkv")).packets[0]?.count == Self.frames)
    expectBoxes(try shown("out.mkv", script: "out.mkv"), "live")
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var output = "out.mkv"
    var arguments: [String] = []
    let expected: String
  }

  @Test(arguments: [
    Refusal(
      testDescription: "another kind", arguments: ["--overlay-track", "srt"], expected: "is not a subtitle format"),
    Refusal(
      testDescription: "an encoder", arguments: ["--codec", "libx265"], expected: "--codec has nothing to encode"),
    Refusal(testDescription: "a quality", arguments: ["--crf", "18"], expected: "--crf has nothing to encode"),
    Refusal(
      testDescription: "a format", arguments: ["--pixel-format", "gray"], expected: "--pixel-format has nothing"),
    Refusal(testDescription: "redaction", arguments: ["--redact", "fill"], expected: "would show what --redact hides"),
    Refusal(testDescription: "a start", arguments: ["--start", "1"], expected: "so --start cannot cut it"),
    Refusal(testDescription: "a length", arguments: ["--duration", "1"], expected: "so --duration cannot cut it"),
    Refusal(testDescription: "no detection", arguments: ["--detect", "none"], expected: "nothing is shown"),
    Refusal(testDescription: "no drawing", arguments: ["--draw", "none"], expected: "nothing is shown"),
    Refusal(
      testDescription: "contours", arguments: ["--draw", "boxes,contours"], expected: "'contours' cannot be shown"),
    Refusal(testDescription: "no output", output: "null", expected: "requires an output video"),
    Refusal(testDescription: "an image", output: "out.png", expected: "images are re-encoded, not copied"),
    Refusal(testDescription: "a playlist", output: "out.m3u8", expected: "hls does not hold such subtitles"),
    Refusal(testDescription: "standard output", output: "-", expected: "nut does not hold such subtitles"),
    Refusal(
      testDescription: "video that WebM cannot hold", output: "out.webm",
      expected: "webm cannot hold the video as it is"),
  ])
  func `options that need re-encoded video are refused with the reason`(refusal: Refusal) throws {
    let input = try clip("in.mp4")
    let output = ["-", "null"].contains(refusal.output) ? refusal.output : folder.file(refusal.output)
    let result = try Program.vstream([input, "-o", output, "--overlay-track", "ass"] + refusal.arguments)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains(refusal.expected), "\(result.errors)")
    #expect(oneLine(result.errors))
    #expect(folder.names == ["in.mp4"])
  }

  @Test(arguments: ["out.mkv", "out.mp4"])
  func `packets without presentation times are not copied`(output: String) throws {
    // AVI stores no presentation times, and B-frames are not in presentation order.
    let input = try clip("in.avi")
    let result = try Program.vstream([input, "-o", folder.file(output), "--overlay-track", "ass"])
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains("has no presentation times"), "\(result.errors)")
    #expect(oneLine(result.errors))
    #expect(folder.names == ["in.avi"])
  }

  @Test func `an existing script is replaced only with overwrite`() throws {
    let input = try clip("in.mp4")
    _ = try records()
    try "mine".write(toFile: folder.file("out.ass"), atomically: true, encoding: .utf8)
    let refused = try run(input, "out.mp4")
    #expect(refused.status == 73)
    #expect(refused.errors.contains("out.ass' exists already"), "\(refused.errors)")
    #expect(try String(contentsOfFile: folder.file("out.ass"), encoding: .utf8) == "mine")
    #expect(try run(input, "out.mp4", ["-y"]).status == 0)
    #expect(try String(contentsOfFile: folder.file("out.ass"), encoding: .utf8).hasPrefix("[Script Info]"))
  }
}
