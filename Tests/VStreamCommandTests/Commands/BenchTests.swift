import Foundation
import Testing
import VStreamTestSupport

/// `vstream bench`, except its measured times.
struct BenchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bench(_ arguments: [String]) throws -> ProgramResult {
    try Program.vstream(["bench", Checkout.sample("face.mp4"), "--runs", "2", "--warm-up", "10"] + arguments)
  }

  static let rows: [(name: String, options: [String], stages: Set<String>, omitted: [String])] = [
    (
      "a whole run", ["--detect", "faces"],
      ["demux", "decode", "sample", "infer", "track", "draw", "encode", "mux"], ["writing to a disk"]
    ),
    (
      "not encoded", ["--detect", "faces", "--no-encode"], ["demux", "decode", "sample", "infer", "track"],
      ["drawing", "encoding", "writing"]
    ),
    ("decoding", ["--decode-only"], ["demux", "decode"], ["detecting", "drawing", "encoding", "writing"]),
  ]

  @Test(arguments: rows)
  func `the report has the time of each stage, and the omitted stages`(
    row: (name: String, options: [String], stages: Set<String>, omitted: [String])
  ) throws {
    let result = try bench(row.options + ["--json"])
    #expect(result.status == 0, "\(result.errors)")
    let report = try JSON(result.text)
    #expect(report["framesOut"].int == 120)
    #expect(report["bench"]["runs"].int == 2)
    #expect(report["bench"]["leftOut"].list?.compactMap(\.string) == row.omitted)
    for stage in row.stages { #expect((report["stages"][stage]["count"].int ?? 0) >= 120, "\(row.name): \(stage)") }
    let other = Set(["sample", "infer", "draw", "encode", "mux"]).subtracting(row.stages)
    for stage in other { #expect((report["stages"][stage]["count"].int ?? 0) == 0, "\(row.name): \(stage)") }
    for figure in ["steadyFps", "steadyFpsPerCore", "cpuMsPerFrame", "peakMemoryMB"] {
      #expect((report["bench"][figure].double ?? 0) > 0, "\(row.name): \(figure)")
    }
  }

  struct Cost: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let options: [String]
    /// The maximum of allocations per frame, mostly by FFmpeg and OpenVINO: a tenth more than measured.
    let allocations: Double
    /// The maximum of copies per frame: of frames that the decoder still references when they are drawn on.
    let copies: Double
  }

  @Test(arguments: [
    Cost(testDescription: "decoding", options: ["--decode-only"], allocations: 120, copies: 0),
    Cost(testDescription: "encoding", options: ["--detect", "none"], allocations: 185, copies: 0),
    Cost(
      testDescription: "objects in whole frames", options: ["--detect", "objects", "--detect-every", "1"],
      allocations: 1800, copies: 0.6),
    Cost(
      testDescription: "objects in parts of frames", options: ["--detect", "objects", "--accuracy", "balanced"],
      allocations: 3800, copies: 0.6),
  ])
  func `allocations and copies per frame stay within their limits`(cost: Cost) throws {
    #if SANITIZE_ADDRESS || SANITIZE_THREAD  // sanitizers replace the allocator themselves
      let counter: [String: String] = [:]
    #else
      let counter = ["LD_PRELOAD": Checkout.root.appending(path: ".build/debug/libvstream-allocations.so").path]
    #endif
    let result = try Program.vstream(
      ["bench", Checkout.sample("street.avi"), "--runs", "1", "--duration", "15", "--json"] + cost.options,
      environment: counter)
    #expect(result.status == 0, "\(result.errors)")
    let bench = try JSON(result.text)["bench"]
    let copies = try #require(bench["copiesPerFrame"].double)
    #if SANITIZE_ADDRESS || SANITIZE_THREAD
      #expect(bench["allocationsPerFrame"].double == nil)
    #else
      let allocations = try #require(bench["allocationsPerFrame"].double)
      #expect(allocations > 0 && allocations <= cost.allocations)
    #endif
    #expect(copies <= cost.copies)
  }

  @Test func `the program alone does not count allocations`() throws {
    let result = try bench(["--decode-only", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try JSON(result.text)["bench"]["allocationsPerFrame"].double == nil)
  }

  /// A baseline that is faster than any run, and one that is slower.
  @Test(arguments: [(1e9, 1, "worse"), (1e-9, 0, "better")])
  func `a comparison distinguishes faster from slower`(factor: Double, status: Int32, expected: String) throws {
    try writeBaseline(what: "face.mp4 --decode-only", factor)
    let compared = try bench(["--decode-only", "--compare", folder.file("before.json")])
    #expect(compared.status == status, "\(compared.errors)")
    #expect(compared.text.contains("steadyFps: ") && compared.text.contains(expected), "\(compared.text)")

    let asJSON = try bench(["--decode-only", "--json", "--compare", folder.file("before.json")])
    let verdicts = try #require(try JSON(asJSON.text)["bench"]["verdicts"].list)
    #expect(verdicts.compactMap { $0["name"].string }.contains("cpuMsPerFrame"))
    #expect(Set(verdicts.compactMap { $0["judgement"].string }) == [expected])
  }

  private func writeBaseline(what: String, _ factor: Double, frames: Int = 120) throws {
    let baseline = """
      {"framesOut":\(frames),"bench":{"what":"\(what)","warmUpFrames":10,"steadyFps":\(factor),\
      "steadyFpsPerCore":\(factor),"cpuMsPerFrame":\(1 / factor),"firstFrameMs":\(1 / factor),\
      "peakMemoryMB":\(1 / factor)}}
      """
    try Data(baseline.utf8).write(to: URL(filePath: folder.file("before.json")))
  }

  /// Each row is compared with a baseline of 120 frames of `face.mp4 --decode-only`.
  @Test(arguments: [
    ("other options", ["--detect", "none"], "'face.mp4 --detect none'"),
    ("an option more", ["--decode-only", "--threads=1"], "'face.mp4 --decode-only --threads 1'"),
    ("fewer frames", ["--decode-only", "--duration", "2"], "'face.mp4 --decode-only --duration 2'"),
  ])
  func `only runs of the same input and options are compared`(name: String, options: [String], expected: String) throws
  {
    try writeBaseline(what: "face.mp4 --decode-only", 100)
    let result = try bench(options + ["--compare", folder.file("before.json")])
    #expect(result.status == 65, "\(name)")
    #expect(result.errors.contains(expected), "\(name): \(result.errors)")
  }

  @Test func `a clip that was shortened since the baseline is not compared`() throws {
    try writeBaseline(what: "face.mp4 --decode-only", 100, frames: 121)
    let result = try bench(["--decode-only", "--compare", folder.file("before.json")])
    #expect(result.status == 65)
    #expect(result.errors.contains("121 frames") && result.errors.contains("120 frames"), "\(result.errors)")
  }

  @Test func `a live source is reported with its latency`() throws {
    let result = try bench(["--realtime", "--detect", "none"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("  latency  ") && result.text.contains("of 120 frames in: "), "\(result.text)")
  }

  static let refused: [(name: String, options: [String], expected: String)] = [
    ("an output", ["-o", "x.mp4"], "bench writes nothing"),
    ("records", ["--records", "x.jsonl"], "bench writes nothing"),
    ("too short", ["--warm-up", "1000", "--decode-only"], "a smaller --warm-up"),
    ("no runs", ["--runs", "0"], "--runs 0"),
    ("two inputs", ["other.mp4", "--decode-only"], "2 inputs are given"),
    ("a folder for outputs", ["--output-dir", "x"], "--output-dir"),
    ("a detector that does not run", ["--decode-only", "--detect", "faces"], "nothing is detected"),
    ("a redaction that does not happen", ["--decode-only", "--redact", "blur"], "nothing is redacted"),
    ("another baseline", ["--decode-only", "--compare", "/dev/null"], "not a benchmark's JSON"),
  ]

  @Test func `a source that can be read only once is refused for several runs`() throws {
    let twice = try Program.run(
      "/bin/sh", ["-c", "cat '\(Checkout.sample("face.mp4"))' | '\(Program.vstreamPath)' bench - --detect none"])
    #expect(twice.status == 64)
    #expect(twice.errors.contains("--runs 1"), "\(twice.errors)")
  }

  @Test func `a signal ends the benchmark in any of its runs`() throws {
    let program = try RunningProgram(
      ["bench", Checkout.sample("face.mp4"), "--realtime", "--detect", "none", "--progress", "always"])
    #expect(program.waitUntil { $0.contains("2/3 ") })
    program.send(SIGINT)
    #expect(program.wait() == 130)
  }

  @Test(arguments: refused)
  func `an unsupported option is an error`(row: (name: String, options: [String], expected: String)) throws {
    let result = try bench(row.options)
    #expect(result.status != 0)
    #expect(result.errors.contains(row.expected), "\(row.name): \(result.errors)")
  }
}
