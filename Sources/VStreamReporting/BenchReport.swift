internal import FoundationEssentials
public import VStreamScene

/// What a benchmark measured: the same run several times.
public struct BenchReport: Sendable {
  /// What was run, in its options' words.
  public let what: String
  /// What a full run does and these did not.
  public let leftOut: [String]
  /// Frames at each run's beginning that rates do not count.
  public let warmUpFrames: Int
  /// Processors that the runs could use.
  public let processors: Int
  private let runs: [Statistics]

  /// - Parameter runs: at least one.
  public init(what: String, leftOut: [String], warmUpFrames: Int, processors: Int, runs: [Statistics]) {
    self.what = what
    self.leftOut = leftOut
    self.warmUpFrames = warmUpFrames
    self.processors = max(1, processors)
    self.runs = runs.sorted { $0.steady.framesPerSecond < $1.steady.framesPerSecond }
  }

  /// The run in the middle, by frames per second.
  private var median: Statistics { runs[runs.count / 2] }

  // MARK: - Text

  /// Lines for people.
  public var lines: [String] {
    let steady = median.steady
    var lines = [
      "\(what): \(runs.count) runs of \(median.counts.framesOut) frames, from frame \(warmUpFrames) on",
      "  frames a second   \(Self.decimal(steady.framesPerSecond)) (\(Self.decimal(runs[0].steady.framesPerSecond)) to "
        + "\(Self.decimal(runs[runs.count - 1].steady.framesPerSecond))), of one core "
        + Self.decimal(steady.framesPerSecond / Double(processors)),
      "  processor time    \(Self.decimal(steady.processorMilliseconds)) ms a frame",
      "  first frame       " + (median.firstFrameSeconds.map { "\(Self.decimal($0 * 1000)) ms" } ?? "none"),
      "  memory, at most   \(runs.map(\.peakMemoryBytes).max().map { $0 / 1_000_000 } ?? 0) MB",
    ]
    if let allocations = steady.allocationsPerFrame {
      lines.append(
        "  memory was taken  \(Self.decimal(allocations)) times a frame, by all libraries; "
          + "\(Self.decimal(steady.copiesPerFrame)) frames copied for each")
    }
    for queue in median.queues {
      lines.append("  waiting, \(queue.name): \(Self.decimal(queue.mean)) frames on average")
    }
    lines.append("  stage       times    total s   p50 ms   p95 ms   p99 ms")
    for stage in Stage.allCases {
      guard let histogram = median.stages[stage], histogram.count > 0 else { continue }
      let numbers = [histogram.total] + [0.5, 0.95, 0.99].map { histogram.percentile($0) * 1000 }
      lines.append(
        "  \(Self.padded(stage.rawValue, -8)) \(Self.padded("\(histogram.count)", 8)) "
          + numbers.map { Self.padded(Self.decimal($0), 8) }.joined(separator: " "))
    }
    if !leftOut.isEmpty { lines.append("  left out: \(leftOut.joined(separator: ", "))") }
    return lines
  }

  private static func decimal(_ value: Double) -> String { JSONText.number(value, places: value < 10 ? 2 : 1) }

  /// - Parameter width: below 0 for text that begins at the left.
  private static func padded(_ text: String, _ width: Int) -> String {
    let space = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? text + space : space + text
  }

  // MARK: - JSON

  /// The median run as `--stats` has it, and `bench` beside it.
  public var json: String {
    JSONText.object { json in
      median.add(to: &json)
      json.addRaw(
        "bench",
        JSONText.object { bench in
          bench.add("what", what)
          bench.add("leftOut", list: leftOut.map(JSONText.quoted))
          bench.add("runs", runs.count)
          bench.add("warmUpFrames", warmUpFrames)
          for figure in figures { bench.add(figure.name, figure.value, places: 3) }
          // Not compared, as it depends on how far ahead the decoder is.
          bench.add("copiesPerFrame", median.steady.copiesPerFrame, places: 3)
        })
    }
  }

  /// A figure that can be compared.
  private struct Figure {
    let name: String
    let value: Double
    let isBetterHigh: Bool
  }

  private var figures: [Figure] {
    let steady = median.steady
    let allocations = steady.allocationsPerFrame.map {
      Figure(name: "allocationsPerFrame", value: $0, isBetterHigh: false)
    }
    return [
      Figure(name: "steadyFps", value: steady.framesPerSecond, isBetterHigh: true),
      Figure(name: "steadyFpsPerCore", value: steady.framesPerSecond / Double(processors), isBetterHigh: true),
      Figure(name: "cpuMsPerFrame", value: steady.processorMilliseconds, isBetterHigh: false),
      Figure(name: "firstFrameMs", value: (median.firstFrameSeconds ?? 0) * 1000, isBetterHigh: false),
      Figure(
        name: "peakMemoryMB", value: Double(runs.map(\.peakMemoryBytes).max() ?? 0) / 1e6, isBetterHigh: false),
    ] + (allocations.map { [$0] } ?? [])
  }

  // MARK: - Comparison

  /// How a figure stands to that of an earlier report.
  public struct Verdict: Sendable {
    public enum Judgement: String, Sendable {
      case better
      case same
      case worse
    }

    public let name: String
    public let before: Double
    public let now: Double
    public let judgement: Judgement

    /// `steadyFps: 120.0, was 100.0: better (+20 %)`.
    public var text: String {
      let change = before > 0 ? Int(clamping: ((now / before - 1) * 100).rounded()) : 0
      return "\(name): \(BenchReport.decimal(now)), was \(BenchReport.decimal(before)): \(judgement.rawValue) "
        + "(\(change >= 0 ? "+" : "")\(change) %)"
    }
  }

  /// What two measurements of the same differ by on a machine that does other things as well.
  private static let tolerance = 0.1

  /// Compares with an earlier report.
  ///
  /// - Parameter baseline: its JSON.
  /// - Throws: `VStreamError.unreadableInput` if it is not one, or is one of something else.
  public func verdicts(against baseline: [UInt8], named path: String) throws(VStreamError) -> [Verdict] {
    guard let earlier = try? JSONDecoder().decode(Baseline.self, from: Data(baseline)) else {
      throw VStreamError(
        .unreadableInput, "'\(path)' is not a benchmark's JSON", remedy: "'vstream bench INPUT --json' writes one")
    }
    guard earlier.bench.what == what else {
      throw VStreamError(
        .unreadableInput, "'\(path)' is of '\(earlier.bench.what)', and this is '\(what)'",
        remedy: "compare runs with the same options")
    }
    let bench = earlier.bench
    let before = [
      bench.steadyFps, bench.steadyFpsPerCore, bench.cpuMsPerFrame, bench.firstFrameMs, bench.peakMemoryMB,
      bench.allocationsPerFrame,
    ]
    return zip(figures, before).compactMap { figure, before in
      guard let before else { return nil }
      let gain = (figure.isBetterHigh ? figure.value - before : before - figure.value) / max(before, 1e-9)
      return Verdict(
        name: figure.name, before: before, now: figure.value,
        judgement: gain > Self.tolerance ? .better : gain < -Self.tolerance ? .worse : .same)
    }
  }

  private struct Baseline: Decodable {
    struct Bench: Decodable {
      let what: String
      let steadyFps: Double
      let steadyFpsPerCore: Double
      let cpuMsPerFrame: Double
      let firstFrameMs: Double
      let peakMemoryMB: Double
      // Not in reports of older versions.
      let allocationsPerFrame: Double?
    }

    let bench: Bench
  }
}
