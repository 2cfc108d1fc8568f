import Foundation
import Testing
import VStreamCore

@testable import VStreamReporting

struct BenchReportTests {
  /// A run of 100 frames, 10 of them warm-up, with a rate of `rate` frames per second.
  private static func run(rate: Double, firstFrame: Double? = 0.25, memory: Int = 50_000_000) -> Statistics {
    var run = Statistics()
    run.counts.framesIn = 100
    run.counts.framesOut = 100
    run.firstFrameSeconds = firstFrame
    run.peakMemoryBytes = memory
    run.steady.frames = 90
    run.steady.seconds = 90 / rate
    run.steady.processorSeconds = 1.8
    run.steady.allocations = 180
    run.steady.copies = 9
    return run
  }

  private static func report(
    _ rates: [Double], what: String = "video.mp4", omitted: [String] = [], processors: Int = 2
  ) -> BenchReport {
    BenchReport(
      what: what, omitted: omitted, warmUpFrames: 10, processors: processors, runs: rates.map { run(rate: $0) })
  }

  private static func baseline(_ report: BenchReport) throws -> BenchBaseline {
    try BenchBaseline(Array(report.json().utf8), path: "base.json")
  }

  private static func bench(_ report: BenchReport) throws -> [String: Any] {
    let json = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
    return try #require(json?["bench"] as? [String: Any])
  }

  @Test(arguments: [([100], 100), ([300, 100, 200], 200), ([400, 100, 300, 200], 200)] as [([Double], Double)])
  func `figures are those of the median run, of two in the middle the slower`(rates: [Double], median: Double) throws {
    let bench = try Self.bench(Self.report(rates))
    #expect(bench["steadyFps"] as? Double == median)
    #expect(bench["steadyFpsPerCore"] as? Double == median / 2)
    #expect(bench["runs"] as? Int == rates.count)
  }

  @Test func `JSON has each figure, by frame where that applies`() throws {
    let bench = try Self.bench(Self.report([100], omitted: ["drawing"]))
    #expect(bench["what"] as? String == "video.mp4")
    #expect(bench["leftOut"] as? [String] == ["drawing"])
    #expect(bench["warmUpFrames"] as? Int == 10)
    #expect(bench["cpuMsPerFrame"] as? Double == 20)
    #expect(bench["firstFrameMs"] as? Double == 250)
    #expect(bench["peakMemoryMB"] as? Double == 50)
    #expect(bench["allocationsPerFrame"] as? Double == 2)
    #expect(bench["copiesPerFrame"] as? Double == 0.1)
    #expect(bench["verdicts"] == nil)
  }

  @Test func `the first frame's time is that of the first run, the memory the largest of all runs`() throws {
    let runs = [
      Self.run(rate: 300, firstFrame: 0.5), Self.run(rate: 200, firstFrame: 0.1, memory: 90_000_000),
      Self.run(rate: 100, firstFrame: 0.2),
    ]
    let bench = try Self.bench(BenchReport(what: "a", omitted: [], warmUpFrames: 0, processors: 1, runs: runs))
    #expect(bench["firstFrameMs"] as? Double == 500)
    #expect(bench["peakMemoryMB"] as? Double == 90)
  }

