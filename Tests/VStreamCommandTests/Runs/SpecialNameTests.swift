import Foundation
import Testing
import VStreamTestSupport

/// Names of files with special characters, wherever a file is named, with the built command.
struct SpecialNameTests {
  static let names = [
    "a:b", "http:x", "rtsp:me@x", "concat:x", "subfile,,start,0,end,9,,:x", "cache:x", "crypto:x", "data:x", "pipe:7",
    "a b", "a#b", "a?b", "a%b", "a%20b", "a%05d%", "a\"b", "a'b", "a\\b", "a|b", "a&b", "a\nb", "a\tb", "-a", "äß日",
    "[a]", "a,b", "$Number$", "~a", "*", ".a", "a@b:c", "a=b",
  ]
  private static let clip = FidelityRun.words(
    "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p in.mp4")

  /// As the command line takes it.
  private static func argument(_ name: String) -> String { name.hasPrefix("-") ? "./" + name : name }

  private static func run(_ arguments: [String], in folder: TemporaryFolder) throws {
    let result = try Program.vstream(arguments + ["--detect", "none"], folder: folder.path)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
  }

  @Test(arguments: names) func `inputs, outputs, records and statistics have any name`(name: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Self.clip, folder: folder.path)
    let stem = Self.argument(name)
    let records = ["--records", stem + ".jsonl", "--records", stem + ".vtt", "--stats", stem + ".json"]
    try Self.run(["in.mp4", "-o", stem + ".mp4"] + records, in: folder)
    #expect(Set(folder.names) == Set(["in.mp4"] + [".mp4", ".jsonl", ".vtt", ".json"].map { name + $0 }))
    try Self.run([stem + ".mp4", "-o", stem + ".mkv"], in: folder)
    #expect(try Probe(folder.file(name + ".mkv")).frameTimes().count == 10)
    try Self.run([stem + ".mp4", "--output-dir", stem], in: folder)
    #expect(try Probe(folder.file("\(name)/\(name).mp4")).frameTimes().count == 10)
    let header = try String(contentsOfFile: folder.file(name + ".jsonl"), encoding: .utf8).prefix { $0 != "\n" }
    #expect(header.contains("\"name\":\"in.mp4\""))
  }

  @Test(arguments: names, ["m3u8", "mpd"])
  func `players find the segments of a playlist of any name`(name: String, kind: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Self.clip, folder: folder.path)
    let playlist = "\(Self.argument(name)).\(kind)"
    for overwriting in [[], ["-y"]] {
      try Self.run(["in.mp4", "-o", playlist] + overwriting, in: folder)
      // FFmpeg and browsers read by name; `file:` lets FFmpeg open the playlist itself.
      let arguments = ["-i", "file:\(folder.file("\(name).\(kind)"))", "-f", "null", "-"]
      try Program.ffmpeg(arguments, folder: folder.path)
      try Self.run([playlist, "-o", "null"], in: folder)
    }
    guard kind == "m3u8" else { return }
    let lines = try String(contentsOfFile: folder.file("\(name).m3u8"), encoding: .utf8).split(separator: "\n")
    for line in lines where !line.hasPrefix("#") {
      #expect(folder.names.contains(String(line)), "\(line) is a file's name")
      #expect(!line.contains { ":#?% \"\\".contains($0) }, "\(line) is a relative URL")
    }
  }

  @Test(arguments: ["a:b", "http:x", "a b", "a#b", "a%%b", "concat:x", "äß日", "a'b"])
  func `folders of images have any name`(name: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(Self.clip, folder: folder.path)
    let made = name.replacing("%%", with: "%")
    try FileManager.default.createDirectory(atPath: folder.file(made), withIntermediateDirectories: false)
    try Self.run(["in.mp4", "-o", "\(name)/\(name)-%03d.png"], in: folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file(made)).contains("\(made)-001.png"))
    try Self.run([made, "-o", "folder.mkv"], in: folder)
    try Self.run(["\(name)/\(name)-%03d.png", "-o", "pattern.mkv"], in: folder)
    for video in ["folder.mkv", "pattern.mkv"] {
      #expect(try Probe(folder.file(video)).frameTimes().count == 10)
    }
  }
}
