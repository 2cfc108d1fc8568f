internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamScene

/// What a run says while it goes and at its end, on standard error.
struct Console {
  private let showsProgress: Bool
  private let level: RunningOptions.LogLevel

  init(_ running: RunningOptions) {
    level = running.level
    showsProgress =
      switch running.progress {
      case .always: true
      case .never: false
      case .auto: Terminal.isInteractive && level != .error
      }
    if level == .info { LibAV.echoMessages(.warning) }
    if level == .debug { LibAV.echoMessages(.info) }
  }

  /// ` 45 %  358 of 795 frames  130 fps  3 s left`, over the line before.
  func show(_ progress: PipelineProgress) {
    guard showsProgress else { return }
    let rate = progress.elapsedSeconds > 0 ? Double(progress.framesOut) / progress.elapsedSeconds : 0
    var parts: [String] = []
    if let expected = progress.framesExpected, expected > 0 {
      let share = Int(min(100, 100 * Double(progress.framesOut) / Double(expected)))
      parts = ["\(share) %", "\(progress.framesOut) of \(max(expected, progress.framesOut)) frames"]
    } else {
      parts = ["\(progress.framesOut) frames"]
    }
    parts.append("\(Int(clamping: rate)) fps")
    if let expected = progress.framesExpected, rate > 0, expected > progress.framesOut {
      parts.append("\(Self.duration(Double(expected - progress.framesOut) / rate)) left")
    }
    let line = parts.joined(separator: "  ")
    Terminal.write("\r\u{1B}[K\(line.prefix(max(10, Terminal.columns - 1)))")
  }

  /// Takes the progress line away.
  func clear() {
    if showsProgress { Terminal.write("\r\u{1B}[K") }
  }

  /// Warnings, a summary on one line, and with `--verbose` the stages' times.
  func conclude(_ result: PipelineResult, output: String) {
    guard level != .error else { return }
    for warning in result.warnings { Terminal.printLine("vstream: warning: \(warning)") }
    Terminal.printLine(summary(result, output: output))
    if level == .info || level == .debug { printStages(result.statistics) }
  }

  private func summary(_ result: PipelineResult, output: String) -> String {
    let statistics = result.statistics
    var text = "\(output): \(statistics.counts.framesOut) frames in \(Self.decimal(statistics.wallSeconds)) s"
    text += " (\(Self.decimal(statistics.framesPerSecond)) fps)"
    let tracked = result.tracksByLabel.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !tracked.isEmpty {
      text +=
        ", \(result.mode == .stream ? "tracked" : "found") "
        + tracked.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    if statistics.counts.corruptPackets > 0 { text += ", \(statistics.counts.corruptPackets) damaged packets" }
    if result.wasStopped { text += ", stopped" }
    return String(text.map { $0.isNewline ? " " : $0 })
  }

  private func printStages(_ statistics: Statistics) {
    for stage in Stage.allCases {
      guard let histogram = statistics.stages[stage], histogram.count > 0 else { continue }
      let name = stage.rawValue + String(repeating: " ", count: 8 - stage.rawValue.count)
      Terminal.printLine(
        "  \(name) \(histogram.count) times, \(Self.decimal(histogram.total)) s, "
          + "p50 \(Self.decimal(histogram.percentile(0.5) * 1000)) ms, "
          + "p99 \(Self.decimal(histogram.percentile(0.99) * 1000)) ms")
    }
  }

  /// One decimal.
  private static func decimal(_ value: Double) -> String {
    let tenths = Int(clamping: value * 10)
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func duration(_ seconds: Double) -> String {
    let whole = Int(clamping: seconds.rounded(.up))
    if whole < 60 { return "\(whole) s" }
    let minutes = whole % 3600 / 60
    return whole < 3600 ? "\(minutes) min \(whole % 60) s" : "\(whole / 3600) h \(minutes) min"
  }
}
