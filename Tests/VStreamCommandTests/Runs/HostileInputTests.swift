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
    try Program.ffmpeg(FidelityRun.words("\(video) -c:v libx264 secret.mp4"), folder: folder.path)
    _ = try folder.write("absolute.m3u8", "\(head)\(folder.file("secret.mp4"))\n#EXT-X-ENDLIST\n")
    _ = try folder.write("list.ffconcat", "ffconcat version 1.0\nfile '\(secret)'\n")
    _ = try folder.write(
      "call.sdp",
      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 50002 RTP/AVP 96\na=rtpmap:96 H264/90000\n"
    )
    return folder
  }

  @Test(
    arguments: ["file.m3u8", "relative.m3u8", "absolute.m3u8", "server.m3u8", "list.ffconcat", "call.sdp"],
    ["cat NAME | VSTREAM - OUT", "VSTREAM - OUT < NAME", "mkfifo f; cat NAME > f & VSTREAM f OUT"])
  func `a playlist on standard input or in a FIFO reads nothing else`(name: String, way: String) throws {
    let folder = try Self.makeFolder()
    let command = way.replacing("NAME", with: name).replacing("VSTREAM", with: "'\(Program.vstreamPath)'")
      .replacing("OUT", with: "-o out.mkv --detect none --timeout 5")
    let result = try Program.run("/bin/sh", ["-c", command], folder: folder.path)
    #expect(result.status == 65, "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(result.errors.contains("refers to other files or addresses, which are not read"), "\(result.errors)")
    #expect(!folder.names.contains("out.mkv"))
  }

  @Test func `a playlist on standard input reads files if it is trusted, and a playlist that is named reads its own`()
    throws
  {
    let folder = try Self.makeFolder()
    // FFmpeg 7 recognises playlists by their names alone.
    let trusted =
      "'\(Program.vstreamPath)' - -o a.mkv --detect none --input-format hls "
      + "--input-option protocol_whitelist=file,crypto,data"
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
    #expect(try String(contentsOfFile: folder.file("victim"), encoding: .utf8) == "mine", "links are replaced")
    let kind = try? FileManager.default.attributesOfItem(atPath: place)[.type] as? FileAttributeType
    #expect(kind == nil || kind == .typeRegular)
  }

  @Test func `a temporary file of a segment gets no name that exists`() throws {
    let folder = try Self.makeFolder()
    let segment = try folder.write("out0.ts", "mine")
    let arguments = ["secret.ts", "-o", "out.m3u8", "--detect", "none", "--output-option", "hls_flags=temp_file"]
    let refused = try Program.vstream(arguments, folder: folder.path)
    #expect(refused.status == 73 && refused.errors.contains("out0.ts' exists already"), "\(refused.errors)")
    #expect(try String(contentsOfFile: segment, encoding: .utf8) == "mine")
    let replacing = try Program.vstream(arguments + ["-y"], folder: folder.path)
    #expect(replacing.status == 0, "\(replacing.errors)")
    #expect(try Probe(folder.file("out.m3u8")).frameTimes().count == 10)
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
    if options.isEmpty { #expect(result.status == 73, "\(result.errors)") }
  }

  @Test(arguments: ["out.mp4.part", "out.mp4.final.part"])
  func `a file at the name of an unfinished output stays unless it may be replaced`(name: String) throws {
    let folder = try TemporaryFolder()
    try Program.ffmpeg(FidelityRun.words("\(Self.video) -c:v libx264 in.mp4"), folder: folder.path)
    let file = try folder.write(name, "mine")
    let arguments = ["in.mp4", "-o", "out.mp4", "--detect", "none"]
    let refused = try Program.vstream(arguments, folder: folder.path)
    #expect(refused.status == 73 && refused.errors.contains("\(name)' exists"), "\(refused.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(try Program.vstream(arguments + ["-y"], folder: folder.path).status == 0)
    #expect(folder.names == ["in.mp4", "out.mp4"])
  }

  @Test func `no control character of an argument, a name or a model reaches the terminal`() throws {
    let folder = try Self.makeFolder()
    let name = "a\u{1B}]0;title\u{7}\u{9B}31m.ts"
    try FileManager.default.copyItem(atPath: folder.file("secret.ts"), toPath: folder.file(name))
    let models = folder.file("m\u{1B}[31m")
    let runs = [
      ["bench", name, "--detect", "none", "--runs", "1", "--warm-up", "0"],
      [name, "-o", "out.mkv", "--detect", "none"],
      ["--no\u{1B}[31m"], ["in.ts", "-o", "b.mkv", "--codec", "x\u{1B}[31m"], ["models"],
      ["models", "describe", "x\u{1B}[31m"], ["models", "check", "x\u{1B}[31m"], ["models", "get", "x\u{1B}[31m"],
      ["track", "x\u{1B}[31m.txt", "-o", "t\u{1B}[31m.txt", "--fps", "1"], ["x\u{1B}[31m.ts", "-o", "b.mkv"],
    ]
    for arguments in runs {
      let result = try Program.vstream(arguments, environment: ["VSTREAM_MODELS": models], folder: folder.path)
      let scalars = (result.errors + result.text).unicodeScalars
      let controls = scalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
      #expect(controls.isEmpty && !scalars.isEmpty, "\(arguments)")
    }
  }

  @Test(
    arguments: [
      ["crypto:http://bob:PASSWORD@127.0.0.1:1/a", "-o", "null"],
      ["http:/bob:PASSWORD@127.0.0.1:1/a", "-o", "null"],
      ["http://bob%3APASSWORD@127.0.0.1:1/a", "-o", "null"],
      ["http://127.0.0.1:1/a.mp4?code=SECRET&st=SECRET&Policy=SECRET&k=SECRET", "-o", "null"],
      ["http://127.0.0.1:1/a.mp4?SECRET", "-o", "null"],
      ["secret.ts", "-o", "null", "--from-records", "http://bob:PASSWORD@h/r.jsonl"],
      ["secret.ts", "-o", "null", "--object-model", "http://bob:PASS WORD@h/m.onnx"],
      ["secret.ts", "-o", "null", "--object-model", "http://bob:PASSWORD@h/m"],
      ["secret.ts", "-o", "null", "--records", "http://bob:PASSWORD@h/m.jsonl"],
      ["secret.ts", "-o", "null", "--stats", "http://bob:PASSWORD@h/m.json"],
      ["secret.ts", "-o", "a.mkv", "--redact", "fill", "--receipt", "http://bob:PASSWORD@h/m.json"],
      ["secret.ts", "-o", "null", "--save-faces", "http://bob:PASSWORD@h/faces"],
      ["secret.ts", "-o", "null", "--codec", "http://bob:PASSWORD@h/faces"],
      ["--list", "http://bob:PASSWORD@h/l", "--output-dir", "out"],
      ["secret.ts", "http://bob:PASSWORD@h/a.mp4"], ["secret.ts", "-o", "http://bob:PASSWORD@h/a.mp4", "-o", "b.mp4"],
      ["--http://bob:PASSWORD@h/l"], ["models", "get", "http://bob:PASSWORD@127.0.0.1:1/m.onnx"],
      ["models", "describe", "http://bob:PASSWORD@h/m"],
      ["track", "http://bob:PASSWORD@h/d.txt", "-o", "t.txt", "--fps", "1"],
    ])
  func `passwords and keys of an address are not shown, wherever it is given`(arguments: [String]) throws {
    let folder = try Self.makeFolder()
    let limits = ["models", "track"].contains(arguments[0]) ? [] : ["--timeout", "2"]
    let result = try Program.vstream(arguments + limits, folder: folder.path)
    #expect(result.status != 0)
    #expect(!result.errors.isEmpty && !(result.errors + result.text).contains(/PASS|WORD|SECRET/), "\(result.errors)")
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
