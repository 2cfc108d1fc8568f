import Foundation
import Testing
import VStreamTestSupport

/// Every failure: its exit code, one line with the cause and a remedy, and no file left behind.
struct ErrorTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// The command's arguments; the folder has `in.avi`, three frames of a street, and the files that `prepare` creates.
    let arguments: [String]
    let code: Int32
    /// Parts of the expected message.
    let expected: [String]
    var environment: [String: String] = [:]
    var prepare: @Sendable (ClipFolder) throws -> Void = { _ in }
    var testDescription: String { name }
  }

  private static func run(_ input: String = "in.avi", _ more: String...) -> [String] {
    [input, "-o", "out.mp4"] + more
  }

  static let inputs = [
    Row(
      name: "a folder", arguments: run("folder"), code: 65, expected: ["'folder' has no images", "or a file in it"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
      }
    ),
    Row(
      name: "a folder of videos", arguments: run("folder"), code: 65,
      expected: ["'folder' has 1 video and no images", "name the videos themselves, for example folder/*.avi"],
      prepare: { try copyInput(to: "folder", in: $0) }),
    Row(
      name: "a folder of videos with a photo", arguments: run("folder"), code: 65,
      expected: ["'folder' has 1 video and 1 image: a folder is read as the images of one video", "or the images"],
      prepare: {
        try copyInput(to: "folder", in: $0)
        try write("", to: "folder/a.jpg", in: $0)
      }),
    Row(
      name: "a folder of other files", arguments: run("folder"), code: 65,
      expected: ["'folder' has no images, but 1 other file"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
        try write("", to: "folder/a.txt", in: $0)
      }),
    Row(
      name: "an empty file", arguments: run("empty.mp4"), code: 65, expected: ["'empty.mp4' is empty"],
      prepare: { try write("", to: "empty.mp4", in: $0) }),
    Row(
      name: "a text file", arguments: run("text.txt"), code: 65, expected: ["'text.txt' is text"],
      prepare: { try write(String(repeating: "lorem ipsum dolor\n", count: 5000), to: "text.txt", in: $0) }),
    Row(
      name: "a text file with a video's ending", arguments: run("text.mp4"), code: 65,
      expected: ["'text.mp4'", "not media"],
      prepare: { try write("hello\n", to: "text.mp4", in: $0) }),
    Row(
      name: "audio alone", arguments: run("sound.m4a"), code: 65, expected: ["'sound.m4a' has no video", "audio, aac"],
      prepare: {
        try Program.ffmpeg(["-f", "lavfi", "-i", "sine=duration=0.2", "-c:a", "aac", $0.folder.file("sound.m4a")])
      }
    ),
    Row(
      name: "an MP4 cut before its index", arguments: run("cut.mp4"), code: 65, expected: ["'cut.mp4'", "moov"],
      prepare: { try makeCutMP4("cut.mp4", in: $0) }),
    Row(
      name: "an index without a frame", arguments: run("index.mp4"), code: 65,
      expected: ["no frame of 'index.mp4' could be decoded"],
      prepare: { try makeIndexAlone("index.mp4", in: $0) }),
    Row(
      name: "a folder without images", arguments: run("folder"), code: 65,
      expected: ["no frame of 'folder' could be decoded", "check that it is complete"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
        try write(String(repeating: "lorem ipsum dolor\n", count: 5000), to: "folder/a.jpg", in: $0)
      }),
    Row(
      name: "a pattern with two numbers", arguments: run("%d%d.png"), code: 66,
      expected: ["no file '%d%d.png'", "contain one %d"]),
    Row(
      name: "a pattern without a match", arguments: run("nix%d.png"), code: 66,
      expected: ["no file matches 'nix%d.png'", "%05d"]),
    Row(
      name: "a folder with a first number", arguments: run("folder", "--input-option", "start_number=2"), code: 64,
      expected: ["the reader of a folder does not support --input-option start_number=2", "framerate"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
      }
    ),
    Row(name: "empty standard input", arguments: run("-"), code: 65, expected: ["standard input"]),
    Row(name: "a missing file", arguments: run("missing.mp4"), code: 66, expected: ["no file 'missing.mp4'"]),
    Row(name: "a missing file, 100 %", arguments: run("100%.mp4"), code: 66, expected: ["no file '100%.mp4'"]),
    Row(
      name: "a host that refuses the connection", arguments: run("http://127.0.0.1:9/a.mp4"), code: 66,
      expected: ["'http://127.0.0.1:9/a.mp4'", "refused"]),
    Row(
      name: "an unknown input format", arguments: run("in.avi", "--input-format", "bogus"), code: 64,
      expected: ["'bogus'", "ffmpeg -demuxers"]),
    Row(
      name: "an unknown input option", arguments: run("in.avi", "--input-option", "bogus=1"), code: 64,
      expected: ["'bogus'", "--input-option"]),
    Row(
      name: "an input option without a value", arguments: run("in.avi", "--input-option", "framerate"), code: 64,
      expected: ["--input-option framerate", "KEY=VALUE"]),
  ]

  static let outputs = [
    Row(
      name: "a missing folder", arguments: ["in.avi", "-o", "no/out.mp4"], code: 73,
      expected: ["'no/out.mp4'", "no folder 'no/'"]),
    Row(
      name: "a folder that is not writable", arguments: ["in.avi", "-o", "/proc/out.mp4"], code: 73,
      expected: ["'/proc/out.mp4' cannot be created"]),
    Row(
      name: "an output that exists", arguments: run(), code: 73,
      expected: ["'out.mp4' exists already", "--overwrite (-y)"],
      prepare: { try write("mine", to: "out.mp4", in: $0) }),
    Row(
      name: "records that exist", arguments: run("in.avi", "--records", "r.jsonl"), code: 73,
      expected: ["'r.jsonl' exists already", "-y"], prepare: { try write("mine", to: "r.jsonl", in: $0) }),
    Row(
      name: "events without records that can hold them", arguments: run("in.avi", "--events", "--records", "r.txt"),
      code: 64,
      expected: ["--events", "--records FILE.jsonl"]),
    Row(
      name: "detections without records", arguments: run("in.avi", "--record-detections"), code: 64,
      expected: ["--record-detections", "--records FILE.jsonl"]),
    Row(
      name: "missing earlier records", arguments: run("in.avi", "--from-records", "r.jsonl"), code: 66,
      expected: ["there is no file 'r.jsonl'"]),
    Row(
      name: "earlier records that would be overwritten",
      arguments: run("in.avi", "--from-records", "r.jsonl", "--records", "./r.jsonl", "-y"), code: 64,
      expected: ["'./r.jsonl' is read (--from-records)"], prepare: { try write("mine", to: "r.jsonl", in: $0) }),
    Row(
      name: "a folder of earlier records", arguments: run("in.avi", "--from-records", "/"), code: 65,
      expected: ["'/' is a folder"]),
    Row(
      name: "statistics that exist", arguments: run("in.avi", "--stats", "s.json"), code: 73,
      expected: ["'s.json' exists already", "-y"], prepare: { try write("mine", to: "s.json", in: $0) }),
    Row(
      name: "a folder for faces that is a file", arguments: run("in.avi", "--save-faces", "mine"), code: 73,
      expected: ["'mine' is not a folder"], prepare: { try write("mine", to: "mine", in: $0) }),
    Row(
      name: "a folder for faces in a missing folder", arguments: run("in.avi", "--save-faces", "no/faces"),
      code: 73,
      expected: ["'no/faces'", "no folder 'no/'"]),
    Row(
      name: "a folder for faces in one that is not writable", arguments: run("in.avi", "--save-faces", "/proc/faces"),
      code: 73, expected: ["'/proc/faces' cannot be created"]),
    Row(
      name: "faces that exist", arguments: run("in.avi", "--save-faces", "."), code: 73,
      expected: ["'./face-0012.jpg' exists already", "-y"], prepare: { try write("mine", to: "face-0012.jpg", in: $0) }),
    Row(
      name: "part files of faces", arguments: run("in.avi", "--save-faces", "."), code: 73,
      expected: ["'./face-0012.jpg.part' exists already"],
      prepare: { try write("mine", to: "face-0012.jpg.part", in: $0) }),
    Row(
      name: "the table of faces as records", arguments: run("in.avi", "--save-faces", ".", "--records", "faces.csv"),
      code: 64, expected: ["'faces.csv' might be written by --save-faces . as well", "another folder"]),
    Row(
      name: "faces and images of one name",
      arguments: ["in.avi", "-o", "face-%04d.jpg", "--save-faces", ".", "--detect", "faces"],
      code: 64, expected: ["'face-%04d.jpg' might be written by --save-faces . as well"]),
    Row(
      name: "a folder as output", arguments: ["in.avi", "-o", "folder", "-y"], code: 73,
      expected: ["'folder' is a folder"],
      prepare: {
        try FileManager.default.createDirectory(atPath: $0.folder.file("folder"), withIntermediateDirectories: true)
      }
    ),
    Row(
      name: "the input itself", arguments: ["in.avi", "-o", "in.avi", "-y"], code: 64,
      expected: ["'in.avi' is the input itself"]),
    Row(
      name: "the input by another path", arguments: ["in.avi", "-o", "./in.avi", "-y"], code: 64,
      expected: ["input itself"]
    ),
    Row(
      name: "the input by a symbolic link", arguments: ["in.avi", "-o", "link.avi", "-y"], code: 64,
      expected: ["'link.avi' is the input itself"],
      prepare: {
        try FileManager.default.createSymbolicLink(atPath: $0.folder.file("link.avi"), withDestinationPath: $0.input)
      }
    ),
    Row(
      name: "the input by a hard link", arguments: ["in.avi", "-o", "link.avi", "-y"], code: 64,
      expected: ["'link.avi' is the input itself"],
      prepare: { try FileManager.default.linkItem(atPath: $0.input, toPath: $0.folder.file("link.avi")) }),
    Row(
      name: "records over the input", arguments: run("in.avi", "--stats", "in.avi", "-y"), code: 64,
      expected: ["'in.avi' is the input itself"]),
    Row(
      name: "one name for two outputs", arguments: run("in.avi", "--records", "r.jsonl", "--records", "r.jsonl"),
      code: 64, expected: ["'r.jsonl' is named for two outputs"]),
    Row(
      name: "one file by two names", arguments: run("in.avi", "--records", "r.jsonl", "--records", "./r.jsonl"),
      code: 64, expected: ["r.jsonl' is named for two outputs"]),
    Row(
      name: "an unknown ending", arguments: ["in.avi", "-o", "out.xyz"], code: 64,
      expected: ["'out.xyz'", ".mp4, .mkv or .mov"]),
    Row(
      name: "an unknown output format", arguments: run("in.avi", "--output-format", "bogus"), code: 64,
      expected: ["'bogus'", "--output-format"]),
    Row(
      name: "a container that cannot hold the codec",
      arguments: ["in.avi", "-o", "out.webm", "--codec", "libx264", "--detect", "none"],
      code: 64, expected: ["webm", "h264", "--codec"]),
    Row(
      name: "a video codec in an image", arguments: ["in.avi", "-o", "out.jpg", "--codec", "libx264"],
      code: 64, expected: ["'out.jpg' holds mjpeg", "libx264 makes h264", "omit --codec, or use mjpeg"]),
    Row(
      name: "another image's codec", arguments: ["in.avi", "-o", "out%d.webp", "--codec", "png"],
      code: 64, expected: ["'out%d.webp' holds webp", "--codec png", "use libwebp"]),
    Row(
      name: "animated WebP as an image", arguments: ["in.avi", "-o", "out.webp", "--codec", "libwebp_anim"],
      code: 64, expected: ["'out.webp' holds webp", "use libwebp"]),
    Row(
      name: "H.264 in GIF", arguments: ["in.avi", "-o", "out.gif", "--codec", "libx264"],
      code: 64, expected: ["gif holds gif", "omit --codec, or use gif"]),
    Row(
      name: "H.264 in Y4M", arguments: ["in.avi", "-o", "out.y4m", "--codec", "libx264"],
      code: 64, expected: ["yuv4mpegpipe holds wrapped_avframe or rawvideo", "omit --codec"]),
    Row(
      name: "MPEG-4 in a stream of H.264", arguments: ["in.avi", "-o", "out.h264", "--codec", "mpeg4"],
      code: 64, expected: ["h264 holds h264", "use libx264"]),
    Row(
      name: "video in MP3", arguments: ["in.avi", "-o", "out.mp3"], code: 64,
      expected: ["mp3 ('out.mp3') holds no video", ".mp4, .mkv or .mov"]),
    Row(
      name: "video in subtitles", arguments: ["in.avi", "-o", "out.srt"], code: 64,
      expected: ["srt ('out.srt') holds no video", ".mp4, .mkv or .mov"]),
    Row(
      name: "records of an unknown ending", arguments: run("in.avi", "--records", "r.xml"), code: 64,
      expected: ["'r.xml'", "(--records)", ".jsonl (JSON lines), .txt"]),
  ]

  static let options = [
    Row(
      name: "an unknown encoder", arguments: run("in.avi", "--codec", "h266"), code: 64,
      expected: ["'h266'", "--codec", "ffmpeg -encoders"]),
    Row(
      name: "an audio encoder", arguments: run("in.avi", "--codec", "aac"), code: 64, expected: ["'aac'", "--codec"]),
    Row(
      name: "an unknown preset", arguments: run("in.avi", "--preset", "bogus", "--detect", "none"), code: 64,
      expected: ["bogus"]),
    Row(
      name: "a preset of an encoder without presets", arguments: run("in.avi", "--codec", "mpeg4", "--preset", "fast"),
      code: 64,
      expected: ["--preset fast", "omit --preset"]),
    Row(
      name: "a rate factor that is too low", arguments: run("in.avi", "--crf=-3", "--detect", "none"), code: 64,
      expected: ["crf"]),
    Row(
      name: "a rate factor that is too high", arguments: run("in.avi", "--crf", "99", "--detect", "none"), code: 64,
      expected: ["crf"]),
    Row(
      name: "a rate factor that is not a number", arguments: run("in.avi", "--crf", "good"), code: 64,
      expected: ["good", "--crf"]),
    Row(
      name: "a failed run leaves no records",
      arguments: run("in.avi", "--crf=-3", "--detect", "none", "--records", "r.jsonl"), code: 64, expected: ["crf"]),
    Row(
      name: "an invalid bit rate", arguments: run("in.avi", "--bitrate", "lots"), code: 64,
      expected: ["--bitrate lots", "2M"]),
    Row(
      name: "an unknown pixel format", arguments: run("in.avi", "--pixel-format", "bogus"), code: 64,
      expected: ["--pixel-format bogus", "yuv420p"]),
    Row(
      name: "a pixel format of other encoders", arguments: run("in.avi", "--pixel-format", "rgb24", "--detect", "none"),
      code: 64, expected: ["rgb24", "--pixel-format", "yuv420p"]),
    Row(
      name: "audio neither copied nor omitted", arguments: run("in.avi", "--audio", "mp3"), code: 64,
      expected: ["--audio mp3", "copy or none"]),
    Row(
      name: "an unknown class", arguments: run("in.avi", "--classes", "persn"), code: 64,
      expected: ["'persn'", "--classes", "did you mean person?"]),
    Row(name: "no class", arguments: run("in.avi", "--classes", ""), code: 64, expected: ["--classes"]),
    Row(
      name: "an unknown overlay", arguments: run("in.avi", "--draw", "circles"), code: 64,
      expected: ["'circles'", "--draw", "boxes"]),
    Row(
      name: "an unknown face mode", arguments: run("in.avi", "--face-mode", "slow"), code: 64,
      expected: ["--face-mode slow", "fast or accurate"]),
    Row(
      name: "a minimum face size of 0", arguments: run("in.avi", "--min-face-size", "0"), code: 64,
      expected: ["--min-face-size 0", "more than 0, at most 1"]),
    Row(
      name: "a negative search interval", arguments: run("in.avi", "--face-search=-1"), code: 64,
      expected: ["--face-search -1"]),
    Row(
      name: "face crops without face detection",
      arguments: run("in.avi", "--detect", "objects", "--save-faces", "faces"), code: 64,
      expected: ["--save-faces faces", "faces are not detected", "--detect"]),
    Row(
      name: "face crops from earlier records",
      arguments: run("in.avi", "--from-records", "r.jsonl", "--save-faces", "faces"), code: 64,
      expected: ["--save-faces faces", "--from-records"], prepare: { try write("", to: "r.jsonl", in: $0) }),
    Row(
      name: "face crops of redacted faces", arguments: run("in.avi", "--redact", "mosaic", "--save-faces", "faces"),
      code: 64, expected: ["--save-faces faces", "--redact", "--keep-unredacted"]),
    Row(
      name: "face crops of redacted people",
      arguments: run("in.avi", "--redact", "fill", "--save-faces", "faces"), code: 64,
      expected: ["--save-faces faces", "--redact", "--keep-unredacted"]),
    Row(
      name: "face crops without a folder", arguments: run("in.avi", "--save-faces", ""), code: 64,
      expected: ["--save-faces", "name a folder"]),
    Row(
      name: "face crops of an unknown image format",
      arguments: run("in.avi", "--save-faces", "faces", "--crop-format", "gif"), code: 64,
      expected: ["--crop-format gif", "use jpg or png"]),
    Row(
      name: "an image format without face crops", arguments: run("in.avi", "--crop-format", "png"), code: 64,
      expected: ["--crop-format png", "--save-faces"]),
    Row(
      name: "a face model for objects", arguments: run("in.avi", "--object-model", "face-mesh"), code: 64,
      expected: ["--object-model face-mesh", "known: ssd-int8, ssd-mobilenet-v2"]),
    Row(
      name: "an unknown detector beside a known one", arguments: run("in.avi", "--detect", "poses,hands"), code: 64,
      expected: ["--detect poses,hands", "'hands' cannot be detected", "use objects, faces, poses or none"]),
    Row(
      name: "an unknown pose mode", arguments: run("in.avi", "--detect", "poses", "--pose-mode", "heavy"), code: 64,
      expected: ["--pose-mode heavy", "base or accurate"]),
    Row(
      name: "no poses", arguments: run("in.avi", "--detect", "poses", "--max-poses", "0"), code: 64,
      expected: ["--max-poses 0", "give 1 or more"]),
    Row(
      name: "an unknown detector", arguments: run("in.avi", "--detect", "dogs"), code: 64,
      expected: ["'dogs'", "use objects, faces, poses or none"]),
    Row(
      name: "none and a detector", arguments: run("in.avi", "--detect", "none,objects"), code: 64,
      expected: ["none cannot be combined with others"]),
    Row(
      name: "a detection interval of 0", arguments: run("in.avi", "--detect-every", "0"), code: 64,
      expected: ["--detect-every 0", "1 or more"]),
    Row(
      name: "an automatic detection interval of a file", arguments: run("in.avi", "--detect-every", "auto"), code: 64,
      expected: ["--detect-every auto", "live"]),
    Row(
      name: "a score above 1", arguments: run("in.avi", "--min-score", "1.5"), code: 64,
      expected: ["--min-score 1.5", "at most 1"]),
    Row(
      name: "an invalid score", arguments: run("in.avi", "--min-score", "nan"), code: 64, expected: ["--min-score nan"]),
    Row(
      name: "a negative time", arguments: run("in.avi", "--lost-after=-1"), code: 64, expected: ["--lost-after -1"]
    ),
    Row(
      name: "a confirmation after 0 detections", arguments: run("in.avi", "--confirm-after", "0"), code: 64,
      expected: ["--confirm-after 0"]),
    Row(name: "an IoU of 1", arguments: run("in.avi", "--min-iou", "1"), code: 64, expected: ["--min-iou 1"]),
    Row(
      name: "no threads", arguments: run("in.avi", "--threads", "0"), code: 64, expected: ["--threads 0", "give 1 to"]),
    Row(
      name: "an unknown device", arguments: run("in.avi", "--device", "TPU"), code: 64,
      expected: ["--device TPU", "CPU"]),
    Row(
      name: "an unknown option", arguments: run("in.avi", "--bogus"), code: 64, expected: ["--bogus", "vstream --help"]),
    Row(name: "no input", arguments: ["-y"], code: 64, expected: ["<input>", "vstream --help"]),
    Row(name: "no output", arguments: ["in.avi"], code: 64, expected: ["--output", "vstream --help"]),
  ]

  static let dependencies = [
    Row(
      name: "OpenVINO", arguments: run(), code: 69, expected: ["OpenVINO cannot be loaded", "unset VSTREAM_OPENVINO"],
      environment: ["VSTREAM_OPENVINO": "/nonexistent"]),
    Row(
      name: "OpenVINO, with records", arguments: run("in.avi", "--records", "r.jsonl", "--stats", "s.json"), code: 69,
      expected: ["OpenVINO cannot be loaded"], environment: ["VSTREAM_OPENVINO": "/nonexistent"]),
    Row(
      name: "a model's file", arguments: run("in.avi", "--object-model", "no.xml"), code: 69,
      expected: ["'no.xml'", "--object-model", "ssd-mobilenet-v2"]),
    Row(
      name: "an unknown model", arguments: run("in.avi", "--object-model", "yolo"), code: 64,
      expected: ["--object-model yolo", "ssd-mobilenet-v2"]),
    Row(
      name: "a file that is not a model", arguments: run("in.avi", "--object-model", "bad.xml"), code: 69,
      expected: ["bad.xml"],
      prepare: { try write("hello\n", to: "bad.xml", in: $0) }),
    Row(
      name: "the font", arguments: run(), code: 69, expected: ["'/nonexistent.ttf'", "fonts-dejavu-core"],
      environment: ["VSTREAM_FONT": "/nonexistent.ttf"]),
  ]

  @Test(arguments: inputs) func `errors of the input`(row: Row) throws { try check(row) }
  @Test(arguments: outputs) func `errors of the output`(row: Row) throws { try check(row) }
  @Test(arguments: options) func `errors of options`(row: Row) throws { try check(row) }
  @Test(arguments: dependencies) func `errors of dependencies`(row: Row) throws { try check(row) }

  private func check(_ row: Row) throws {
    let street = try ClipFolder(street: 3)
    try row.prepare(street)
    let before = try contents(of: street.folder)
    let result = try street.vstream(row.arguments, environment: row.environment)
    #expect(result.status == row.code)
    #expect(result.output.isEmpty)
    #expect(oneLine(result.errors), "\(result.errors)")
    #expect(result.errors.hasPrefix("vstream: "))
    if [65, 66].contains(row.code) { #expect(result.errors.contains("; "), "the remedy is given: \(result.errors)") }
    for part in row.expected { #expect(result.errors.contains(part), "'\(part)' is not in: \(result.errors)") }
    #expect(try contents(of: street.folder) == before, "no file is created, changed or removed")
  }

  /// The names and contents of the files in a folder.
  private func contents(of folder: TemporaryFolder) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in folder.names { files[name] = FileManager.default.contents(atPath: folder.file(name)) ?? Data() }
    return files
  }

  @Test func `the input named by a file URL is not overwritten`() throws {
    let street = try ClipFolder(street: 3)
    let before = try contents(of: street.folder)
    let result = try street.vstream(["in.avi", "-o", "file://\(street.input)", "--detect", "none"])
    #expect(result.status == 64)
    #expect(try contents(of: street.folder) == before)
  }

  @Test func `an existing image is not overwritten`() throws {
    let street = try ClipFolder(street: 3)
    try Self.write("mine", to: "out.png", in: street)
    let result = try street.vstream(["in.avi", "-o", "out.png", "--codec", "png", "--detect", "none"])
    #expect(result.status == 73)
    #expect(try street.text("out.png") == "mine")
  }

  @Test func `a missing font is no error without labels`() throws {
    let street = try ClipFolder(street: 3)
    let environment = ["VSTREAM_FONT": "/nonexistent.ttf"]
    for (name, options) in [("a.mp4", ["--detect", "none"]), ("b.mp4", ["--draw", "boxes"])] {
      #expect(try street.vstream(["in.avi", "-o", name] + options, environment: environment).status == 0)
    }
    #expect(try street.vstream(["in.avi", "-o", "null"], environment: environment).status == 0)
  }

  @Test func `a missing OpenVINO is no error without detection`() throws {
    let street = try ClipFolder(street: 3)
    let environment = ["VSTREAM_OPENVINO": "/nonexistent"]
    #expect(try street.vstream(["in.avi", "-o", "a.mp4", "--detect", "none"], environment: environment).status == 0)
    #expect(try street.vstream(["--help"], environment: environment).status == 0)
    let version = try street.vstream(["--version"], environment: environment)
    #expect(version.status == 0)
    #expect(version.text.contains("OpenVINO not found"))
  }

  @Test func `damage that can be worked around is counted, not an error`() throws {
    let street = try ClipFolder(street: 3)
    let (whole, cut) = (street.folder.file("whole.mp4"), street.folder.file("cut.mp4"))
    let testPattern = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=4"]
    try Program.ffmpeg(testPattern + ["-g", "5", "-movflags", "+faststart", whole])
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

  // The files that rows prepare.

  private static func write(_ text: String, to name: String, in street: ClipFolder) throws {
    try text.write(toFile: street.folder.file(name), atomically: true, encoding: .utf8)
  }

  private static func copyInput(to folder: String, in street: ClipFolder) throws {
    try FileManager.default.createDirectory(atPath: street.folder.file(folder), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: street.input, toPath: street.folder.file(folder + "/in.avi"))
  }

  private static func makeCutMP4(_ name: String, in street: ClipFolder) throws {
    let whole = street.folder.file("whole.mp4")
    try Program.ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=1", whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: street.folder.file(name)))
  }

  private static func makeIndexAlone(_ name: String, in street: ClipFolder) throws {
    let whole = street.folder.file("whole.mp4")
    let testPattern = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=1"]
    try Program.ffmpeg(testPattern + ["-movflags", "+faststart", whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    let media = try #require(bytes.firstRange(of: Data("mdat".utf8)))
    try bytes.prefix(media.upperBound).write(to: URL(filePath: street.folder.file(name)))
  }
}
