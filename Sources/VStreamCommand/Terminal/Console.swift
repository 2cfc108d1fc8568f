internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene
internal import VStreamSystem

/// What a run says while it goes and at its end, on standard error.
final class Console {
  private let showsProgress: Bool
  /// Goes before the line that shows how far it is.
  private let place: String
  private let level: RunningOptions.LogLevel
  /// Seconds from one line of JSON to the next; `nil` for none.
  private let statusInterval: Double?
  private var nextStatus: Double
  /// Latencies since the last line of JSON.
  private var latency = DurationHistogram()
  private var meter = RateMeter()

  init(_ running: RunningOptions, place: String = "") throws(VStreamError) {
    self.place = place
    level = running.level
    showsProgress =
      switch running.progress {
      case .always: true
      case .never: false
      case .auto: Terminal.isInteractive && level != .error
      }
    if let seconds = running.statsEvery, !(seconds > 0 && seconds < 1e9) {
      throw usageError("--stats-every", "\(seconds)", "is not a time", remedy: "give more than 0 seconds")
    }
    statusInterval = running.statsEvery
    nextStatus = running.statsEvery ?? .infinity
    if level == .info { LibAV.echoMessages(.warning) }
    if level == .debug { LibAV.echoMessages(.info) }
  }

  /// Says what there is to say, and shows how far it is over the line before.
  func show(_ progress: PipelineProgress) {
    var status = LiveStatus(
      seconds: progress.elapsedSeconds, counts: progress.counts,
      rates: meter.rates(of: progress.counts, at: progress.elapsedSeconds), latency: progress.latency,
      tracks: progress.tracks)
    if level != .error, !progress.messages.isEmpty {
      clear()
      for message in progress.messages { Terminal.printLine("vstream: \(message.commandText)") }
    }
    let line = place + (progress.isLive ? status.text : howFar(progress))
    latency.merge(progress.latency)
    if let statusInterval, progress.elapsedSeconds >= nextStatus {
      clear()
      status.latency = latency
      Terminal.printLine(status.json)
      latency = DurationHistogram()
      nextStatus = max(nextStatus, progress.elapsedSeconds) + statusInterval
    }
    guard showsProgress else { return }
    Terminal.write("\r\u{1B}[K\(line.prefix(max(10, Terminal.columns - 1)))")
  }

  /// ` 45 %  358 of 795 frames  130 fps  3 s left`.
  private func howFar(_ progress: PipelineProgress) -> String {
    let framesOut = progress.counts.framesOut
    let rate = progress.elapsedSeconds > 0 ? Double(framesOut) / progress.elapsedSeconds : 0
    var parts: [String] = []
    if let expected = progress.framesExpected, expected > 0 {
      let share = Int(min(100, 100 * Double(framesOut) / Double(expected)))
      parts = ["\(share) %", "\(framesOut) of \(max(expected, framesOut)) frames"]
    } else {
      parts = ["\(framesOut) frames"]
    }
    parts.append("\(Int(clamping: rate)) fps")
    if let expected = progress.framesExpected, rate > 0, expected > framesOut {
      parts.append("\((Double(expected - framesOut) / rate).formatted(.duration)) left")
    }
    return parts.joined(separator: "  ")
  }

  /// Takes the progress line away.
  func clear() {
    if showsProgress { Terminal.write("\r\u{1B}[K") }
  }

  /// A summary on one line, and with `--verbose` the stages' times.
  func conclude(_ result: PipelineResult, output: String) {
    guard level != .error else { return }
    Terminal.printLine(summary(result, output: output))
    if level == .info || level == .debug { printStages(result.statistics) }
  }

  /// What was found in the clear, the first of it each on a line, and a summary.
  func conclude(_ check: ResidualReport, output: String) {
    for residual in check.residuals.prefix(Self.maximumResiduals) {
      Terminal.printLine(
        "vstream: \(output): \(residual.label) in the clear at \(residual.seconds.formatted(.decimals(1))) s "
          + "(frame \(residual.frame), score \(Self.percent(residual.score)), "
          + "\(Self.percent(residual.coveredFraction)) covered)")
    }
    guard level != .error || !check.residuals.isEmpty else { return }
    Terminal.printLine(
      "\(output): verified, \(check.frames) frames, \(check.residuals.count) found in the clear, "
        + "\(check.coveredHits) in covered places")
  }

  private static let maximumResiduals = 20

  private static func percent(_ share: Double) -> String { "\(Int(clamping: share * 100)) %" }

  private func summary(_ result: PipelineResult, output: String) -> String {
    let statistics = result.statistics
    var text = "\(output): \(statistics.counts.framesOut) frames in \(statistics.wallSeconds.formatted(.decimals(1))) s"
    text += " (\(statistics.framesPerSecond.formatted(.decimals(1))) fps)"
    let tracked = result.tracksByLabel.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !tracked.isEmpty {
      text +=
        ", \(result.mode == .stream ? "tracked" : "found") "
        + tracked.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    if let counted = result.counted { text += Self.countSummary(counted) }
    if result.isLive { text += liveSummary(statistics) }
    if let redacted = result.framesRedacted { text += ", something redacted in \(redacted)" }
    if statistics.counts.corruptPackets > 0 { text += ", \(statistics.counts.corruptPackets) damaged packets" }
    if result.wasStopped { text += ", stopped" }
    if result.canWait, statistics.counts.framesLateForDetector > 0 {
      text += "; not every frame was looked at (--late wait does)"
    }
    return String(text.map { $0.isNewline ? " " : $0 })
  }

  /// `, door: 12 person, gate: 3 person to the right, 1 person to the left`.
  private static func countSummary(_ counted: RegionCounts) -> String {
    let list = { (counts: [String: Int]) in
      let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return sorted.isEmpty ? "nothing" : sorted.map { "\($0.value) \($0.key)" }.joined(separator: " ")
    }
    let zones = counted.zones.map { ", \($0.name): \(list($0.entered))" }
    let lines = counted.lines.map { ", \($0.name): \(list($0.toRight)) to the right, \(list($0.toLeft)) to the left" }
    return (zones + lines).joined()
  }

  private func liveSummary(_ statistics: Statistics) -> String {
    let counts = statistics.counts
    var text =
      ", \(counts.framesDetected) detected, \(counts.framesLateForDetector) late, \(counts.framesDropped) dropped"
    if let latency = statistics.latency, latency.count > 0 {
      let (usual, worst) = (latency.percentile(0.5), latency.percentile(0.99))
      text += ", latency p50 \(Int(clamping: usual * 1000)) ms, p99 \(Int(clamping: worst * 1000)) ms"
    }
    return text
  }

  private func printStages(_ statistics: Statistics) {
    for stage in Stage.allCases {
      guard let histogram = statistics.stages[stage], histogram.count > 0 else { continue }
      let name = stage.rawValue + String(repeating: " ", count: 8 - stage.rawValue.count)
      Terminal.printLine(
        "  \(name) \(histogram.count) times, \(histogram.total.formatted(.decimals(1))) s, "
          + "p50 \((histogram.percentile(0.5) * 1000).formatted(.decimals(1))) ms, "
          + "p99 \((histogram.percentile(0.99) * 1000).formatted(.decimals(1))) ms")
    }
  }
}
