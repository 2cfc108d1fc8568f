import Foundation
import Testing
import VStreamTestSupport

/// Input, and folders, that somebody has prepared: nothing else is read, overwritten or shown.
struct HostileInputTests {
  private static let video = "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1"

  /// A folder with a video, and descriptions that lead to it or to addresses.
  private static func makeFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(video) -c:v libx264 secret.ts"), folder: folder.path)
    let secret = folder.file("secret.ts")
    let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n"
    _ = try folder.write("file.m3u8", "\(head)file:\(secret)\n#EXT-X-ENDLIST\n")
    _ = try folder.write("relative.m3u8", "\(head)secret.ts\n#EXT-X-ENDLIST\n")
    _ = try folder.write("server.m3u8", "\(head)http://127.0.0.1:1/secret.ts\n#EXT-X-ENDLIST\n")
    _ = try folder.write("list.ffconcat", "ffconcat version 1.0\nfile '\(secret)'\n")
    _ = try folder.write(
      "call.sdp",
      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 50002 RTP/AVP 96\na=rtpmap:96 H264/90000\n"
    )
    return folder
  }

  @Test(
    arguments: ["file.m3u8", "server.m3u8", "list.ffconcat", "call.sdp"],
    ["cat NAME | VSTREAM - OUT", "VSTREAM - OUT < NAME", "mkfifo f; cat NAME > f & VSTREAM f OUT"])
  func `a playlist on standard input or in a FIFO reads nothing else`(name: String, way: String) throws {
    let folder = try Self.makeFolder()
    let command = way.replacing("NAME", with: name).replacing("VSTREAM", with: "'\(Program.vstreamPath)'")
      .replacing("OUT", with: "-o out.mkv --detect none --timeout 5")
    let result = try Program.run("/bin/sh", ["-c", command], folder: folder.path)
    #expect(result.status == 65, "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(!folder.names.contains("out.mkv"))
  }

  @Test func `a playlist on standard input reads files if it is trusted, and a playlist that is named reads its own`()
    throws
  {
    let folder = try Self.makeFolder()
    let trusted = "'\(Program.vstreamPath)' - -o a.mkv --detect none --input-option protocol_whitelist=file,crypto,data"
    let piped = try Program.run("/bin/sh", ["-c", "cat file.m3u8 | \(trusted)"], folder: folder.path)
    #expect(piped.status == 0, "\(piped.errors)")
    let named = try Program.vstream(["relative.m3u8", "-o", "b.mkv", "--detect", "none"], folder: folder.path)
    #expect(named.status == 0, "\(named.errors)")
    for name in ["a.mkv", "b.mkv"] { #expect(try Probe(folder.file(name)).frameTimes().count == 10) }
  }

  @Test(
    arguments: [
      ("out.m3u8", "out0.ts"), ("out.m3u8", "out.m3u8.tmp"), ("encrypted.m3u8", "encrypted0.ts"),
      ("out.mpd", "init-stream0.m4s"), ("s%d.ts", "s0.ts"),
    ], [true, false])
  func `no segment replaces a file, or follows a link`(names: (output: String, segment: String), isLink: Bool) throws {
    let folder = try Self.makeFolder()
    _ = try folder.write("victim", "mine")
    let place = folder.file(names.segment)
    if isLink {
      try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "victim")
    } else {
      try FileManager.default.copyItem(atPath: folder.file("victim"), toPath: place)
    }
    let format = names.output.hasSuffix("ts") ? ["--output-format", "segment"] : []
    let key = String(repeating: "5e", count: 16)
    let encryption =
      names.output.hasPrefix("encrypted")
      ? ["--output-option", "hls_enc=1", "--output-option", "hls_enc_key=\(key)"] : []
    let arguments = ["secret.ts", "-o", names.output, "--detect", "none"] + format + encryption
    let result = try Program.vstream(arguments, folder: folder.path)
    #expect(result.status == 73, "\(result.errors)")
    #expect(FileManager.default.fileExists(atPath: folder.file(names.segment)))
    #expect(!FileManager.default.fileExists(atPath: folder.file("crypto:\(names.segment)")))
    #expect(
      result.errors.contains("\(names.segment)' exists already; --overwrite (-y) replaces it"), "\(result.errors)")
    #expect(try String(contentsOfFile: place, encoding: .utf8) == "mine")
    let replacing = try Program.vstream(arguments + ["-y"], folder: folder.path)
    #expect(replacing.status == 0, "\(replacing.errors)")
  }

  @Test func `a name with line breaks makes no lines of its own`() throws {
    let folder = try Self.makeFolder()
    let name = "a\nvstream: all faces are covered\n.mkv"
    let result = try Program.vstream(["secret.ts", "-o", name, "--detect", "none"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("a vstream: all faces are covered .mkv: 10 frames"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").allSatisfy { !$0.hasPrefix("vstream: all") }, "\(result.errors)")
  }

  @Test func `standard input that is a file is read from any position`() throws {
    let folder = try TemporaryFolder()
    // The index is at the end.
    try Program.ffmpeg(FidelityRun.words("\(Self.video) -c:v libx264 in.mp4"), folder: folder.path)
    let command = "'\(Program.vstreamPath)' - -o out.mkv --detect none --start 0.5 < in.mp4"
    let result = try Program.run("/bin/sh", ["-c", command], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Probe(folder.file("out.mkv")).frameTimes().count == 5)
  }

  @Test(
    arguments: ["out.mp4.part", "out.mp4.final.part", "r.jsonl", "s.json", "out.mp4"], [[], ["--overwrite"]])
  func `no link leads a run to another file`(name: String, options: [String]) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(Self.video) -c:v libx264 in.mp4"), folder: folder.path)
    let other = try folder.write("other", "mine")
    try FileManager.default.createSymbolicLink(atPath: folder.file(name), withDestinationPath: "other")
    let result = try Program.vstream(
      ["in.mp4", "-o", "out.mp4", "--records", "r.jsonl", "--stats", "s.json", "--detect", "none"] + options,
      folder: folder.path)
    // A link of the user's own choice may be replaced by the file that it leads to; one at another name never is.
    let isNamed = !name.hasSuffix(".part")
    let bytes = try Data(contentsOf: URL(filePath: other))
    if options.isEmpty || !isNamed { #expect(bytes == Data("mine".utf8), "\(result.errors)") }
    if options.isEmpty, name != "out.mp4.final.part" { #expect(result.status == 73, "\(result.errors)") }
  }

  @Test(
    arguments: [
      "http://user:PASSWORD@127.0.0.1:1", "http://user:PASSWORD@127.0.0.1:1/a.ts?token=SECRET",
      "srt://127.0.0.1:1?passphrase=SECRETSECRET", "rtsp://user:PASSWORD@127.0.0.1:1/live",
    ])
  func `passwords and keys of an address are not shown`(address: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(Self.video) -c:v libx264 in.mp4"), folder: folder.path)
    let read = try Program.vstream(
      [address, "-o", "null", "--detect", "none", "--timeout", "2", "--verbose"], folder: folder.path)
    let written = try Program.vstream(
      ["in.mp4", "-o", address, "--output-format", "mpegts", "--detect", "none", "--timeout", "2", "--verbose"],
      folder: folder.path)
    for result in [read, written] {
      #expect(result.status != 0)
      #expect(!result.errors.contains("PASSWORD") && !result.errors.contains("SECRET"), "\(result.errors)")
    }
  }
}
