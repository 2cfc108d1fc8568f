internal import FoundationEssentials
package import VStreamCore
internal import VStreamSystem

/// The result of a benchmark: several identical runs.
package struct BenchReport: Sendable {
  /// The run's description, in terms of its options.
  package let what: String
  /// The parts of a full run that these runs omit.
  package let omitted: [String]
  /// The number of frames at the start of each run that rates exclude.
  package let warmUpFrames: Int
  /// The number of processors available to the runs.
  package let processors: Int
  /// By ascending frames per second.
  private let runs: [Statistics]
  /// The first run's value: only that run started with the process.
  private let firstFrameSeconds: Double?

  /// - Parameter runs: at least one.
  package init(what: String, omitted: [String], warmUpFrames: Int, processors: Int, runs: [Statistics]) {
    self.what = what
    self.omitted = omitted
    self.warmUpFrames = warmUpFrames
    self.processors = max(1, processors)
    firstFrameSeconds = runs.first?.firstFrameSeconds
    self.runs = runs.sorted { $0.steady.framesPerSecond < $1.steady.framesPerSecond }
  }

  /// The median run by frames per second; of two in the middle the slower one.
  private var median: Statistics { runs[(runs.count - 1) / 2] }

  // MARK: - Text

  /// The lines of the readable report.
  package var lines: [String] {
    let steady = median.steady
    var lines = [
      "\(what): \(runs.count.counted("run")) of \(median.counts.framesOut) frames, "
        + "from frame \(warmUpFrames) on",
      "  frames a second   \(steady.framesPerSecond.formatted(.measurement)) (\(runs[0].steady.framesPerSecond.formatted(.measurement)) to "
        + "\((runs[runs.count - 1].steady.framesPerSecond).formatted(.measurement))), of one core "
        + (steady.framesPerSecond / Double(processors)).formatted(.measurement),
      "  processor time    \(steady.processorMilliseconds.formatted(.measurement)) ms a frame",
      "  first frame       " + (firstFrameSeconds.map { "\(($0 * 1000).formatted(.measurement)) ms" } ?? "none"),
      "  peak memory       \(runs.map(\.peakMemoryBytes).max().map { $0 / 1_000_000 } ?? 0) MB",
    ]
    if let allocations = steady.allocationsPerFrame {
      lines.append(
        "  allocations       \(allocations.formatted(.measurement)) a frame, by all libraries; "
          + "\(steady.copiesPerFrame.formatted(.measurement)) frames copied for each")
    }
    if let latency = median.latency { lines += liveLines(latency) }
    for queue in median.queues {
      lines.append("  queue \(queue.name): \(queue.mean.formatted(.measurement)) frames on average")
    }
    lines += stageLines
    if !omitted.isEmpty { lines.append("  omitted: \(omitted.joined(separator: ", "))") }
    return lines
  }

  /// A table of the stages' durations.
  private var stageLines: [String] {
    var lines = ["  whole run   times    total s   p50 ms   p95 ms   p99 ms"]
    for stage in Stage.allCases {
      guard let histogram = median.stages[stage], histogram.count > 0 else { continue }
      let numbers = [histogram.total] + [0.5, 0.95, 0.99].map { histogram.percentile($0) * 1000 }
      lines.append(
        "  \(Self.padded(stage.rawValue, -8)) \(Self.padded("\(histogram.count)", 8)) "
          + numbers.map { Self.padded($0.formatted(.measurement), 8) }.joined(separator: " "))
    }
    return lines
  }

  /// Latency and frame counts of a live source, whose frame rate is that of the source.
  private func liveLines(_ latency: DurationHistogram) -> [String] {
    let counts = median.counts
    let times = [0.5, 0.95, 0.99].map { (latency.percentile($0) * 1000).formatted(.measurement) }
    return [
      "  latency           \(times[0]) ms, p95 \(times[1]) ms, p99 \(times[2]) ms",
      "  of \(counts.framesIn) frames in: \(counts.framesDetected) detected, \(counts.framesPredicted) predicted "
        + "(\(counts.framesLateForDetector) of them late), \(counts.framesDropped) dropped",
    ]
  }

  /// - Parameter width: negative for left alignment.
  private static func padded(_ text: String, _ width: Int) -> String {
    let space = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? text + space : space + text
  }

  // MARK: - JSON

  /// The median run's statistics, as `--stats` writes them, with the member `bench`.
  package func json(_ verdicts: [Verdict]? = nil) -> String {
    TextBuffer.json { json in
      median.add(to: &json)
      json.addObject("bench") { bench in
        bench.add("what", what)
        bench.addList("leftOut") { all in for part in omitted { all.addText(part) } }
        bench.add("runs", runs.count)
        bench.add("warmUpFrames", warmUpFrames)
        for figure in figures { bench.add(figure.name, figure.value, places: 3) }
        // Not compared, since it depends on the decoder's lead.
        bench.add("copiesPerFrame", median.steady.copiesPerFrame, places: 3)
        guard let verdicts else { return }
        bench.addList("verdicts") { all in for verdict in verdicts { verdict.add(to: &all) } }
      }
    }
  }

  /// A figure for comparison.
  private struct Figure {
    let name: String
    let value: Double
    let isBetterHigh: Bool
    /// The relative difference between two measurements of the same program on a machine under other load.
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
      // From one run, and longer when files are not in the page cache.
      Figure(name: "firstFrameMs", value: (firstFrameSeconds ?? 0) * 1000, isBetterHigh: false, tolerance: 0.5),
      Figure(
        name: "peakMemoryMB", value: Double(runs.map(\.peakMemoryBytes).max() ?? 0) / 1e6, isBetterHigh: false),
    ] + (allocations.map { [$0] } ?? [])
  }

  // MARK: - Comparison

  /// The comparison of a figure with that of an earlier report.
  package struct Verdict: Sendable {
    package enum Judgement: String, Sendable {
      case better
      case same
      case worse
    }

    package let name: String
    package let before: Double
    package let now: Double
    package let judgement: Judgement

    /// `steadyFps: 120.0, was 100.0: better (+20 %)`.
    package var text: String {
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
  /// - Throws: `VStreamError.unreadableInput` if it describes another run.
  package func verdicts(against baseline: BenchBaseline) throws(VStreamError) -> [Verdict] {
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

/// The JSON report of an earlier benchmark.
package struct BenchBaseline: Sendable {
  let path: String
  fileprivate let contents: Contents

  /// - Parameter json: the report.
  /// - Throws: `VStreamError.unreadableInput` if it is not a benchmark's report.
  package init(_ json: [UInt8], path: String) throws(VStreamError) {
    guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(json)) else {
      throw VStreamError(
        .unreadableInput, "'\(path)' is not a benchmark's JSON", remedy: "give a file that the benchmark wrote as JSON")
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
