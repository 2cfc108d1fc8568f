internal import VStreamMedia
internal import VStreamScene

/// Resolves frames with the results of the detectors: waits for each frame's own result, up to a deadline.
struct DetectionResolver: ResolutionSource {
  /// Seconds for which a frame may be held after detectors got it; `nil` for no limit.
  let hold: Double?
  /// Frames that were released or dropped before their results came, in their order.
  private var undelivered: [UndeliveredFrame] = []

  init(hold: Double?) { self.hold = hold }

  mutating func resolve(_ decoded: DecodedFrame) throws(VStreamError) -> ResolvedDetections {
    let isDetected = !decoded.detections.isEmpty
    let found = try isDetected ? result(of: decoded.detections, until: hold.map { decoded.offered + $0 }) : nil
    let late = try takeLate()
    if found == nil, isDetected { addUndelivered(decoded.undelivered) }
    return ResolvedDetections(late: late, found: found)
  }

  mutating func addUndelivered(_ frame: UndeliveredFrame) { undelivered.append(frame) }

  func finish() -> Message? { nil }

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
    undelivered.removeAll { $0.detections.contains(where: \.isSuperseded) }
    var taken: [TimedObservations] = []
    while let first = undelivered.first, first.detections.allSatisfy({ $0.outcome != nil }) {
      undelivered.removeFirst()
      // All outcomes are known: this does not wait.
      guard let found = try result(of: first.detections, until: nil) else { continue }
      taken.append(TimedObservations(time: first.time, found: found))
    }
    return taken
  }
}