  @Test func `allocations that were not counted are absent`() throws {
    var run = Self.run(rate: 100)
    run.steady.allocations = nil
    let report = BenchReport(what: "a", omitted: [], warmUpFrames: 0, processors: 0, runs: [run])
    #expect(try Self.bench(report)["allocationsPerFrame"] == nil)
    #expect(report.processors == 1)
    #expect(!report.lines.contains { $0.contains("allocations") })
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let before: Double
    let now: Double
    let judgement: BenchReport.Verdict.Judgement
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "equal", before: 100, now: 100, judgement: .same),
    Row(name: "a tenth faster", before: 100, now: 110, judgement: .same),
    Row(name: "more than a tenth faster", before: 100, now: 111, judgement: .better),
    Row(name: "less than a tenth slower", before: 100, now: 90.5, judgement: .same),
    Row(name: "more than a tenth slower", before: 100, now: 89, judgement: .worse),
  ]

  @Test(arguments: rows) func `a rate is compared with a tolerance of a tenth`(_ row: Row) throws {
    let verdicts = try Self.report([row.now]).verdicts(against: Self.baseline(Self.report([row.before])))
    #expect(
      verdicts.map(\.name) == [
        "steadyFps", "steadyFpsPerCore", "cpuMsPerFrame", "firstFrameMs", "peakMemoryMB", "allocationsPerFrame",
      ])
    #expect(verdicts[0].judgement == row.judgement)
    #expect(verdicts[2].judgement == .same)
  }

  @Test func `less memory is better`() throws {
    func report(_ memory: Int) -> BenchReport {
      BenchReport(
        what: "a", omitted: [], warmUpFrames: 0, processors: 1, runs: [Self.run(rate: 100, memory: memory)])
    }
    let verdicts = try report(40_000_000).verdicts(against: Self.baseline(report(80_000_000)))
    let memory = try #require(verdicts.first { $0.name == "peakMemoryMB" })
    #expect(memory.judgement == .better)
    #expect(memory.text == "peakMemoryMB: 40.0, was 80.0: better (-50 %)")
  }

  @Test func `verdicts are in the JSON`() throws {
    let report = Self.report([120])
    let verdicts = try report.verdicts(against: Self.baseline(Self.report([100])))
    let parsed = try JSONSerialization.jsonObject(with: Data(report.json(verdicts).utf8)) as? [String: Any]
    let list = try #require((parsed?["bench"] as? [String: Any])?["verdicts"] as? [[String: Any]])
    #expect(list.count == verdicts.count)
    #expect(list[0]["name"] as? String == "steadyFps" && list[0]["judgement"] as? String == "better")
    #expect(list[0]["before"] as? Double == 100 && list[0]["now"] as? Double == 120)
  }

  @Test func `a report of an older version, without allocations, is compared in what it has`() throws {
    let json = Self.report([100]).json().replacing("\"allocationsPerFrame\":2.0,", with: "")
    let verdicts = try Self.report([100]).verdicts(against: BenchBaseline(Array(json.utf8), path: "base.json"))
    #expect(verdicts.count == 5)
  }

  @Test func `a report of another run is an error`() throws {
    let baseline = try Self.baseline(Self.report([100], what: "other.mp4"))
    let error = #expect(throws: VStreamError.self) { try Self.report([100]).verdicts(against: baseline) }
    #expect(error?.code == .unreadableInput && error?.message.contains("base.json") == true)
  }

  @Test(arguments: ["", "{}", "[]", "hello", #"{"framesOut":1}"#])
  func `a file that is not a report is an error with its path`(text: String) {
    let error = #expect(throws: VStreamError.self) { try BenchBaseline(Array(text.utf8), path: "base.json") }
    #expect(error?.code == .unreadableInput && error?.message.contains("base.json") == true)
  }

  @Test func `the readable report has rate, range, stages, queues and omissions`() {
    var run = Self.run(rate: 100)
    run.stages[.decode] = DurationHistogram()
    run.stages[.decode]?.add(0.002)
    run.queues = [("toDraw", 1.5)]
    var latency = DurationHistogram()
    latency.add(0.05)
    run.latency = latency
    run.counts.framesPredicted = 3
    let lines = BenchReport(
      what: "video.mp4", omitted: ["encoding"], warmUpFrames: 10, processors: 2,
      runs: [run, Self.run(rate: 200), Self.run(rate: 50)]
    ).lines
    #expect(lines[0] == "video.mp4: 3 runs of 100 frames, from frame 10 on")
    #expect(lines[1].contains("100.0 (50.0 to 200.0), of one core 50.0"))
    #expect(lines.contains { $0.contains("latency") && $0.contains("50.0 ms") })
    #expect(lines.contains { $0.contains("0 detected, 3 predicted") })
    #expect(lines.contains { $0.contains("toDraw: 1.5 frames") })
    #expect(lines.contains { $0.hasPrefix("  decode ") && $0.contains(" 1 ") && $0.contains("2.0") })
    #expect(!lines.contains { $0.hasPrefix("  encode ") }, "a stage without durations")
    #expect(lines.last?.hasSuffix("encoding") == true)
  }
}
