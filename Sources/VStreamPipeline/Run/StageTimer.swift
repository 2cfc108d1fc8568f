internal import VStreamDetection
internal import VStreamReporting

/// Measures the durations of one thread's stages.
final class StageTimer: StepTimer {
  private(set) var histograms: [Stage: DurationHistogram] = [:]

  func measure<R>(_ stage: Stage, _ body: () throws -> R) rethrows -> R {
    let start = SystemClock().now
    defer { histograms[stage, default: DurationHistogram()].add(SystemClock().now - start) }
    return try body()
  }

  func sampling<R>(_ body: () throws -> R) rethrows -> R { try measure(.sample, body) }
  func inferring<R>(_ body: () throws -> R) rethrows -> R { try measure(.infer, body) }
}
