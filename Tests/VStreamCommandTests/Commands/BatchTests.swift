import Foundation
import Testing
import VStreamTestSupport

/// Several inputs in one run.
struct BatchTests {
  private let folder: TemporaryFolder
  private static let clips = ["shapes-crossing.mp4", "face.mp4"]

  init() throws { folder = try TemporaryFolder() }

  private func copy(_ names: [String] = Self.clips) throws {
    for name in names {
      try FileManager.default.copyItem(atPath: Checkout.sample(name), toPath: folder.file(name))
    }
  }

  private func vstream(_ arguments: [String]) throws -> ProgramResult {
    try Program.vstream(arguments + ["--duration", "1"], folder: folder.path)
  }

  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: folder.file(name))) }

  private func sizes(_ name: String) throws -> [Int] { try Probe(folder.file(name)).packets("v:0").map(\.size) }

  @Test func `each input has the same results as in a separate run`() throws {
    try copy()
    let all = try vstream(Self.clips + ["--output-dir", "out", "--records", "out/{name}.jsonl"])
    #expect(all.status == 0, "\(all.errors)")
    #expect(all.errors.contains("2 inputs: 2 done"))
    for clip in Self.clips {
      let name = String(clip.dropLast(4))
      let one = try vstream([clip, "-o", "one-\(clip)", "--records", "one-\(name).jsonl"])
      #expect(one.status == 0)
      #expect(try bytes("out/\(name).jsonl") == bytes("one-\(name).jsonl"))
      #expect(try sizes("out/\(clip)") == sizes("one-\(clip)"))
    }
  }

  /// libx264 reads uninitialised memory. The C library sets it here; in a batch it has the contents of an earlier input.
  @Test func `the encoded video does not depend on uninitialised memory`() throws {
    try copy(["face.mp4"])
    for fill in [1, 85, 165] {
      let arguments = [Program.vstreamPath, "face.mp4", "-o", "\(fill).mp4", "--detect", "faces", "--duration", "1"]
      let result = try Program.run("/usr/bin/env", ["MALLOC_PERTURB_=\(fill)"] + arguments, folder: folder.path)
      #expect(result.status == 0, "\(result.errors)")
    }
    for fill in [85, 165] { #expect(try bytes("\(fill).mp4") == bytes("1.mp4")) }
  }

  @Test func `an input that fails does not prevent the others`() throws {
    try copy()
    try Data("no video".utf8).write(to: URL(filePath: folder.file("bad.mp4")))
    let result = try vstream(["bad.mp4", "none.mp4"] + Self.clips + ["--output-dir", "out", "--detect", "none"])
    #expect(result.status == 65)
    for part in ["bad.mp4", "none.mp4", "4 inputs: 2 done, 2 failed"] { #expect(result.errors.contains(part)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted() == Self.clips.sorted())
  }

  @Test func `an input that is named by two paths is run once, and two inputs of one name are refused`() throws {
    try copy(["face.mp4"])
    let paths = ["face.mp4", "./face.mp4", folder.file("face.mp4")]
    let once = try vstream(paths + ["--output-dir", "out", "--detect", "none"])
    #expect(once.status == 0, "\(once.errors)")
    try FileManager.default.copyItem(atPath: folder.file("face.mp4"), toPath: folder.file("face.avi"))
    let both = try vstream(["face.mp4", "face.avi", "--output-dir", "both", "--detect", "none"])
    #expect(both.status == 64 && both.errors.contains("would both be written to 'both/face.mp4'"), "\(both.errors)")
  }

  @Test func `an existing output is skipped, and an unfinished one replaced`() throws {
    try copy()
    try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: true)
    try Data("whole".utf8).write(to: URL(filePath: folder.file("out/face.mp4")))
    try Data("half".utf8).write(to: URL(filePath: folder.file("out/shapes-crossing.mp4.part")))
    let result = try vstream(Self.clips + ["--output-dir", "out", "--resume", "--detect", "none"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("2 inputs: 1 done, 1 skipped"))
    #expect(try bytes("out/face.mp4") == Data("whole".utf8))
    #expect(try !sizes("out/shapes-crossing.mp4").isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out/shapes-crossing.mp4.part")))
  }

  @Test func `an output of an earlier run stays unchanged if its input cannot be read`() throws {
    try copy(["face.mp4"])
    try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: true)
    try Data("whole".utf8).write(to: URL(filePath: folder.file("out/bad.mp4")))
    try Data("no video".utf8).write(to: URL(filePath: folder.file("bad.mp4")))
    let result = try vstream(["bad.mp4", "face.mp4", "--output-dir", "out", "-y", "--detect", "none"])
    #expect(result.status == 65)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted() == ["bad.mp4", "face.mp4"])
    #expect(try bytes("out/bad.mp4") == Data("whole".utf8))
  }

  /// The second input is live, and lasts a minute.
  @Test func `an output of a stopped run does not count as finished`() throws {
    try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: true)
    try Data("whole".utf8).write(to: URL(filePath: folder.file("out/street.mp4")))
    let clips = [Checkout.sample("face.mp4"), Checkout.sample("street.avi")]
    let arguments = clips + ["--output-dir", folder.file("out"), "--detect", "none"]
    let program = try RunningProgram(arguments + ["-y", "--realtime", "--progress", "always"])
    #expect(
      program.waitUntil { text in
        text.split(separator: "\u{1B}[K").contains { $0.contains("2/2 ") && !$0.contains("  0 out") }
      })
    program.send(SIGINT)
    #expect(program.wait() == 130, "\(program.errors)")
    for part in [
      "2 inputs: 1 done, 1 stopped", "\n  finished: \(folder.file("out/face.mp4"))\n",
      "stopped: \(folder.file("out/street.mp4.part"))\n", "--resume",
    ] {
      #expect(program.errors.contains(part), "\(program.errors)")
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("out")).sorted() == [
        "face.mp4", "street.mp4", "street.mp4.part",
      ])
    #expect(try bytes("out/street.mp4") == Data("whole".utf8))

    let resumed = try Program.vstream(arguments + ["--resume"])
    #expect(resumed.errors.contains("2 inputs: 1 done, 1 skipped"), "\(resumed.errors)")
    #expect(try sizes("out/street.mp4").count == 795)
  }

  @Test func `a list names inputs`() throws {
    try copy()
    let list = "\u{FEFF}# clips\r\nface.mp4 \r\n   \n  # more\n shapes-crossing.mp4\nface.mp4\n"
    try Data(list.utf8).write(to: URL(filePath: folder.file("list.txt")))
    let result = try vstream(["--list", "list.txt", "-o", "{name}-done.mkv", "--detect", "none"])
    #expect(result.status == 0, "\(result.errors)")
    for name in ["face-done.mkv", "shapes-crossing-done.mkv"] {
      #expect(FileManager.default.fileExists(atPath: folder.file(name)))
    }
  }

  static let refused: [(name: String, arguments: [String], expected: String)] = [
    ("one output for two", ["a.mp4", "b.mp4", "-o", "out.mp4"], "is one name for 2 inputs"),
    ("one file of records for two", ["a.mp4", "b.mp4", "-o", "null", "--records", "r.jsonl"], "put {name} into it"),
    ("no output", ["a.mp4", "b.mp4"], "no output is given"),
    ("two kinds of output", ["a.mp4", "-o", "b.mp4", "--output-dir", "out"], "both name outputs"),
    ("inputs of one name", ["a.mp4", "b/a.mp4", "--output-dir", "out"], "would both be written to"),
    (
      "an output that is another input", ["a.mp4", "out_a.mp4", "-o", "out_{name}.mp4", "-y"],
      "would overwrite 'out_a.mp4'"
    ),
    ("records that are another input", ["a.mp4", "./r_a.txt", "-o", "null", "--records", "r_{name}.txt"], "./r_a.txt"),
    ("nothing to go on from", ["a.mp4", "-o", "null", "--resume"], "--resume"),
    ("a list that is not there", ["--list", "none.txt", "--output-dir", "out"], "none.txt"),
  ]

  @Test func `an output folder that is a file is reported once`() throws {
    try copy()
    try Data().write(to: URL(filePath: folder.file("out")))
    let result = try vstream(Self.clips + ["--output-dir", "out"])
    #expect(result.status == 73)
    #expect(result.errors.components(separatedBy: "cannot be created").count == 2, "\(result.errors)")
  }

  @Test(arguments: refused)
  func `invalid names are refused before anything is written`(
    row: (name: String, arguments: [String], expected: String)
  ) throws {
    let result = try vstream(row.arguments)
    #expect([64, 66].contains(result.status), "\(row.name)")
    #expect(result.errors.contains(row.expected), "\(row.name): \(result.errors)")
  }
}
