internal import FoundationEssentials
public import VStreamScene
internal import VStreamSystem

/// What a benchmark measured: the same run several times.
public struct BenchReport: Sendable {
  /// What was run, in its options' words.
  public let what: String
  /// What a full run does and these did not.
  public let omitted: [String]
  /// Frames at each run's beginning that rates do not count.
  public let warmUpFrames: Int
  /// Processors that the runs could use.
  public let processors: Int
  /// By frames a second, the slowest first.
  private let runs: [Statistics]
  /// Of the first run: the only one that began with the process.
  private let firstFrameSeconds: Double?

  /// - Parameter runs: at least one.
  public init(what: String, omitted: [String], warmUpFrames: Int, processors: Int, runs: [Statistics]) {
    self.what = what
    self.omitted = omitted
    self.warmUpFrames = warmUpFrames
    self.processors = max(1, processors)
    firstFrameSeconds = runs.first?.firstFrameSeconds
    self.runs = runs.sorted { $0.steady.framesPerSecond < $1.steady.framesPerSecond }
  }

  /// The run in the middle, by frames per second; of two there the slower.
  private var median: Statistics { runs[(runs.count - 1) / 2] }

  // MARK: - Text

  /// Lines for people.
  public var lines: [String] {
    let steady = median.steady
    var lines = [
      "\(what): \(runs.count) \(runs.count == 1 ? "run" : "runs") of \(median.counts.framesOut) frames, "
        + "from frame \(warmUpFrames) on",
      "  frames a second   \(steady.framesPerSecond.formatted(.measurement)) (\(runs[0].steady.framesPerSecond.formatted(.measurement)) to "
        + "\((runs[runs.count - 1].steady.framesPerSecond).formatted(.measurement))), of one core "
        + (steady.framesPerSecond / Double(processors)).formatted(.measurement),
      "  processor time    \(steady.processorMilliseconds.formatted(.measurement)) ms a frame",
      "  first frame       " + (firstFrameSeconds.map { "\(($0 * 1000).formatted(.measurement)) ms" } ?? "none"),
      "  memory, at most   \(runs.map(\.peakMemoryBytes).max().map { $0 / 1_000_000 } ?? 0) MB",
    ]
    if let allocations = steady.allocationsPerFrame {
      lines.append(
        "  memory was taken  \(allocations.formatted(.measurement)) times a frame, by all libraries; "
          + "\(steady.copiesPerFrame.formatted(.measurement)) frames copied for each")
    }
    if let latency = median.latency { lines += liveLines(latency) }
    for queue in median.queues {
      lines.append("  waiting, \(queue.name): \(queue.mean.formatted(.measurement)) frames on average")
    }
    lines.append("  whole run   times    total s   p50 ms   p95 ms   p99 ms")
    for stage in Stage.allCases {
      guard let histogram = median.stages[stage], histogram.count > 0 else { continue }
      let numbers = [histogram.total] + [0.5, 0.95, 0.99].map { histogram.percentile($0) * 1000 }
      lines.append(
        "  \(Self.padded(stage.rawValue, -8)) \(Self.padded("\(histogram.count)", 8)) "
          + numbers.map { Self.padded($0.formatted(.measurement), 8) }.joined(separator: " "))
    }
    if !omitted.isEmpty { lines.append("  left out: \(omitted.joined(separator: ", "))") }
    return lines
  }

  /// What a live source's user asks for first; its frames a second are those that it sends.
  private func liveLines(_ latency: DurationHistogram) -> [String] {
    let counts = median.counts
    let times = [0.5, 0.95, 0.99].map { (latency.percentile($0) * 1000).formatted(.measurement) }
    return [
      "  latency           \(times[0]) ms, p95 \(times[1]) ms, p99 \(times[2]) ms",
      "  of \(counts.framesIn) frames in: \(counts.framesDetected) detected, \(counts.framesPredicted) predicted "
        + "(\(counts.framesLateForDetector) of them late), \(counts.framesDropped) dropped",
    ]
  }

  /// - Parameter width: below 0 for text that begins at the left.
  private static func padded(_ text: String, _ width: Int) -> String {
    let space = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? text + space : space + text
  }

  // MARK: - JSON

