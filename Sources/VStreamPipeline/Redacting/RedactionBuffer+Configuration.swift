internal import VStreamScene
internal import VStreamTracking

extension RedactionBuffer {
  /// - Returns: `nil` if nothing is redacted.
  init?(_ configuration: PipelineConfiguration, mode: DetectionMode, flow: Flow) {
    guard let options = configuration.redaction, configuration.isRedacted else { return nil }
    let seconds = configuration.lookBackSeconds(mode: mode, flow: flow) ?? 0
    // A subject that appears between two frames with detections is found in the second.
    let interval = if case .every(let frames) = configuration.detectEvery { frames } else { 0 }
    let kinds = Dictionary(
      uniqueKeysWithValues: configuration.kinds.map { ($0, configuration.trackerOptions(of: $0)) })
    self.init(
      CoverageStep(labels: options.labels, mode: mode, kinds: kinds),
      CoverageLookBack(seconds: seconds, frames: seconds > 0 ? interval : 0),
      maximumBytes: options.maximumBufferedBytes,
      uncertainLabels: options.uncertainLabels)
  }
}
