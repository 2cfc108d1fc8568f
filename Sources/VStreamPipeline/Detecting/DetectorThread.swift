internal import VStreamDetection
internal import VStreamMedia
internal import VStreamScene

/// The body of a detector thread: takes frames from its queue and settles their results.
struct DetectorThread {
  let state: RunState
  let queue: DetectionQueue

  /// - Parameter makers: of the detectors that are run on each frame, one after the other.
  func run(_ makers: [DetectorFactory.Maker]) {
    let timer = StageTimer()
    var detectors: [any FrameDetecting] = []
    while let task = queue.next() {
      do {
        if detectors.isEmpty { detectors = try makers.map { try $0() } }
      } catch {
        task.result.settle(.failed(VStreamError(any: error)))
        continue
      }
      if queue.hasEveryFrame, detectors.count == 1, var detector = detectors[0] as? any OverlappingDetecting,
        detector.framesInFlight > 1
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

  /// Keeps several frames in flight: starts the next one, if it is already queued, before the previous ones are finished.
  private func run(_ detector: inout any OverlappingDetecting, from first: DetectionTask, _ timer: StageTimer) {
    var inFlight: [DetectionTask] = []
    var next: DetectionTask? = first
    while let task = next {
      do {
        try detector.start(task.frame, timer: timer)
        inFlight.append(task)
      } catch {
        task.result.settle(.failed(VStreamError(any: error)))
      }
      next = inFlight.count < detector.framesInFlight ? queue.nextIfAvailable() : nil
      while next == nil, !inFlight.isEmpty {
        settle(inFlight.removeFirst()) { try detector.finish(timer: timer) }
        next = queue.nextIfAvailable()
      }
      // Only here, with no frame in flight, may the thread wait: otherwise a result would wait for a later frame.
      if next == nil { next = queue.next() }
    }
  }

  private func settle(_ task: DetectionTask, _ detect: () throws -> Observations) {
    let start = state.clock.now
    do {
      var found = try detect()
      found.shot = task.frame.shot
      task.result.settle(.found(found))
    } catch {
      task.result.settle(.failed(VStreamError(any: error)))
    }
    let seconds = state.clock.now - start
    state.contents.update { $0.detectionTimes.add(seconds) }
  }
}
