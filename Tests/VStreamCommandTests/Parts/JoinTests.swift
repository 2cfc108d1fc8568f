import Foundation
import Testing
import VStreamTestSupport

/// Parts of a video that are detected by themselves and joined, through the built program.
struct JoinTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A form of the street: every 13th frame, 8 s apart or as a row says.
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let file: String
    /// When each frame is shown, by its number `N`, in seconds.
    var times = "8*N"
    /// A filter that sets the frame rate.
    var rate = ""
    var encoder = ["-c:v", "libx264", "-g", "6", "-bf", "2"]
    var options: [String] = []
    var partSeconds = "30"
    let parts: Int
  }

  static let rows = [
    Row(
      testDescription: "16 parts, B-frames", file: "long.mp4", options: ["--passes", "0.4", "--detect", "objects"],
      parts: 16),
    Row(
      testDescription: "3 parts, a variable rate, faces with their meshes", file: "varying.mkv",
      times: "3*N+sin(N)+N*N/100", options: ["--passes", "1"], partSeconds: "70", parts: 3),
    Row(
      testDescription: "open groups of HEVC", file: "open.mkv", times: "2*N",
      encoder: ["-c:v", "libx265", "-x265-params", "open-gop=1:keyint=8:bframes=3:log-level=error"],
      options: ["--detect", "objects"], parts: 4),
    Row(
      testDescription: "a codec without key frame times", file: "plain.avi", times: "2*N", rate: ",fps=1/2",
      encoder: ["-c:v", "msmpeg4", "-g", "5"], options: ["--detect", "objects"], parts: 4),
    Row(
      testDescription: "detection on every third frame", file: "third.mp4", times: "5*N",
      options: ["--detect", "objects", "--detect-every", "3"], parts: 10),
    Row(
      testDescription: "one part", file: "short.mp4", times: "N/4", options: ["--detect", "objects"], parts: 1),
  ]

  private func clip(_ row: Row, frames: Int = 60) throws -> String {
    let path = folder.file(row.file)
    try Program.ffmpeg(
      [
        "-i", Checkout.sample("street.avi"), "-vf",
        "select=not(mod(n\\,13)),scale=192:144,setpts=(\(row.times))/TB\(row.rate)",
      ]
        + ["-fps_mode", "passthrough", "-frames:v", "\(frames)"] + row.encoder + [path])
    return path
  }

  private func run(_ arguments: [String]) throws {
    let result = try Program.vstream(arguments + ["--quiet"])
    try #require(result.status == 0, "\(arguments): \(result.errors)")
  }

  /// Splits, and detects in every part.
  private func detect(_ input: String, _ row: Row) throws -> Int {
    let split = try Program.vstream([
      "split", input, "-o", folder.file("plan.json"), "--part-duration", row.partSeconds,
    ])
    try #require(split.status == 0, "\(split.errors)")
    let plan = try JSON(String(contentsOfFile: folder.file("plan.json"), encoding: .utf8))
    let count = plan["parts"].list?.count ?? 0
    try FileManager.default.createDirectory(atPath: folder.file("parts"), withIntermediateDirectories: true)
    for number in 0..<count {
      try run(
        [input, "-o", "null", "--part", folder.file("plan.json:\(number)"), "--record-detections", "--records"]
          + [folder.file(String(format: "parts/part-%04d.jsonl", number))] + row.options)
    }
    return count
  }

  private static let formats = ["jsonl", "csv", "vtt", "json", "txt"]

  private func records(_ name: String) -> [String] {
    Self.formats.flatMap { ["--records", folder.file("\(name).\($0)")] }
  }

  @Test(arguments: rows)
  func `joined records are those of one run, byte for byte`(row: Row) throws {
    let input = try clip(row)
    #expect(try detect(input, row) == row.parts)
    let options = row.options + ["--events", "--zone", "door:10%,10%;60%,10%;60%,90%", "--line", "gate:0,50%;100%,50%"]
    try run([input, "-o", "null"] + records("one") + options)
    try run(["join", folder.file("plan.json"), "--parts", folder.file("parts")] + records("joined") + options)
    for format in Self.formats {
      let (one, joined) = (folder.file("one.\(format)"), folder.file("joined.\(format)"))
      #expect(FileManager.default.contentsEqual(atPath: one, andPath: joined), "\(format)")
    }
  }

  @Test func `a part file has its name only when it is complete`() throws {
    let row = Row(testDescription: "", file: "named.mp4", options: ["--detect", "objects"], parts: 4)
    let input = try clip(row, frames: 12)
    _ = try detect(input, row)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("parts"))
    #expect(names.sorted() == (0..<3).map { String(format: "part-%04d.jsonl", $0) })
  }

  @Test func `a time jump in a transport stream`() throws {
    let encoder = ["-c:v", "libx264", "-g", "6", "-bf", "2", "-muxdelay", "0"]
    let first = try clip(Row(testDescription: "", file: "a.ts", times: "2*N", encoder: encoder, parts: 0), frames: 25)
    let second = try clip(
      Row(testDescription: "", file: "b.ts", times: "2*N", encoder: encoder + ["-output_ts_offset", "5000"], parts: 0),
      frames: 25)
    let input = folder.file("jump.ts")
    try (Data(contentsOf: URL(filePath: first)) + Data(contentsOf: URL(filePath: second))).write(
      to: URL(filePath: input))
    let row = Row(testDescription: "", file: "", options: ["--detect", "objects"], parts: 0)
    #expect(try detect(input, row) >= 3)
    try run([input, "-o", "null"] + records("one") + row.options)
    try run(["join", folder.file("plan.json"), "--parts", folder.file("parts")] + records("joined") + row.options)
    for format in Self.formats {
      let (one, joined) = (folder.file("one.\(format)"), folder.file("joined.\(format)"))
      #expect(FileManager.default.contentsEqual(atPath: one, andPath: joined), "\(format)")
    }
  }

  struct Wrong: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [String]
    let status: Int32
    let message: String
  }

  /// `DIR` is the folder, with a clip, its plan and the records of its parts.
  static let wrong = [
    Wrong(
      testDescription: "a part that is missing", arguments: ["join", "DIR/plan.json", "--parts", "DIR/none"],
      status: 66,
      message: "there is no file 'DIR/none/part-0000.jsonl'"),
    Wrong(
      testDescription: "other options",
      arguments: ["join", "DIR/plan.json", "--parts", "DIR/parts", "--lost-after", "3"],
      status: 65, message: "was detected with another value of 'lostAfter' than this run has"),
    Wrong(
      testDescription: "no plan", arguments: ["join", "DIR/clip.mp4", "--parts", "DIR/parts"], status: 65,
      message: "'DIR/clip.mp4' is no plan of parts"),
    Wrong(
      testDescription: "another input",
      arguments: ["join", "DIR/plan.json", "--parts", "DIR/parts", "--input", "DIR/plan.json"],
      status: 65, message: "is not the file that 'DIR/plan.json' was made of, or has changed since"),
    Wrong(
      testDescription: "categories", arguments: ["join", "DIR/plan.json", "--parts", "DIR/parts", "--categories"],
      status: 64, message: "--categories: cannot be combined with join: categories are detected along whole tracks"),
    Wrong(
      testDescription: "records and a video at once",
      arguments: ["join", "DIR/plan.json", "--parts", "DIR/parts", "-o", "DIR/out.mp4"], status: 64,
      message: "is written without -o; join the records first, then the video"),
    Wrong(
      testDescription: "a part's own records",
      arguments: ["join", "DIR/plan.json", "--parts", "DIR/parts", "--records", "DIR/parts/part-0000.jsonl", "-y"],
      status: 64, message: "holds the records of a part"),
    Wrong(
      testDescription: "a part that is not there",
      arguments: ["DIR/clip.mp4", "-o", "null", "--record-detections", "--part", "DIR/plan.json:9"], status: 64,
      message: "'DIR/plan.json' has no part 9: it has 1; give 0 to 0"),
    Wrong(
      testDescription: "no number",
      arguments: ["DIR/clip.mp4", "-o", "null", "--record-detections", "--part", "DIR/plan.json"],
      status: 64, message: "is not a plan and a number"),
    Wrong(
      testDescription: "a part of another input",
      arguments: ["DIR/plan.json", "-o", "null", "--record-detections", "--part", "DIR/plan.json:0"], status: 65,
      message: "is not the file that 'DIR/plan.json' was made of"),
    Wrong(
      testDescription: "a pipe", arguments: ["split", "-", "-o", "DIR/other.json"], status: 64,
      message: "standard input has no parts: only files of video do"),
    Wrong(
      testDescription: "a plan that exists", arguments: ["split", "DIR/clip.mp4", "-o", "DIR/plan.json"], status: 73,
      message: "'DIR/plan.json' exists"),
    Wrong(
      testDescription: "no duration", arguments: ["split", "DIR/clip.mp4", "-o", "DIR/p.json", "--part-duration", "0"],
      status: 64, message: "--part-duration 0.0: is not a duration"),
  ]

  @Test func `what cannot be joined is an error that says what to do`() throws {
    let row = Row(testDescription: "", file: "clip.mp4", options: ["--detect", "objects"], parts: 1)
    _ = try detect(try clip(row, frames: 3), row)
    for wrong in Self.wrong {
      var arguments = wrong.arguments.map { $0.replacing("DIR", with: folder.path) }
      if arguments[0] != "split" {
        if !arguments.contains("--records") { arguments += ["--records", folder.file("new.jsonl")] }
        arguments += ["--detect", "objects"]
      }
      let result = try Program.vstream(arguments)
      #expect(result.status == wrong.status, "\(wrong): \(result.errors)")
      #expect(result.errors.contains(wrong.message.replacing("DIR", with: folder.path)), "\(wrong): \(result.errors)")
    }
  }

  @Test func `records that are cut off are not joined`() throws {
    let row = Row(testDescription: "", file: "clip.mp4", options: ["--detect", "objects"], parts: 1)
    _ = try detect(try clip(row, frames: 3), row)
    let part = folder.file("parts/part-0000.jsonl")
    let lines = try String(contentsOfFile: part, encoding: .utf8).split(separator: "\n").dropLast()
    try (lines.joined(separator: "\n") + "\n").write(toFile: part, atomically: true, encoding: .utf8)
    let result = try Program.vstream(
      ["join", folder.file("plan.json"), "--parts", folder.file("parts"), "--records", folder.file("new.jsonl")]
        + row.options)
    #expect(result.status == 65)
    #expect(result.errors.contains("is incomplete: its last line is missing"))
  }
}
