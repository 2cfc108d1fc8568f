import Foundation
import Testing
import VStreamTestSupport

/// `vstream track`: MOTChallenge text in, MOTChallenge text out.
struct TrackTests {
  private static func write(_ text: String, to name: String, in folder: TemporaryFolder) throws {
    try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
  }

  private static func read(_ name: String, in folder: TemporaryFolder) throws -> String {
    try String(contentsOfFile: folder.file(name), encoding: .utf8)
  }

  private static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> ProgramResult {
    try Program.vstream(["track"] + arguments, folder: folder.path)
  }

  /// A person who walks to the right, one line per frame.
  private static func walk(_ frames: [Int]) -> String {
    frames.map { "\($0),-1,\(100 + 4 * $0),50,40,90,0.9,-1,-1,-1\n" }.joined()
  }

  @Test func `an object has its ID from its second detection on`() throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.walk([1, 2, 3]), to: "det.txt", in: folder)
    let result = try Self.run(["det.txt", "-o", "tracks.txt", "--fps", "25"], in: folder)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.text == "")
    #expect(
      try Self.read("tracks.txt", in: folder) == """
        2,1,107.24,50.0,40.0,90.0,0.9,1,1
        3,1,111.12,50.0,40.0,90.0,0.9,1,1

        """)
    #expect(folder.names == ["det.txt", "tracks.txt"])
  }

  @Test func `existing files with the part file's name are not changed`() throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.walk([1, 2, 3]), to: "det.part", in: folder)
    let input = try Self.run(["det.part", "-o", "det", "--fps", "25", "-y"], in: folder)
    #expect(input.status == 64 && input.errors.contains("rename the input"), "\(input.errors)")
    try Self.write("mine", to: "tracks.part", in: folder)
    let other = try Self.run(["det.part", "-o", "tracks", "--fps", "25"], in: folder)
    #expect(other.status == 73 && other.errors.contains("--overwrite"), "\(other.errors)")
    #expect(try Self.read("tracks.part", in: folder) == "mine")
    #expect(try Self.read("det.part", in: folder) == Self.walk([1, 2, 3]))
    #expect(try Self.run(["det.part", "-o", "tracks", "--fps", "25", "-y"], in: folder).status == 0)
    #expect(folder.names == ["det.part", "tracks"])
  }

  struct OptionRow: CustomTestStringConvertible, Sendable {
    let name: String
    let options: [String]
    /// Frames on which the person is detected.
    let frames: [Int]
    /// Frame and ID of each written line.
    let expected: [String]
    var testDescription: String { name }
  }

  static let optionRows = [
    OptionRow(
      name: "a gap of 0.8 s", options: ["--fps", "10"], frames: [1, 2, 3, 11, 12],
      expected: ["2,1", "3,1", "11,1", "12,1"]),
    OptionRow(
      name: "the same frames at a third of the rate", options: ["--fps", "3"], frames: [1, 2, 3, 11, 12],
      expected: ["2,1", "3,1", "12,2"]),
    OptionRow(
      name: "a rate as a fraction", options: ["--fps", "10000/1001"], frames: [1, 2, 11], expected: ["2,1", "11,1"]),
    OptionRow(
      name: "a lost-after of 3 s", options: ["--fps", "3", "--lost-after", "3"], frames: [1, 2, 3, 11, 12],
      expected: ["2,1", "3,1", "11,1", "12,1"]),
    OptionRow(
      name: "confirmed at once", options: ["--fps", "10", "--confirm-after", "1"], frames: [4, 5],
      expected: ["4,1", "5,1"]),
    OptionRow(
      name: "a score that is too low", options: ["--fps", "10", "--min-score", "0.95"], frames: [1, 2], expected: []),
    OptionRow(name: "no detections", options: ["--fps", "10"], frames: [], expected: []),
    OptionRow(
      name: "frame times from a file", options: ["--times", "times.txt"], frames: [1, 2, 3, 4],
      expected: ["2,1", "3,1", "4,1"]),
  ]

  @Test(arguments: optionRows)
  func `options determine the written lines`(_ row: OptionRow) throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.walk(row.frames), to: "det.txt", in: folder)
    // The third frame is the first with a detection after a gap; an object that was not missed in between keeps its ID.
    try Self.write("0\n0.04\n5\n5.04\n", to: "times.txt", in: folder)
    let result = try Self.run(["det.txt", "-o", "-"] + row.options, in: folder)
    #expect(result.status == 0, "\(result.errors)")
    let found = result.text.split(separator: "\n").map { $0.split(separator: ",").prefix(2).joined(separator: ",") }
    #expect(found == row.expected)
  }

  struct ErrorRow: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: [String]
    let code: Int32
    let expected: [String]
    var testDescription: String { name }
  }

  static let errors = [
    ErrorRow(
      name: "no frame rate", arguments: ["det.txt", "-o", "out.txt"], code: 64, expected: ["--fps 25"]),
    ErrorRow(
      name: "a rate of 0", arguments: ["det.txt", "-o", "out.txt", "--fps", "0"], code: 64, expected: ["--fps 0:"]),
    ErrorRow(
      name: "an invalid rate", arguments: ["det.txt", "-o", "out.txt", "--fps", "fast"], code: 64,
      expected: ["--fps fast:", "30000/1001"]),
    ErrorRow(
      name: "a rate and times", arguments: ["det.txt", "-o", "out.txt", "--fps", "25", "--times", "times.txt"],
      code: 64,
      expected: ["--fps", "--times"]),
    ErrorRow(
      name: "an invalid score", arguments: ["det.txt", "-o", "out.txt", "--fps", "25", "--min-score", "2"],
      code: 64,
      expected: ["--min-score", "2.0"]),
    ErrorRow(name: "no output", arguments: ["det.txt", "--fps", "25"], code: 64, expected: ["--output"]),
    ErrorRow(
      name: "an unknown option", arguments: ["det.txt", "-o", "out.txt", "--fps", "25", "--codec", "h264"], code: 64,
      expected: ["--codec"]),
    ErrorRow(
      name: "the input itself", arguments: ["det.txt", "-o", "./det.txt", "--fps", "25", "-y"], code: 64,
      expected: ["'./det.txt' is the input itself"]),
    ErrorRow(
      name: "the times themselves", arguments: ["det.txt", "-o", "times.txt", "--times", "times.txt", "-y"], code: 64,
      expected: ["'times.txt' is the input itself"]),
    ErrorRow(
      name: "malformed lines", arguments: ["bad.txt", "-o", "out.txt", "--fps", "25"], code: 65,
      expected: ["'bad.txt' line 2: left 'x' is not a number", "and line 4 cannot be read either"]),
    ErrorRow(
      name: "a folder", arguments: [".", "-o", "out.txt", "--fps", "25"], code: 65, expected: ["'.' is a folder"]),
    ErrorRow(
      name: "two times on a line", arguments: ["det.txt", "-o", "out.txt", "--times", "two.txt"], code: 65,
      expected: ["'two.txt' line 1: '0 1' is not a time"]),
    ErrorRow(
      name: "standard input for both", arguments: ["-", "-o", "out.txt", "--times", "-"], code: 64,
      expected: ["--times -: is the input as well"]),
    ErrorRow(
      name: "times that go back", arguments: ["det.txt", "-o", "out.txt", "--times", "back.txt"], code: 65,
      expected: ["'back.txt' line 2"]),
    ErrorRow(
      name: "too few times", arguments: ["det.txt", "-o", "out.txt", "--times", "times.txt"], code: 65,
      expected: ["'times.txt' has the times of 1 frames", "frame 3"]),
    ErrorRow(
      name: "a missing file", arguments: ["no.txt", "-o", "out.txt", "--fps", "25"], code: 66,
      expected: ["no file 'no.txt'"]),
    ErrorRow(
      name: "an output that exists", arguments: ["det.txt", "-o", "mine.txt", "--fps", "25"], code: 73,
      expected: ["'mine.txt' exists already", "-y"]),
    ErrorRow(
      name: "a folder as output", arguments: ["det.txt", "-o", ".", "--fps", "25", "-y"], code: 73,
      expected: ["'.' is a folder"]),
    ErrorRow(
      name: "a missing folder", arguments: ["det.txt", "-o", "no/out.txt", "--fps", "25"], code: 73,
      expected: ["no folder 'no/'"]),
    ErrorRow(
      name: "a full disk", arguments: ["det.txt", "-o", "/dev/full", "--fps", "25"], code: 74,
      expected: ["writing '/dev/full' failed"]),
  ]

  @Test(arguments: errors)
  func `a failure is one line and leaves no file`(_ row: ErrorRow) throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.walk([1, 2, 3]), to: "det.txt", in: folder)
    try Self.write("1,-1,2,3,4,5,1\n1,-1,x,3,4,5,1\n\n2,-1\n", to: "bad.txt", in: folder)
    try Self.write("0\n", to: "times.txt", in: folder)
    try Self.write("0 1\n", to: "two.txt", in: folder)
    try Self.write("1\n0.5\n", to: "back.txt", in: folder)
    try Self.write("mine", to: "mine.txt", in: folder)
    let names = folder.names
    let result = try Self.run(row.arguments, in: folder)
    #expect(result.status == row.code)
    #expect(result.errors.hasPrefix("vstream: "))
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    for part in row.expected { #expect(result.errors.contains(part), "\(result.errors)") }
    #expect(folder.names == names)
    #expect(try Self.read("mine.txt", in: folder) == "mine")
  }

  @Test func `an existing output is replaced with -y`() throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.walk([1, 2]), to: "det.txt", in: folder)
    try Self.write(String(repeating: "mine\n", count: 1000), to: "out.txt", in: folder)
    #expect(try Self.run(["det.txt", "-o", "out.txt", "--fps", "25", "-y"], in: folder).status == 0)
    #expect(try Self.read("out.txt", in: folder).hasPrefix("2,1,107.24"))
    #expect(folder.names == ["det.txt", "out.txt"])
  }

  @Test func `invalid boxes are skipped with a warning`() throws {
    let folder = try TemporaryFolder()
    try Self.write(
      "1,-1,0,0,0,5,0.9\n1,-1,nan,0,5,5,0.9\n1,-1,0,0,5,5,1e300\n" + Self.walk([1, 2]), to: "det.txt", in: folder)
    let result = try Self.run(["det.txt", "-o", "-", "--fps", "25"], in: folder)
    #expect(result.status == 0)
    #expect(result.text.hasPrefix("2,1,"))
    #expect(result.errors.hasPrefix("vstream: warning: 3 boxes were ignored: without an area"))
  }

  @Test func `OpenVINO is not loaded`() throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.walk([1, 2]), to: "det.txt", in: folder)
    let loading = ["LD_DEBUG": "files"]
    let result = try Program.vstream(
      ["track", "det.txt", "-o", "out.txt", "--fps", "25"], environment: loading, folder: folder.path)
    #expect(result.status == 0)
    #expect(result.errors.contains("libc.so"))
    #expect(!result.errors.lowercased().contains("openvino_c"))
    #expect(try Program.vstream(["--version"], environment: loading).errors.contains("openvino_c"))
  }
}