  /// The median run as `--stats` has it, and `bench` beside it.
  public func json(_ verdicts: [Verdict]? = nil) -> String {
    TextBuffer.json { json in
      median.add(to: &json)
      json.addObject("bench") { bench in
        bench.add("what", what)
        bench.addList("omitted") { all in for part in omitted { all.addText(part) } }
        bench.add("runs", runs.count)
        bench.add("warmUpFrames", warmUpFrames)
        for figure in figures { bench.add(figure.name, figure.value, places: 3) }
        // Not compared, as it depends on how far ahead the decoder is.
        bench.add("copiesPerFrame", median.steady.copiesPerFrame, places: 3)
        guard let verdicts else { return }
        bench.addList("verdicts") { all in for verdict in verdicts { verdict.add(to: &all) } }
      }
    }
  }

  /// A figure that can be compared.
  private struct Figure {
    let name: String
    let value: Double
    let isBetterHigh: Bool
    /// What two measurements of the same differ by on a machine that does other things as well.
    var tolerance = 0.1
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
      // Of one run, and longer where files are read for the first time.
      Figure(name: "firstFrameMs", value: (firstFrameSeconds ?? 0) * 1000, isBetterHigh: false, tolerance: 0.5),
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
      return "\(name): \(now.formatted(.measurement)), was \(before.formatted(.measurement)): \(judgement.rawValue) "
        + "(\(change >= 0 ? "+" : "")\(change) %)"
    }

    fileprivate func add(to list: inout TextBuffer) {
      list.addObject { json in
        json.add("name", name)
        json.add("before", before, places: 3)
        json.add("now", now, places: 3)
        json.add("judgement", judgement.rawValue)
      }
    }
  }

  /// Compares with an earlier report.
  ///
  /// - Parameter baseline: its JSON.
  /// - Throws: `VStreamError.unreadableInput` if it is one of something else.
  public func verdicts(against baseline: BenchBaseline) throws(VStreamError) -> [Verdict] {
    func about(_ what: String, _ frames: Int, _ warmUp: Int) -> String {
      "'\(what)', \(frames) frames, counted from frame \(warmUp) on"
    }
    let bench = baseline.contents.bench
    let before = about(bench.what, baseline.contents.framesOut, bench.warmUpFrames)
    let now = about(what, median.counts.framesOut, warmUpFrames)
    guard before == now else {
      throw VStreamError(
        .unreadableInput, "'\(baseline.path)' is of \(before), and this is of \(now)",
        remedy: "compare runs with the same options")
    }
    let earlier = [
      bench.steadyFps, bench.steadyFpsPerCore, bench.cpuMsPerFrame, bench.firstFrameMs, bench.peakMemoryMB,
      bench.allocationsPerFrame,
    ]
    return zip(figures, earlier).compactMap { figure, before in
      guard let before else { return nil }
      let gain = (figure.isBetterHigh ? figure.value - before : before - figure.value) / max(before, 1e-9)
      return Verdict(
        name: figure.name, before: before, now: figure.value,
        judgement: gain > figure.tolerance ? .better : gain < -figure.tolerance ? .worse : .same)
    }
  }
}

/// What an earlier benchmark measured.
public struct BenchBaseline: Sendable {
  let path: String
  fileprivate let contents: Contents

  /// - Parameter json: what the benchmark printed, and the file that it is from.
  /// - Throws: `VStreamError.unreadableInput` if it is no benchmark's.
  public init(_ json: [UInt8], path: String) throws(VStreamError) {
    guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(json)) else {
      throw VStreamError(
        .unreadableInput, "'\(path)' is not a benchmark's JSON", remedy: "'vstream bench INPUT --json' writes one")
    }
    self.path = path
    self.contents = contents
  }

  fileprivate struct Contents: Decodable {
    struct Bench: Decodable {
      let what: String
      let warmUpFrames: Int
      let steadyFps: Double
      let steadyFpsPerCore: Double
      let cpuMsPerFrame: Double
      let firstFrameMs: Double
      let peakMemoryMB: Double
      // Not in reports of older versions.
      let allocationsPerFrame: Double?
    }

    let framesOut: Int
    let bench: Bench
  }
}
