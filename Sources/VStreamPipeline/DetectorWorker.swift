internal import VStreamDetection
internal import VStreamMedia
internal import VStreamScene

/// A thread that detects: takes frames out of its feed and settles their detections.
struct DetectorWorker {
  let state: RunState
  let feed: DetectorFeed

  /// - Parameter makers: the detectors that look at each frame, one after the other.
  func run(_ makers: [DetectorSource.Maker]) {
    let timer = StageTimer()
    var detectors: [any FrameDetecting] = []
    while let task = feed.next() {
      let start = state.clock.now
      do {
        if detectors.isEmpty { detectors = try makers.map { try $0() } }
        var found = Observations()
        for index in detectors.indices { found.merge(try detectors[index].detect(in: task.frame, timer: timer)) }
        task.result.settle(.found(found))
      } catch {
        task.result.settle(.failed(VStreamError(any: error)))
      }
      let seconds = state.clock.now - start
      state.contents.update { $0.detecting.add(seconds) }
    }
    state.add(timer)
  }
}
