internal import VStreamMedia
internal import VStreamScene

/// Resolves frames with the results of the detectors: waits for each frame's own result, up to a deadline.
struct DetectionResolver: ResolutionSource {
  /// `nil` if frames wait for their results.
  private var hold: HoldPolicy?
  /// Frames that were released or dropped before their results came, in their order.
  private var undelivered: [PendingFrame] = []
  /// - Parameter hold: the most seconds for which a frame may be held after detectors got it; `nil` for no limit.
  init(hold: Double?) { self.hold = hold.map(HoldPolicy.init) }

  mutating func resolve(_ job: FrameJob) throws(VStreamError) -> ResolvedDetections {
    // Before the frame waits, so that it is known how long results take.
    var late = try takeLate()
    let pending = job.detection
    let found = try pending.results.isEmpty ? nil : result(of: pending.results, until: deadline(of: pending))
    if found != nil { noteTurnaround(pending) }
    late += try takeLate()
    if found == nil, !pending.results.isEmpty { addUndelivered(pending) }
    var resolved = ResolvedDetections(late: late, found: found)
    (resolved.isUnchanged, resolved.shot) = (job.isUnchanged, job.frame.shot)
    return job.detectedSize.map { resolved.scaled(from: $0, to: job.frame.size) } ?? resolved
  }

  mutating func addUndelivered(_ frame: PendingFrame) { undelivered.append(frame) }

  func finish() -> Message? { nil }

  /// The moment of the clock until which a frame may be held; `nil` for no limit.
  private func deadline(of frame: PendingFrame) -> Double? {
    let pending = undelivered.first.map { frame.offered - $0.offered } ?? 0
    return hold.map { frame.offered + $0.seconds(pending: pending) }
  }

  private mutating func noteTurnaround(_ frame: PendingFrame) {
    guard let settled = frame.results.compactMap(\.settledAt).max() else { return }
    hold?.add(settled - frame.offered)
  }

  /// - Returns: `nil` if not all results came in time.
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

  /// The results of earlier frames that have come, up to the first one that has not.
  private mutating func takeLate() throws(VStreamError) -> [TimedObservations] {
    undelivered.removeAll { $0.results.contains(where: \.isSuperseded) }
    var taken: [TimedObservations] = []
    while let first = undelivered.first, first.results.allSatisfy({ $0.outcome != nil }) {
      undelivered.removeFirst()
      noteTurnaround(first)
      // All outcomes are known: this does not wait.
      guard let found = try result(of: first.results, until: nil) else { continue }
      taken.append(TimedObservations(time: first.time, found: found))
    }
    return taken
  }
}
