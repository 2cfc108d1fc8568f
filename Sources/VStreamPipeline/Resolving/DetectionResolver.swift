internal import VStreamMedia
internal import VStreamScene

/// Meets frames with what detectors found in them: holds each for its own result, but not for longer than it may be held.
///
/// One owner at a time; waits for the detectors.
struct DetectionResolver {
  /// Seconds for which a frame may be held once detectors got it; `nil` for as long as it takes.
  let hold: Double?
  /// Frames that have left before their results came, in their order.
  private var late: [UndeliveredFrame] = []

  init(hold: Double?) { self.hold = hold }

  /// What is known of a frame when it leaves.
  struct Resolution {
    /// What came meanwhile of frames that left before, in their order.
    var late: [TimedObservations] = []
    /// `nil` if the frame was not looked at, or if its result has not come in time.
    var found: Observations?
  }

  /// Waits for a frame's result as long as that is allowed.
  ///
  /// - Throws: the `VStreamError` of a detector.
  mutating func resolve(_ job: FrameJob) throws(VStreamError) -> Resolution {
    let found = try job.detections.isEmpty ? nil : result(of: job.detections, until: hold.map { job.offered + $0 })
    let earlier = try takeLate()
    if found == nil, !job.detections.isEmpty { leave(job.lookedAt) }
    return Resolution(late: earlier, found: found)
  }

  /// Takes note of a frame that has left without its result.
  mutating func leave(_ frame: UndeliveredFrame) { late.append(frame) }

  /// - Returns: `nil` if not all have come by then.
  private func result(of detections: [PendingDetection], until moment: Double?) throws(VStreamError) -> Observations? {
    var found = Observations()
    for detection in detections {
      switch detection.wait(until: moment) {
      case .found(let observations)?: found.merge(observations)
      case .failed(let error)?: throw error
      case .superseded?, nil: return nil
      }
    }
    return found
  }

  private mutating func takeLate() throws(VStreamError) -> [TimedObservations] {
    late.removeAll { $0.detections.contains(where: \.isSuperseded) }
    var taken: [TimedObservations] = []
    while let first = late.first, first.detections.allSatisfy({ $0.outcome != nil }) {
      late.removeFirst()
      // All is there: this does not wait.
      guard let found = try result(of: first.detections, until: nil) else { continue }
      taken.append(TimedObservations(time: first.time, found: found))
    }
    return taken
  }
}
