internal import VStreamCore
internal import VStreamDetection
internal import VStreamMedia

/// A frame to run detectors on, and its pending result.
struct DetectionTask: Sendable {
  let frame: VideoFrame
  let result: PendingDetection
}

/// The queue from which detector threads take their frames.
enum DetectionQueue: Sendable {
  /// Every frame, in order; a full queue makes its sender wait.
  case every(Channel<DetectionTask>)
  /// The newest frame only, for the threads of a pool, which ends with the run if it is the run's own.
  case newest(PoolMember, ownPool: DetectorPool?)

  /// - Returns: `false` if the detector threads have ended.
  func offer(_ task: DetectionTask) -> Bool {
    switch self {
    case .every(let channel): return channel.send(task)
    case .newest(let member, _):
      member.offer(task)
      return true
    }
  }

  /// Removes the frame of a result that is no longer needed, if it is still queued where only the newest is.
  func withdraw(_ result: PendingDetection) {
    if case .newest(let member, _) = self { member.withdraw(result) }
  }

  func finish() {
    switch self {
    case .every(let channel): channel.finish()
    case .newest(_, let pool?): pool.stop()
    case .newest(let member, nil): member.leave()
    }
  }
}

/// The future result of the detectors on one frame: settled once by a detector thread, awaited by the annotator.
final class PendingDetection: Sendable {
  enum Outcome: Sendable {
    case found(Detections)
    case failed(VStreamError)
    /// No detector was or will be run on the frame: a newer frame replaced it in the queue.
    case superseded
  }

  private let clock: any PipelineClock
  private let monitor: Monitor<(outcome: Outcome, moment: Double)?>

  init(clock: any PipelineClock = SystemClock()) {
    self.clock = clock
    monitor = Monitor(nil, clock: clock)
  }

  /// Settles the result; later calls have no effect.
  func settle(_ outcome: Outcome) {
    let moment = clock.now
    monitor.update { if $0 == nil { $0 = (outcome, moment) } }
  }

  /// The outcome, if it is settled; does not wait.
  var outcome: Outcome? { monitor.read { $0?.outcome } }

  /// The moment of the clock at which it was settled.
  var settledAt: Double? { monitor.read { $0?.moment } }

  var isSuperseded: Bool {
    if case .superseded? = outcome { true } else { false }
  }

  /// Waits for the outcome, at most until `moment` of the clock; without limit if it is `nil`.
  func wait(until moment: Double?) -> Outcome? { monitor.wait(until: moment) { $0?.outcome } }
}

extension DetectionTask {
  /// Settles the result with the detections, which are of the frame's shot.
  func settle(_ detect: () throws -> Detections) {
    do {
      var found = try detect()
      found.shot = frame.shot
      result.settle(.found(found))
    } catch {
      result.settle(.failed(VStreamError(any: error)))
    }
  }
}
