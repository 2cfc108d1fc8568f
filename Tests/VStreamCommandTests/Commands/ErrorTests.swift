import Foundation
import Testing
import VStreamTestSupport

/// Every failure: its exit code, one line that names what is wrong and what to do, and no file left behind.
struct ErrorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// Beside `in.avi`, three frames of a street, and what `prepare` makes.
    let arguments: [String]
    let code: Int32
    /// What the message has to say.
    let says: [String]
    var environment: [String: String] = [:]
    var prepare: @Sendable (StreetFolder) throws -> Void = { _ in }
    var testDescription: String { name }
  }

  private static func run(_ input: String = "in.avi", _ more: String...) -> [String] {
    [input, "-o", "out.mp4"] + more
  }

  static let inputs = [
    Row(
      name: "a folder", arguments: run("folder"), code: 65, says: ["'folder' has no images", "or a file in it"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
      }
    ),
    Row(
      name: "an empty file", arguments: run("empty.mp4"), code: 65, says: ["'empty.mp4' is empty"],
      prepare: { try write("", to: "empty.mp4", in: $0) }),
    Row(
      name: "a text file", arguments: run("text.txt"), code: 65, says: ["'text.txt' is text"],
      prepare: { try write(String(repeating: "lorem ipsum dolor\n", count: 5000), to: "text.txt", in: $0) }),
    Row(
      name: "a text that calls itself a video", arguments: run("text.mp4"), code: 65,
      says: ["'text.mp4'", "not media"],
      prepare: { try write("hello\n", to: "text.mp4", in: $0) }),
    Row(
      name: "sound alone", arguments: run("sound.m4a"), code: 65, says: ["'sound.m4a' has no video", "audio, aac"],
      prepare: {
        try Program.ffmpeg(["-f", "lavfi", "-i", "sine=duration=0.2", "-c:a", "aac", $0.folder.file("sound.m4a")])
      }
    ),
    Row(
      name: "an MP4 cut before its index", arguments: run("cut.mp4"), code: 65, says: ["'cut.mp4'", "moov"],
      prepare: { try makeCutMP4("cut.mp4", in: $0) }),
    Row(
      name: "an index without a frame", arguments: run("index.mp4"), code: 65,
      says: ["no frame of 'index.mp4' could be decoded"],
      prepare: { try makeIndexAlone("index.mp4", in: $0) }),
    Row(
      name: "a folder of what is no picture", arguments: run("folder"), code: 65,
      says: ["no frame of 'folder' could be decoded", "check that it is complete"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
        try write(String(repeating: "lorem ipsum dolor\n", count: 5000), to: "folder/a.jpg", in: $0)
      }),
    Row(
      name: "a pattern with two places", arguments: run("%d%d.png"), code: 66,
      says: ["no file '%d%d.png'", "contain one %d"]),
    Row(
      name: "a pattern that nothing fits", arguments: run("nix%d.png"), code: 66,
      says: ["no file matches 'nix%d.png'", "%05d"]),
    Row(
      name: "a folder with a first number", arguments: run("folder", "--input-option", "start_number=2"), code: 64,
      says: ["the reader of a folder does not support --input-option start_number=2", "framerate"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
      }
    ),
    Row(name: "empty standard input", arguments: run("-"), code: 65, says: ["standard input"]),
    Row(name: "a missing file", arguments: run("missing.mp4"), code: 66, says: ["no file 'missing.mp4'"]),
    Row(name: "a missing file, 100 %", arguments: run("100%.mp4"), code: 66, says: ["no file '100%.mp4'"]),
    Row(
      name: "a host that refuses", arguments: run("http://127.0.0.1:9/a.mp4"), code: 66,
      says: ["'http://127.0.0.1:9/a.mp4'", "refused"]),
    Row(
      name: "an unknown input format", arguments: run("in.avi", "--input-format", "bogus"), code: 64,
      says: ["'bogus'", "ffmpeg -demuxers"]),
    Row(
      name: "an unknown input option", arguments: run("in.avi", "--input-option", "bogus=1"), code: 64,
      says: ["'bogus'", "--input-option"]),
    Row(
      name: "an input option without a value", arguments: run("in.avi", "--input-option", "framerate"), code: 64,
      says: ["--input-option framerate", "KEY=VALUE"]),
  ]

  static let outputs = [
    Row(
      name: "a folder that is not there", arguments: ["in.avi", "-o", "no/out.mp4"], code: 73,
      says: ["'no/out.mp4'", "no folder 'no/'"]),
    Row(
      name: "a place that nobody can write to", arguments: ["in.avi", "-o", "/proc/out.mp4"], code: 73,
      says: ["'/proc/out.mp4' cannot be created"]),
    Row(
      name: "an output that exists", arguments: run(), code: 73,
      says: ["'out.mp4' exists already", "--overwrite (-y)"],
      prepare: { try write("mine", to: "out.mp4", in: $0) }),
    Row(
      name: "records that exist", arguments: run("in.avi", "--records", "r.jsonl"), code: 73,
      says: ["'r.jsonl' exists already", "-y"], prepare: { try write("mine", to: "r.jsonl", in: $0) }),
    Row(
      name: "events that are recorded nowhere", arguments: run("in.avi", "--events", "--records", "r.txt"), code: 64,
      says: ["--events", "--records FILE.jsonl"]),
    Row(
      name: "detections that are recorded nowhere", arguments: run("in.avi", "--record-detections"), code: 64,
      says: ["--record-detections", "--records FILE.jsonl"]),
    Row(
      name: "earlier records that are not there", arguments: run("in.avi", "--from-records", "r.jsonl"), code: 66,
      says: ["there is no file 'r.jsonl'"]),
    Row(
      name: "earlier records that would be written over",
      arguments: run("in.avi", "--from-records", "r.jsonl", "--records", "./r.jsonl", "-y"), code: 64,
      says: ["'./r.jsonl' is read (--from-records)"], prepare: { try write("mine", to: "r.jsonl", in: $0) }),
    Row(
      name: "a folder of earlier records", arguments: run("in.avi", "--from-records", "/"), code: 65,
      says: ["'/' is a folder"]),
    Row(
      name: "statistics that exist", arguments: run("in.avi", "--stats", "s.json"), code: 73,
      says: ["'s.json' exists already", "-y"], prepare: { try write("mine", to: "s.json", in: $0) }),
    Row(
      name: "a folder for faces that is a file", arguments: run("in.avi", "--save-faces", "mine"), code: 73,
      says: ["'mine' is not a folder"], prepare: { try write("mine", to: "mine", in: $0) }),
    Row(
      name: "a folder for faces in one that is not there", arguments: run("in.avi", "--save-faces", "no/faces"),
      code: 73,
      says: ["'no/faces'", "no folder 'no/'"]),
    Row(
      name: "a folder for faces where nobody can write", arguments: run("in.avi", "--save-faces", "/proc/faces"),
      code: 73, says: ["'/proc/faces' cannot be created"]),
    Row(
      name: "faces that exist", arguments: run("in.avi", "--save-faces", "."), code: 73,
      says: ["'./face-0012.jpg' exists already", "-y"], prepare: { try write("mine", to: "face-0012.jpg", in: $0) }),
    Row(
      name: "faces that were half written", arguments: run("in.avi", "--save-faces", "."), code: 73,
      says: ["'./face-0012.jpg.part' exists already"], prepare: { try write("mine", to: "face-0012.jpg.part", in: $0) }),
    Row(
      name: "the table of faces as records", arguments: run("in.avi", "--save-faces", ".", "--records", "faces.csv"),
      code: 64, says: ["'faces.csv' might be written by --save-faces . as well", "another folder"]),
    Row(
      name: "faces and pictures of one name",
      arguments: ["in.avi", "-o", "face-%04d.jpg", "--save-faces", ".", "--detect", "faces"],
      code: 64, says: ["'face-%04d.jpg' might be written by --save-faces . as well"]),
    Row(
      name: "a folder as output", arguments: ["in.avi", "-o", "folder", "-y"], code: 73, says: ["'folder' is a folder"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
      }
    ),
    Row(
      name: "the input itself", arguments: ["in.avi", "-o", "in.avi", "-y"], code: 64,
      says: ["'in.avi' is the input itself"]),
    Row(
      name: "the input by another path", arguments: ["in.avi", "-o", "./in.avi", "-y"], code: 64, says: ["input itself"]
    ),
    Row(
      name: "the input by a symbolic link", arguments: ["in.avi", "-o", "link.avi", "-y"], code: 64,
      says: ["'link.avi' is the input itself"],
      prepare: {
        try FileManager.default.createSymbolicLink(atPath: $0.folder.file("link.avi"), withDestinationPath: $0.input)
      }
    ),
    Row(
      name: "the input by a hard link", arguments: ["in.avi", "-o", "link.avi", "-y"], code: 64,
      says: ["'link.avi' is the input itself"],
      prepare: { try FileManager.default.linkItem(atPath: $0.input, toPath: $0.folder.file("link.avi")) }),
    Row(
      name: "records over the input", arguments: run("in.avi", "--stats", "in.avi", "-y"), code: 64,
      says: ["'in.avi' is the input itself"]),
    Row(
      name: "one name for two outputs", arguments: run("in.avi", "--records", "r.jsonl", "--records", "r.jsonl"),
      code: 64, says: ["'r.jsonl' is named for two outputs"]),
    Row(
      name: "one file by two names", arguments: run("in.avi", "--records", "r.jsonl", "--records", "./r.jsonl"),
      code: 64, says: ["r.jsonl' is named for two outputs"]),
    Row(
      name: "an unknown ending", arguments: ["in.avi", "-o", "out.xyz"], code: 64,
      says: ["'out.xyz'", ".mp4, .mkv or .mov"]),
    Row(
      name: "an unknown output format", arguments: run("in.avi", "--output-format", "bogus"), code: 64,
      says: ["'bogus'", "--output-format"]),
    Row(
      name: "a container that cannot hold the codec",
      arguments: ["in.avi", "-o", "out.webm", "--codec", "libx264", "--detect", "none"],
      code: 64, says: ["webm", "h264", "--codec"]),
    Row(
      name: "a video's coding in a picture", arguments: ["in.avi", "-o", "out.jpg", "--codec", "libx264"],
      code: 64, says: ["'out.jpg' holds mjpeg", "libx264 makes h264", "omit --codec, or use mjpeg"]),
    Row(
      name: "another picture's coding", arguments: ["in.avi", "-o", "out%d.webp", "--codec", "png"],
      code: 64, says: ["'out%d.webp' holds webp", "--codec png", "use libwebp"]),
    Row(
      name: "moving WebP as a picture", arguments: ["in.avi", "-o", "out.webp", "--codec", "libwebp_anim"],
      code: 64, says: ["'out.webp' holds webp", "use libwebp"]),
    Row(
      name: "H.264 in GIF", arguments: ["in.avi", "-o", "out.gif", "--codec", "libx264"],
      code: 64, says: ["gif holds gif", "omit --codec, or use gif"]),
    Row(
      name: "H.264 in Y4M", arguments: ["in.avi", "-o", "out.y4m", "--codec", "libx264"],
      code: 64, says: ["yuv4mpegpipe holds wrapped_avframe or rawvideo", "omit --codec"]),
    Row(
      name: "MPEG-4 in a stream of H.264", arguments: ["in.avi", "-o", "out.h264", "--codec", "mpeg4"],
      code: 64, says: ["h264 holds h264", "use libx264"]),
    Row(
      name: "video in MP3", arguments: ["in.avi", "-o", "out.mp3"], code: 64,
      says: ["mp3 ('out.mp3') holds no video", ".mp4, .mkv or .mov"]),
    Row(
      name: "video in subtitles", arguments: ["in.avi", "-o", "out.srt"], code: 64,
      says: ["srt ('out.srt') holds no video", ".mp4, .mkv or .mov"]),
    Row(
      name: "records of an unknown ending", arguments: run("in.avi", "--records", "r.xml"), code: 64,
      says: ["'r.xml'", "(--records)", ".jsonl (JSON lines), .txt"]),
  ]

  static let options = [
    Row(
      name: "an unknown encoder", arguments: run("in.avi", "--codec", "h266"), code: 64,
      says: ["'h266'", "--codec", "ffmpeg -encoders"]),
    Row(name: "an encoder of sound", arguments: run("in.avi", "--codec", "aac"), code: 64, says: ["'aac'", "--codec"]),
    Row(
      name: "a preset that is none", arguments: run("in.avi", "--preset", "bogus", "--detect", "none"), code: 64,
      says: ["bogus"]),
    Row(
      name: "a preset of an encoder without", arguments: run("in.avi", "--codec", "mpeg4", "--preset", "fast"),
      code: 64,
      says: ["--preset fast", "omit --preset"]),
    Row(
      name: "a rate factor that is too low", arguments: run("in.avi", "--crf=-3", "--detect", "none"), code: 64,
      says: ["crf"]),
    Row(
      name: "a rate factor that is too high", arguments: run("in.avi", "--crf", "99", "--detect", "none"), code: 64,
      says: ["crf"]),
    Row(
      name: "a rate factor that is no number", arguments: run("in.avi", "--crf", "good"), code: 64,
      says: ["good", "--crf"]),
    Row(
      name: "records are not left by a failed run",
      arguments: run("in.avi", "--crf=-3", "--detect", "none", "--records", "r.jsonl"), code: 64, says: ["crf"]),
    Row(
      name: "a bit rate that is none", arguments: run("in.avi", "--bitrate", "lots"), code: 64,
      says: ["--bitrate lots", "2M"]),
    Row(
      name: "a pixel format that is none", arguments: run("in.avi", "--pixel-format", "bogus"), code: 64,
      says: ["--pixel-format bogus", "yuv420p"]),
    Row(
      name: "a pixel format of other encoders", arguments: run("in.avi", "--pixel-format", "rgb24", "--detect", "none"),
      code: 64, says: ["rgb24", "--pixel-format", "yuv420p"]),
    Row(
      name: "sound neither copied nor left", arguments: run("in.avi", "--audio", "mp3"), code: 64,
      says: ["--audio mp3", "copy or none"]),
    Row(
      name: "an unknown class", arguments: run("in.avi", "--classes", "persn"), code: 64,
      says: ["'persn'", "--classes", "did you mean person?"]),
    Row(name: "no class", arguments: run("in.avi", "--classes", ""), code: 64, says: ["--classes"]),
    Row(
      name: "an unknown drawing", arguments: run("in.avi", "--draw", "circles"), code: 64,
      says: ["'circles'", "--draw", "boxes"]),
    Row(
      name: "an unknown face mode", arguments: run("in.avi", "--face-mode", "slow"), code: 64,
      says: ["--face-mode slow", "fast or accurate"]),
    Row(
      name: "faces without a size", arguments: run("in.avi", "--min-face-size", "0"), code: 64,
      says: ["--min-face-size 0", "more than 0, at most 1"]),
    Row(
      name: "a search that takes less than no time", arguments: run("in.avi", "--face-search=-1"), code: 64,
      says: ["--face-search -1"]),
    Row(
      name: "faces of none", arguments: run("in.avi", "--detect", "objects", "--save-faces", "faces"), code: 64,
      says: ["--save-faces faces", "faces are not detected", "--detect"]),
    Row(
      name: "faces of earlier records",
      arguments: run("in.avi", "--from-records", "r.jsonl", "--save-faces", "faces"), code: 64,
      says: ["--save-faces faces", "--from-records"], prepare: { try write("", to: "r.jsonl", in: $0) }),
    Row(
      name: "faces that are to be hidden", arguments: run("in.avi", "--redact", "mosaic", "--save-faces", "faces"),
      code: 64, says: ["--save-faces faces", "--redact", "--keep-unredacted"]),
    Row(
      name: "faces of people who are to be hidden",
      arguments: run("in.avi", "--redact", "fill", "--save-faces", "faces"), code: 64,
      says: ["--save-faces faces", "--redact", "--keep-unredacted"]),
    Row(
      name: "faces in no folder", arguments: run("in.avi", "--save-faces", ""), code: 64,
      says: ["--save-faces", "name a folder"]),
    Row(
      name: "faces as an unknown kind of picture",
      arguments: run("in.avi", "--save-faces", "faces", "--crop-format", "gif"), code: 64,
      says: ["--crop-format gif", "use jpg or png"]),
    Row(
      name: "a kind of picture for no faces", arguments: run("in.avi", "--crop-format", "png"), code: 64,
      says: ["--crop-format png", "--save-faces"]),
    Row(
      name: "a face model for objects", arguments: run("in.avi", "--object-model", "face-mesh"), code: 64,
      says: ["--object-model face-mesh", "known: ssd-int8, ssd-mobilenet-v2"]),
    Row(
      name: "what nobody detects", arguments: run("in.avi", "--detect", "poses,hands"), code: 64,
      says: ["--detect poses,hands", "'hands' cannot be detected", "use objects, faces, poses or none"]),
    Row(
      name: "an unknown pose mode", arguments: run("in.avi", "--detect", "poses", "--pose-mode", "heavy"), code: 64,
      says: ["--pose-mode heavy", "base or accurate"]),
    Row(
      name: "poses of nobody", arguments: run("in.avi", "--detect", "poses", "--max-poses", "0"), code: 64,
      says: ["--max-poses 0", "give 1 or more"]),
    Row(
      name: "unknown things to find", arguments: run("in.avi", "--detect", "dogs"), code: 64,
      says: ["'dogs'", "use objects, faces, poses or none"]),
    Row(
      name: "nothing and something", arguments: run("in.avi", "--detect", "none,objects"), code: 64,
      says: ["none stands alone"]),
    Row(
      name: "every 0th frame", arguments: run("in.avi", "--detect-every", "0"), code: 64,
      says: ["--detect-every 0", "1 or more"]),
    Row(
      name: "auto on a file", arguments: run("in.avi", "--detect-every", "auto"), code: 64,
      says: ["--detect-every auto", "live"]),
    Row(
      name: "a score over 1", arguments: run("in.avi", "--min-score", "1.5"), code: 64,
      says: ["--min-score 1.5", "at most 1"]),
    Row(
      name: "a score that is none", arguments: run("in.avi", "--min-score", "nan"), code: 64, says: ["--min-score nan"]),
    Row(
      name: "time that runs backwards", arguments: run("in.avi", "--lost-after=-1"), code: 64, says: ["--lost-after -1"]
    ),
    Row(
      name: "confirmed before it is seen", arguments: run("in.avi", "--confirm-after", "0"), code: 64,
      says: ["--confirm-after 0"]),
    Row(name: "an overlap of 1", arguments: run("in.avi", "--min-iou", "1"), code: 64, says: ["--min-iou 1"]),
    Row(name: "no threads", arguments: run("in.avi", "--threads", "0"), code: 64, says: ["--threads 0", "1 or more"]),
    Row(
      name: "an unknown device", arguments: run("in.avi", "--device", "TPU"), code: 64, says: ["--device TPU", "CPU"]),
    Row(name: "an unknown option", arguments: run("in.avi", "--bogus"), code: 64, says: ["--bogus", "vstream --help"]),
    Row(name: "no input", arguments: [], code: 64, says: ["<input>", "vstream --help"]),
    Row(name: "no output", arguments: ["in.avi"], code: 64, says: ["--output", "vstream --help"]),
  ]

  static let dependencies = [
    Row(
      name: "OpenVINO", arguments: run(), code: 69, says: ["OpenVINO cannot be loaded", "scripts/bootstrap"],
      environment: ["VSTREAM_OPENVINO": "/nonexistent"]),
    Row(
      name: "OpenVINO, with records", arguments: run("in.avi", "--records", "r.jsonl", "--stats", "s.json"), code: 69,
      says: ["OpenVINO cannot be loaded"], environment: ["VSTREAM_OPENVINO": "/nonexistent"]),
    Row(
      name: "a model's file", arguments: run("in.avi", "--object-model", "no.xml"), code: 69,
      says: ["'no.xml'", "--object-model", "ssd-mobilenet-v2"]),
    Row(
      name: "a model that nobody knows", arguments: run("in.avi", "--object-model", "yolo"), code: 64,
      says: ["--object-model yolo", "ssd-mobilenet-v2"]),
    Row(
      name: "a model that is none", arguments: run("in.avi", "--object-model", "bad.xml"), code: 69, says: ["bad.xml"],
      prepare: { try write("hello\n", to: "bad.xml", in: $0) }),
    Row(
      name: "the font", arguments: run(), code: 69, says: ["'/nonexistent.ttf'", "fonts-dejavu-core"],
      environment: ["VSTREAM_FONT": "/nonexistent.ttf"]),
  ]

  @Test(arguments: inputs) func `what is wrong with the input`(row: Row) throws { try check(row) }
  @Test(arguments: outputs) func `what is wrong with the output`(row: Row) throws { try check(row) }
  @Test(arguments: options) func `what is wrong with an option`(row: Row) throws { try check(row) }
  @Test(arguments: dependencies) func `what is missing`(row: Row) throws { try check(row) }

  private func check(_ row: Row) throws {
    let street = try StreetFolder(frames: 3)
    try row.prepare(street)
    let before = try contents(of: street.folder)
    let result = try street.vstream(row.arguments, environment: row.environment)
    #expect(result.status == row.code)
    #expect(result.output.isEmpty)
    #expect(oneLine(result.errors), "\(result.errors)")
    #expect(result.errors.hasPrefix("vstream: "))
    if [65, 66].contains(row.code) { #expect(result.errors.contains("; "), "what to do is said: \(result.errors)") }
    for part in row.says { #expect(result.errors.contains(part), "'\(part)' is not in: \(result.errors)") }
    #expect(try contents(of: street.folder) == before, "no file is made, changed or lost")
  }

  /// Names and contents of the files in a folder.
  private func contents(of folder: TemporaryFolder) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in folder.names { files[name] = FileManager.default.contents(atPath: folder.file(name)) ?? Data() }
    return files
  }

  @Test func `the input by a file URL is not written over`() throws {
    let street = try StreetFolder(frames: 3)
    let before = try contents(of: street.folder)
    let result = try street.vstream(["in.avi", "-o", "file://\(street.input)", "--detect", "none"])
    #expect(result.status == 64)
    #expect(try contents(of: street.folder) == before)
  }

  @Test func `a picture that exists is not written over`() throws {
    let street = try StreetFolder(frames: 3)
    try Self.write("mine", to: "out.png", in: street)
    let result = try street.vstream(["in.avi", "-o", "out.png", "--codec", "png", "--detect", "none"])
    #expect(result.status == 73)
    #expect(try street.text("out.png") == "mine")
  }

  @Test func `the font is not missed where no letter is drawn`() throws {
    let street = try StreetFolder(frames: 3)
    let environment = ["VSTREAM_FONT": "/nonexistent.ttf"]
    for (name, options) in [("a.mp4", ["--detect", "none"]), ("b.mp4", ["--draw", "boxes"])] {
      #expect(try street.vstream(["in.avi", "-o", name] + options, environment: environment).status == 0)
    }
    #expect(try street.vstream(["in.avi", "-o", "null"], environment: environment).status == 0)
  }

  @Test func `OpenVINO is not missed where nothing is to be found`() throws {
    let street = try StreetFolder(frames: 3)
    let environment = ["VSTREAM_OPENVINO": "/nonexistent"]
    #expect(try street.vstream(["in.avi", "-o", "a.mp4", "--detect", "none"], environment: environment).status == 0)
    #expect(try street.vstream(["--help"], environment: environment).status == 0)
    let version = try street.vstream(["--version"], environment: environment)
    #expect(version.status == 0)
    #expect(version.text.contains("OpenVINO not found"))
  }

  @Test func `damage that can be worked around is counted, not an error`() throws {
    let street = try StreetFolder(frames: 3)
    let (whole, cut) = (street.folder.file("whole.mp4"), street.folder.file("cut.mp4"))
    let picture = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=4"]
    try Program.ffmpeg(picture + ["-g", "5", "-movflags", "+faststart", whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    try bytes.prefix(bytes.count * 2 / 3).write(to: URL(filePath: cut))
    let result = try street.vstream(["cut.mp4", "-o", "out.mp4", "--detect", "none", "--stats", "s.json"])
    #expect(result.status == 0)
    let statistics = try JSON(try street.text("s.json"))
    let frames = try #require(statistics["framesOut"].int)
    #expect((6..<40).contains(frames))
    #expect((statistics["corruptPackets"].int ?? 0) > 0)
    #expect(result.errors.contains("damaged"))
    #expect(try Probe(street.folder.file("out.mp4")).frameTimes().count == frames)
  }

  // What the rows prepare.

  private static func write(_ text: String, to name: String, in street: StreetFolder) throws {
    try text.write(toFile: street.folder.file(name), atomically: true, encoding: .utf8)
  }

  private static func makeCutMP4(_ name: String, in street: StreetFolder) throws {
    let whole = street.folder.file("whole.mp4")
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=1", whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: street.folder.file(name)))
  }

  private static func makeIndexAlone(_ name: String, in street: StreetFolder) throws {
    let whole = street.folder.file("whole.mp4")
    let picture = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=1"]
    try Program.ffmpeg(picture + ["-movflags", "+faststart", whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    let media = try #require(bytes.firstRange(of: Data("mdat".utf8)))
    try bytes.prefix(media.upperBound).write(to: URL(filePath: street.folder.file(name)))
  }
}
