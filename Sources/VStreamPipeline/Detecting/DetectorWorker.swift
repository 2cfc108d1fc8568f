internal import VStreamDetection
internal import VStreamMedia
internal import VStreamScene

/// A thread that detects: takes frames out of its feed and settles their detections.
struct DetectorThread {
  let state: RunState
  let feed: DetectionQueue

  /// - Parameter makers: the detectors that look at each frame, one after the other.
  func run(_ makers: [DetectorFactory.Maker]) {
    let timer = StageTimer()
    var detectors: [any FrameDetecting] = []
    while let task = feed.next() {
      do {
        if detectors.isEmpty { detectors = try makers.map { try $0() } }
      } catch {
        task.result.settle(.failed(VStreamError(any: error)))
        continue
      }
      if feed.hasEveryFrame, detectors.count == 1, var detector = detectors[0] as? any OverlappingDetecting,
        detector.mayOverlap
      {
        run(&detector, from: task, timer)
        break
      }
      settle(task) {
        var found = Observations()
        for index in detectors.indices { found.merge(try detectors[index].detect(in: task.frame, timer: timer)) }
        return found
      }
    }
    state.add(timer)
  }

  /// Begins with a frame, if the next is there already, before the one before is done.
  private func run(_ detector: inout any OverlappingDetecting, from first: DetectionTask, _ timer: StageTimer) {
    var begun: [DetectionTask] = []
    var next: DetectionTask? = first
    while let task = next {
      do {
        try detector.begin(task.frame, timer: timer)
        begun.append(task)
      } catch {
        task.result.settle(.failed(VStreamError(any: error)))
      }
      next = begun.count < 2 ? feed.nextIfThere() : nil
      while next == nil, !begun.isEmpty {
        settle(begun.removeFirst()) { try detector.end(timer: timer) }
        next = feed.nextIfThere()
      }
      // Nothing is begun, so nobody waits for what is not there yet.
      if next == nil { next = feed.next() }
    }
  }

  private func settle(_ task: DetectionTask, _ detect: () throws -> Observations) {
    let start = state.clock.now
    do {
      task.result.settle(.found(try detect()))
    } catch {
      task.result.settle(.failed(VStreamError(any: error)))
    }
    let seconds = state.clock.now - start
    state.contents.update { $0.detecting.add(seconds) }
  }
}
