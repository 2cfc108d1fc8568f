internal import VStreamDetection
internal import VStreamScene

/// A thread that detects: takes frames out of the work channel and fills their places.
struct DetectorWorker {
  let state: RunState
  let work: Channel<FrameJob>

  func run(_ maker: DetectorSource.Maker) {
    let timer = StageTimer()
    var detector: (any ObjectDetecting)?
    while let job = work.receive() {
      do {
        var current = try detector ?? maker()
        let objects = try current.detect(in: job.frame, timer: timer)
        detector = current
        job.detection?.fulfil(.success(objects))
      } catch {
        job.detection?.fulfil(.failure(error as? VStreamError ?? VStreamError(.library, "\(error)")))
      }
    }
    state.add(timer)
  }
}
