internal import VStreamMedia
internal import VStreamReporting

/// The sink of a run that is followed: gives its frames to the observer, as they are painted.
struct ObservedSink: FrameSink {
  let observer: any RunObserver
  let monitor: SinkMonitor

  func write(_ annotated: AnnotatedFrame) {
    var record = FrameRecord(annotated.annotations)
    record.counts = annotated.counts
    let latency = monitor.state.clock.now - annotated.arrival
    let isKnown = annotated.covered == nil || !annotated.isLate
    if annotated.frame.hasPixels {
      observer.framePainted(ObservedFrame(record: record, image: annotated.frame, latency: latency), isKnown: isKnown)
    }
    monitor.addLatency(since: annotated.arrival)
  }

  func write(_ packet: Packet) {}
  func finish(isComplete: Bool) {}
  func abandon() {}
  func discard() {}
}
