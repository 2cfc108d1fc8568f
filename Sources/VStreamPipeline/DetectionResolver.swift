internal import VStreamMedia
internal import VStreamScene

/// Meets frames with what detectors found in them: holds each for its own result, but not for longer than it may be held.
///
/// One owner at a time; waits for the detectors.
struct DetectionResolver {
  /// Seconds from a frame's arrival for which it may be held; `nil` for as long as it takes.
  let hold: Double?
  /// Frames that have left before their results came, in their order.
  private var late: [(seconds: Double, detections: [PendingDetection])] = []

  init(hold: Double?) { self.hold = hold }

  /// Results of earlier frames, at their own times.
  struct LateResult {
    let seconds: Double
    let found: Observations
  }

  /// What is known of a frame when it leaves.
  struct Resolution {
    /// What came meanwhile of frames that left before, in their order.
    var late: [LateResult] = []
    /// `nil` if the frame was not looked at, or if its result has not come in time.
    var found: Observations?
  }

  /// Waits for a frame's result as long as that is allowed.
  ///
  /// - Throws: the `VStreamError` of a detector.
  mutating func resolve(_ job: FrameJob) throws(VStreamError) -> Resolution {
    let found = try job.detections.isEmpty ? nil : result(of: job.detections, until: hold.map { job.arrival + $0 })
    let earlier = try takeLate()
    if found == nil { leave(job) }
    return Resolution(late: earlier, found: found)
  }

  /// Takes note of a frame that has left without its result.
  mutating func leave(_ job: FrameJob) {
    if !job.detections.isEmpty { late.append((job.frame.time.seconds, job.detections)) }
  }

  /// - Returns: `nil` if not all have come by then.
  private func result(of detections: [PendingDetection], until moment: Double?) throws(VStreamError) -> Observations? {
    var found = Observations()
    for detection in detections {
      switch detection.wait(until: moment) {
      case .found(let observations)?: found.merge(observations)
      case .failed(let error)?: throw error
      case .pushedOut?, nil: return nil
      }
    }
    return found
  }

  private mutating func takeLate() throws(VStreamError) -> [LateResult] {
    late.removeAll { $0.detections.contains { if case .pushedOut? = $0.outcome { true } else { false } } }
    var taken: [LateResult] = []
    while let (seconds, detections) = late.first {
      // A moment that has passed: whatever is not there yet is not waited for.
      guard let found = try result(of: detections, until: -.infinity) else { break }
      taken.append(LateResult(seconds: seconds, found: found))
      late.removeFirst()
    }
    return taken
  }
}
