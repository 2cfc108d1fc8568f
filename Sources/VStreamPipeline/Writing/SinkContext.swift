internal import VStreamMedia
internal import VStreamScene

/// What a sink knows of its run.
struct SinkContext {
  let output: PipelineOutput
  let container: ContainerInfo
  /// The input's video stream, and the streams that are copied.
  let video: StreamInfo
  let copied: [StreamInfo]
  /// Seconds that are subtracted from all times.
  let shift: Double
  let monitor: SinkMonitor

  /// The shift for an output whose first frame has this time: containers do not show what is before zero.
  func shift(firstFrame first: Time) -> Double { shift + min(0, first.seconds - shift) }

  /// Warns of streams that the output cannot hold.
  func warn(of omitted: [OmittedStream]) {
    for stream in omitted {
      monitor.state.warn("stream \(stream.stream.label) is omitted: \(stream.reason)")
    }
  }
}
