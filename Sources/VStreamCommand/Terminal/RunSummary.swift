internal import VStreamCore
internal import VStreamPipeline
internal import VStreamReporting
internal import VStreamSystem

/// The command's summary of a run and of a verification.
struct RunSummary {
  /// The name of the output, as it is shown.
  let output: String

  init(output: String) { self.output = ShownLocation.text(output) }

  /// `out.mp4: 795 frames in 6.1 s (130.3 fps), tracked 12 × person, 3 × car`.
  func line(_ result: PipelineResult) -> String {
    let statistics = result.statistics
    let frames = statistics.counts.framesOut
    var text =
      "\(output): \(frames.counted("frame")) in \(statistics.wallSeconds.formatted(.decimals(1))) s"
    text += " (\(statistics.framesPerSecond.formatted(.decimals(1))) fps)"
    if !result.tracksByLabel.isEmpty {
      text += ", \(result.mode == .stream ? "tracked" : "found") \(Self.list(result.tracksByLabel, separator: ", "))"
    }
    if let counted = result.counted { text += Self.counts(counted) }
    if result.isLive { text += live(statistics) }
    if let redacted = result.framesRedacted { text += ", \(redacted.counted("frame")) redacted" }
    if !result.unredacted.isEmpty { text += ", not redacted: \(result.unredacted.joined(separator: ", "))" }
    let damaged = statistics.counts.corruptPackets
    if damaged > 0 { text += ", \(damaged.counted("damaged packet"))" }
    if result.wasStopped { text += ", stopped" }
    if let path = result.incompletePath { text += "; what was written plays: '\(path)'" }
    if result.canWait, statistics.counts.framesLateForDetector > 0 {
      text += "; the detector did not run on every frame (--late wait does)"
    }
    return String(text.map { $0.isNewline ? " " : $0 })
  }

  /// A line for each stage: runs, total time and percentiles.
  func stages(_ statistics: Statistics) -> [String] {
    Stage.allCases.compactMap { stage in
      guard let histogram = statistics.stages[stage], histogram.count > 0 else { return nil }
      let name = stage.rawValue + String(repeating: " ", count: 8 - stage.rawValue.count)
      return "  \(name) \(histogram.count) times, \(histogram.total.formatted(.decimals(1))) s, "
        + "p50 \((histogram.percentile(0.5) * 1000).formatted(.decimals(1))) ms, "
        + "p99 \((histogram.percentile(0.99) * 1000).formatted(.decimals(1))) ms"
    }
  }

  /// The line on the output's unverified parts; `nil` if there are none.
  func unverified(_ parts: [String]) -> String? {
    guard !parts.isEmpty else { return nil }
    return "\(output): neither redacted nor verified (--keep-unredacted): \(parts.joined(separator: ", "))"
  }

  /// A line for each of the first detections that the redaction left visible.
  func residuals(_ check: RedactionCheck) -> [String] {
    check.residuals.prefix(Self.maximumResiduals).map { residual in
      "\(output): \(residual.label) visible at \(residual.seconds.formatted(.decimals(1))) s (frame \(residual.frame), "
        + "score \(Self.percent(residual.score)), \(Self.percent(residual.coveredFraction)) covered)"
    }
  }

  private static let maximumResiduals = 20

  /// `out.mp4: verified, 795 frames, 0 visible, 3 detections in covered regions, 2 weak hits`.
  func line(_ check: RedactionCheck) -> String {
    "\(output): verified, \(check.frames.counted("frame")), \(check.residuals.count) visible, "
      + "\(check.coveredHits.counted("detection")) in covered regions"
      + (check.weakHits.isEmpty
        ? "" : ", \(check.weakHits.count.counted("weak hit")) (\(Self.times(of: check.weakHits)))")
  }

  /// `at 1.2, 3.4 … s`: the seconds of the first, those of one second once.
  private static func times(of hits: [Residual]) -> String {
    var seconds: [Int] = []
    for hit in hits {
      let second = Int(clamping: hit.seconds.rounded(.down))
      if seconds.last != second { seconds.append(second) }
    }
    let shown = seconds.prefix(maximumTimes).map { "\($0)" }.joined(separator: ", ")
    return "at \(shown)\(seconds.count > maximumTimes ? ", …" : "") s"
  }

  private static let maximumTimes = 8

  /// `, door: 12 × person, gate: 3 × person to the right, 1 × person to the left`.
  private static func counts(_ counted: RegionCounts) -> String {
    let zones = counted.zones.map { ", \($0.name): \(list($0.entered))" }
    let lines = counted.lines.map { ", \($0.name): \(list($0.toRight)) to the right, \(list($0.toLeft)) to the left" }
    return (zones + lines).joined()
  }

  /// `12 × person 3 × car`: the most frequent first.
  private static func list(_ counts: [String: Int], separator: String = " ") -> String {
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.isEmpty ? "nothing" : sorted.map { counted($0.value, $0.key) }.joined(separator: separator)
  }

  /// `12 × person`, as only the model's author knows the plural of a class's name; but `2 faces`.
  private static func counted(_ count: Int, _ label: String) -> String {
    let isKind = [DetectedFace.name, DetectedPose.name].contains(label)
    return isKind ? count.counted(label) : "\(count) × \(label)"
  }

  private func live(_ statistics: Statistics) -> String {
    let counts = statistics.counts
    var text = ""
    if counts.detectorRuns > 0 {
      text = ", \(counts.framesDetected) detected, \(counts.framesLateForDetector) late"
    }
    text += ", \(counts.framesDropped) dropped"
    if let latency = statistics.latency, latency.count > 0 {
      let (p50, p99) = (latency.percentile(0.5), latency.percentile(0.99))
      text += ", latency p50 \(Int(clamping: p50 * 1000)) ms, p99 \(Int(clamping: p99 * 1000)) ms"
    }
    return text
  }

  private static func percent(_ fraction: Double) -> String { "\(Int(clamping: fraction * 100)) %" }
}
