internal import VStreamCore
internal import VStreamMedia
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// Prints a run's messages, progress, status and summary to standard error.
final class Console {
  private let showsProgress: Bool
  /// Goes before the progress line.
  private let prefix: String
  private let level: RunningOptionGroup.LogLevel
  /// Seconds from one status line to the next; `nil` for none.
  private let statusInterval: Double?
  private var nextStatus: Double
  /// Latencies since the last status line.
  private var latency = DurationHistogram()
  private var meter = RateMeter()

  init(_ running: RunningOptionGroup, prefix: String = "") throws(VStreamError) {
    self.prefix = prefix
    level = running.level
    showsProgress =
      switch running.progress {
      case .always: true
      case .never: false
      case .auto: Terminal.isInteractive && level != .error
      }
    statusInterval = try running.statusInterval()
    nextStatus = statusInterval ?? .infinity
    if level == .info { LibAV.echoMessages(.warning) }
    if level == .debug { LibAV.echoMessages(.info) }
  }

  /// Prints new messages and the status when it is due, and replaces the progress line.
  func show(_ progress: PipelineProgress) {
    var status = LiveStatus(
      seconds: progress.elapsedSeconds, counts: progress.counts,
      rates: meter.rates(of: progress.counts, at: progress.elapsedSeconds), latency: progress.latency,
      tracks: progress.tracks)
    if level != .error, !progress.messages.isEmpty {
      clear()
      for message in progress.messages { Terminal.printLine("vstream: \(message.commandText)") }
    }
    let line = prefix + (progress.isLive ? status.text : ProgressLine(progress: progress).text)
    latency.merge(progress.latency)
    if let statusInterval, progress.elapsedSeconds >= nextStatus {
      clear()
      status.latency = latency
      Terminal.printLine(status.json)
      latency = DurationHistogram()
      nextStatus = max(nextStatus, progress.elapsedSeconds) + statusInterval
    }
    guard showsProgress else { return }
    Terminal.write("\r\u{1B}[K\(String(line.prefix(max(10, Terminal.columns - 1))).printable)")
  }

  /// Removes the progress line.
  func clear() {
    if showsProgress { Terminal.write("\r\u{1B}[K") }
  }

  /// Prints a run's summary, and with `--verbose` the stages' times.
  func conclude(_ result: PipelineResult, output: String) {
    guard level != .error else { return }
    let summary = RunSummary(output: output)
    Terminal.printLine(summary.line(result))
    guard level == .info || level == .debug else { return }
    for line in summary.stages(result.statistics) { Terminal.printLine(line) }
  }

  /// Prints a verification's findings and summary.
  ///
  /// - Parameter unverified: the unredacted parts of the output, in words.
  func conclude(_ check: RedactionCheck, unverified: [String], output: String) {
    let summary = RunSummary(output: output)
    for line in summary.residuals(check) { Terminal.printLine("vstream: \(line)") }
    if let line = summary.unverified(unverified) { Terminal.printLine("vstream: \(line)") }
    if level != .error || !check.residuals.isEmpty { Terminal.printLine(summary.line(check)) }
  }
}
