import Foundation
import Testing
import VStreamTestSupport

/// Mistakes that used to be reported as something else.
struct MisleadingMessageTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: String
    var status: Int32 = 64
    let expected: String
    var testDescription: String { name }
    init(_ name: String, _ arguments: String, status: Int32 = 64, _ expected: String) {
      self.name = name
      self.arguments = arguments
      self.status = status
      self.expected = expected
    }
  }

  static let rows = [
    Row("a duration of 0", "in.mp4 -o z.mp4 --duration 0", "--duration 0: is not a duration; give more than 0 seconds"),
    Row(
      "several outputs by tee", "in.mp4 -o a.mp4|b.mkv --output-format tee",
      "one run writes one output, and --output-format tee is for several"),
    Row(
      "two outputs", "in.mp4 -o a.mp4 --output b.mkv", "one run writes one output, and 2 are given: a.mp4, b.mkv"),
    Row(
      "an output without -o", "in.mp4 z.mp4",
      "no output is given (--output), and there is no file 'z.mp4'; for an output of that name write 'vstream in.mp4 -o "
        + "z.mp4'"),
    Row(
      "a joined file that does not exist", "concat:nowhere.ts -o z.mp4", status: 66,
      "there is no file 'concat:nowhere.ts'"),
    Row(
      "a name that would control the terminal", "\u{1B}[31m.mp4 -o z.mp4", status: 66,
      "there is no file '\\x1b[31m.mp4'"),
    Row(
      "an unknown option of the encoder", "in.mp4 -o z.mp4 --encoder-option nope=1",
      "'nope' is not an option of libx264 (--encoder-option)"),
    Row(
      "a value that the encoder rejects", "in.mp4 -o z.mp4 --encoder-option profile=nope",
      "Error setting profile nope"),
    Row("B-frames in NUT", "in.mp4 -o z.nut --encoder-option bf=2", "does not support --encoder-option bf=2"),
    Row("a size of one number", "in.mp4 -o z.mp4 --scale 640", "--scale 640: is not a size"),
    Row("a rate of 0", "in.mp4 -o z.mp4 --fps 0", "--fps 0: is not a frame rate"),
    Row(
      "a codec without an encoder", "in.mp4 -o z.vc1",
      "makes h264; no encoder of this FFmpeg makes it; write an .mkv file"),
    Row(
      "a name that is too long", "in.mp4 -o \(String(repeating: "z", count: 256)).mp4", status: 73,
      "its name has more than 255 bytes; give a shorter name"),
    Row(
      "a tag without a name", "in.mp4 -o z.mp4 --metadata =x",
      "--metadata =x: is not KEY=VALUE; write, for example, title=Lobby"),
    Row("audio neither copied nor left", "in.mp4 -o z.mp4 --audio loud", "use auto, copy or none"),
    Row(
      "a stream that is not there", "in.mp4 -o z.mp4 --map v --map a:5", "--map a:5 selects no stream of the input: #0"),
    Row("a map without video", "in.mp4 -o z.mp4 --map a", "--map selects no video: only #1 (audio, aac)"),
    Row("a second input in a map", "in.mp4 -o z.mp4 --map 1:v", "names another input than the only one, which is 0"),
    Row("no stream specifier", "in.mp4 -o z.mp4 --map zzz", "--map zzz is not a stream specifier of FFmpeg"),
    Row(
      "verification at another rate", "in.mp4 -o z.mp4 --redact fill --verify --fps 5",
      "--verify compares the output with the frames of the input"),
  ]

  /// FFmpeg 9 decodes it.
  static let animated =
    Program.ffmpegVersion < 9
    ? [
      Row(
        "an animated WebP", "moving.webp -o z.mp4", status: 65,
        "'moving.webp' is an animated WebP, which this FFmpeg cannot decode")
    ] : []

  private static func makeInputs(in folder: TemporaryFolder) throws {
    let video = "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1"
    try Program.ffmpeg(
      FidelityRun.words("\(video) -f lavfi -i sine=duration=1 -c:v libx264 -pix_fmt yuv420p -c:a aac in.mp4"),
      folder: folder.path)
    try Program.ffmpeg(FidelityRun.words("\(video) -loop 0 moving.webp"), folder: folder.path)
  }

  @Test(arguments: rows + animated)
  func `a mistake is reported as what it is`(row: Row) throws {
    let folder = try TemporaryFolder()
    try Self.makeInputs(in: folder)
    let detect = row.arguments.contains("--redact") ? [] : ["--detect", "none"]
    let result = try Program.vstream(FidelityRun.words(row.arguments) + detect, folder: folder.path)
    #expect(result.status == row.status, "\(result.errors)")
    #expect(result.errors.contains(row.expected), "\(result.errors)")
    #expect(folder.names == ["in.mp4", "moving.webp"], "nothing is written")
  }

  @Test func `a name that is not UTF-8 is reported with its bytes`() throws {
    let folder = try TemporaryFolder()
    let script = "\"$0\" \"$(printf 'caf\\351.mp4')\" -o z.mp4"
    let result = try Program.run("/bin/sh", ["-c", script, Program.vstreamPath], folder: folder.path)
    #expect(result.status == 64)
    #expect(result.errors.contains("the argument 'caf\\xE9.mp4' is not UTF-8; rename the file"), "\(result.errors)")
  }

  @Test(arguments: ["pipe:0", "pipe:", "concat:in.ts|in.ts", "subfile,,start,0,end,0,,:in.ts", "cache:in.ts"])
  func `libav's protocols without slashes are inputs`(input: String) throws {
    let folder = try TemporaryFolder()
    let make = "-f lavfi -i testsrc2=size=64x48:rate=10:duration=1 -c:v libx264 -pix_fmt yuv420p in.ts"
    try Program.ffmpeg(FidelityRun.words(make), folder: folder.path)
    let script = "\"$0\" \"$1\" -o pipe:1 --detect none < in.ts > out.nut"
    let result = try Program.run("/bin/sh", ["-c", script, Program.vstreamPath, input], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let frames = try Probe(folder.file("out.nut")).frameTimes().count
    #expect(frames == (input.hasPrefix("concat") ? 20 : 10))
  }
}
