import Foundation
import Testing
import VStreamTestSupport

/// `vstream bench`, but for how fast anything is.
struct BenchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bench(_ arguments: [String]) throws -> ProgramResult {
    try Program.vstream(["bench", Checkout.sample("face.mp4"), "--runs", "2", "--warm-up", "10"] + arguments)
  }

  static let rows: [(name: String, options: [String], stages: Set<String>, leftOut: [String])] = [
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
  func `says what each stage took, and what was left out`(
    row: (name: String, options: [String], stages: Set<String>, leftOut: [String])
  ) throws {
    let result = try bench(row.options + ["--json"])
    #expect(result.status == 0, "\(result.errors)")
    let report = try JSON(result.text)
    #expect(report["framesOut"].int == 120)
    #expect(report["bench"]["runs"].int == 2)
    #expect(report["bench"]["leftOut"].list?.compactMap(\.string) == row.leftOut)
    for stage in row.stages { #expect((report["stages"][stage]["count"].int ?? 0) >= 120, "\(row.name): \(stage)") }
    let other = Set(["sample", "infer", "encode", "mux"]).subtracting(row.stages)
    for stage in other { #expect((report["stages"][stage]["count"].int ?? 0) == 0, "\(row.name): \(stage)") }
    for figure in ["steadyFps", "steadyFpsPerCore", "cpuMsPerFrame", "peakMemoryMB"] {
      #expect((report["bench"][figure].double ?? 0) > 0, "\(row.name): \(figure)")
    }
  }

  struct Cost: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let options: [String]
    /// How often memory is taken for a frame, at most: a tenth more than was measured, mostly by FFmpeg and OpenVINO.
    let allocations: Double
    /// How many of the frames are copied, at most: those that the decoder still needs when they are drawn on.
    let copies: Double
  }

  @Test(arguments: [
    Cost(testDescription: "decoding", options: ["--decode-only"], allocations: 120, copies: 0),
    Cost(testDescription: "coding", options: ["--detect", "none"], allocations: 185, copies: 0),
    Cost(testDescription: "objects", options: ["--detect", "objects"], allocations: 1800, copies: 0.6),
  ])
  func `no frame takes memory more often, or is copied more often, than it has to`(cost: Cost) throws {
    let result = try Program.vstream(
      ["bench", Checkout.sample("street.avi"), "--runs", "1", "--duration", "15", "--json"] + cost.options)
    #expect(result.status == 0, "\(result.errors)")
    let bench = try JSON(result.text)["bench"]
    let allocations = try #require(bench["allocationsPerFrame"].double)
    let copies = try #require(bench["copiesPerFrame"].double)
    #expect(allocations > 0 && allocations <= cost.allocations)
    #expect(copies <= cost.copies)
  }

  /// A baseline that nothing reaches, and one that everything beats.
  @Test(arguments: [(1e9, 1, "worse"), (1e-9, 0, "better")])
  func `a comparison tells better from worse`(factor: Double, status: Int32, says: String) throws {
    let result = try bench(["--decode-only", "--json"])
    let bench = try JSON(result.text)["bench"]
    let what = try #require(bench["what"].string)
    let baseline = """
      {"bench":{"what":"\(what)","steadyFps":\(factor),"steadyFpsPerCore":\(factor),"cpuMsPerFrame":\(1 / factor),\
      "firstFrameMs":\(1 / factor),"peakMemoryMB":\(1 / factor)}}
      """
    try Data(baseline.utf8).write(to: URL(filePath: folder.file("before.json")))
    let compared = try self.bench(["--decode-only", "--compare", folder.file("before.json")])
    #expect(compared.status == status)
    #expect(compared.text.contains("steadyFps: ") && compared.text.contains(says), "\(compared.text)")
  }

  static let refused: [(name: String, options: [String], says: String)] = [
    ("an output", ["-o", "x.mp4"], "bench writes nothing"),
    ("records", ["--records", "x.jsonl"], "bench writes nothing"),
    ("too short", ["--warm-up", "1000", "--decode-only"], "a smaller --warm-up"),
    ("no runs", ["--runs", "0"], "--runs 0"),
    ("another baseline", ["--decode-only", "--compare", "/dev/null"], "not a benchmark's JSON"),
  ]

  @Test(arguments: refused)
  func `what it cannot do is said`(row: (name: String, options: [String], says: String)) throws {
    let result = try bench(row.options)
    #expect(result.status != 0)
    #expect(result.errors.contains(row.says), "\(row.name): \(result.errors)")
  }
}
