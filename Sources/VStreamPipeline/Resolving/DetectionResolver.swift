package import VStreamCore
internal import VStreamMedia

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
  private func result(of detections: [PendingDetection], until moment: Double?) throws(VStreamError) -> Detections? {
    var found = Detections()
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

/// Decides for how long a live frame is held for its detections.
///
/// While the detectors take longer than frames may be held, or are still being loaded, a frame is held for a short time only:
/// waiting would not help.
struct HoldPolicy {
  /// The most seconds for which a frame may be held after detectors got it.
  let hold: Double
  /// Seconds from the offer of a frame to its result: of the last one, or of slower ones just before; `nil` before the first.
  private var turnaround: Double?

  /// The fraction of `hold` for which frames are held while the detectors are too slow.
  private static let shortFraction = 0.2
  /// The fraction of an earlier turnaround that counts after another result.
  private static let memory = 0.8

  init(hold: Double) { self.hold = hold }

  mutating func add(_ seconds: Double) { turnaround = max(seconds, Self.memory * (turnaround ?? 0)) }

  /// Seconds for which the next frame may be held.
  ///
  /// - Parameter pending: seconds that the oldest frame without a result has taken already; 0 if there is none.
  func seconds(pending: Double) -> Double {
    max(turnaround ?? .infinity, pending) > hold ? Self.shortFraction * hold : hold
  }
}

/// The resolution of a frame at its release: its detections, or the annotations of an earlier run.
package struct ResolvedDetections: Sendable {
  /// Detections of earlier frames that came after those were released, in the frames' order.
  package var late: [TimedObservations]
  /// `nil` if no detector was run on the frame, or if the result did not come in time.
  package var found: Detections?
  /// Set if `found` are annotations of an earlier run, which are reported as they are: the source that its records state.
  package var recordedSource: AnnotationSource?
  /// Whether nothing has moved since the frame before, so that no detector was run.
  package var isUnchanged = false
  /// The number of the frame's shot.
  package var shot = 0
  /// The tracks that an earlier run made of the same detections with the same options; `nil` if they are not known.
  var recordedTracks: RecordedTracks?

  package init(
    late: [TimedObservations] = [], found: Detections? = nil, recordedSource: AnnotationSource? = nil
  ) {
    self.late = late
    self.found = found
    self.recordedSource = recordedSource
  }

  /// The resolution in the pixels of a larger or smaller copy of the frame.
  func scaled(from size: PixelSize, to other: PixelSize) -> ResolvedDetections {
    if size == other { return self }
    let (x, y) = (Double(other.width) / Double(size.width), Double(other.height) / Double(size.height))
    var scaled = self
    scaled.found = found?.scaled(x: x, y: y)
    for index in late.indices { scaled.late[index].found = late[index].found.scaled(x: x, y: y) }
    return scaled
  }
}

/// Resolves the frames of a stream, in their order. One owner at a time.
protocol ResolutionSource {
  /// - Throws: the `VStreamError` of a detector, or of the records.
  mutating func resolve(_ frame: FrameJob) throws(VStreamError) -> ResolvedDetections

  /// Notes a frame that was dropped while a detector had it.
  mutating func addUndelivered(_ frame: PendingFrame)

  /// - Returns: a warning about the stream as a whole.
  /// - Throws: `VStreamError` if none of its frames could be resolved.
  func finish() throws(VStreamError) -> Message?
}
