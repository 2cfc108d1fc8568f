public import VStreamScene

/// Determines the covered regions of the frames of one stream, so that no detection is left uncovered.
///
/// Covered are: each detection whose score could start a track, at once; detections with lower scores that overlap a covered
/// region, for as long as there are any; and each track until it expires, everywhere between its last observed box and the
/// predicted one.
public struct CoverageTracker: Hashable, Sendable {
  private var tracker: Tracker
  /// Tracks what `tracker` regards as parts and duplicates of its objects, since these may be partly hidden subjects.
  private var duplicateTracker: Tracker
  /// Detections with low scores that continue a covered region, and are not matched with a track.
  private var held: [CoveredRegion] = []

  private enum Rule {
    /// The time in seconds for which a subject that changes its motion may be away from its prediction.
    static let reaction = 0.05
    /// The minimum overlap of a detection with a low score and a covered region.
    static let lowScoreIoU = 0.1
    /// The minimum overlap of a detection with a low score and a region that it holds when nothing else does.
    static let heldIoU = 0.5
  }

  public init(_ options: TrackerOptions) {
    var options = options
    options.confirmAfter = 1
    tracker = Tracker(options)
    duplicateTracker = tracker
  }

  /// Associates the detections of one frame with tracks.
  ///
  /// - Parameter time: stream time in seconds, later than that of the last update.
  /// - Returns: the covered regions of that frame.
  public mutating func update(_ detections: [DetectedObject], at time: Double) -> [CoveredRegion] {
    let matched = tracker.update(detections, at: time).map(\.box)
    let rest = detections.filter { !$0.box.isEmpty && !matched.contains($0.box) }
    let matchedDuplicates = duplicateTracker.update(rest, at: time).map(\.box)
    let tracked = trackedRegions(at: time)
    let covered = tracked + held
    let others = rest.filter { detection in
      guard !matchedDuplicates.contains(detection.box) else { return false }
      return detection.score >= tracker.options.minimumScore
        || covered.contains { $0.box.iou(detection.box) > Rule.lowScoreIoU }
    }
    let now = others.map { CoveredRegion(id: nil, $0.box, observedAt: time) }
    hold(now, among: covered, at: time)
    return tracked + now + heldRegions(at: time).filter { $0.observedAt < time }
  }

  /// The covered regions of a frame without detection. Changes nothing.
  public func regions(at time: Double) -> [CoveredRegion] { trackedRegions(at: time) + heldRegions(at: time) }

  /// Updates `held` with the regions of detections without a track.
  private mutating func hold(_ now: [CoveredRegion], among covered: [CoveredRegion], at time: Double) {
    func isSame(_ one: CoveredRegion, _ other: CoveredRegion) -> Bool {
      one.observedBox.iou(other.observedBox) >= Rule.heldIoU
    }
    let waiting = held.filter { region in
      time - region.observedAt <= tracker.options.lostAfter && !now.contains { isSame($0, region) }
    }
    held = waiting + now.filter { region in covered.contains { isSame($0, region) } }
  }

  private func heldRegions(at time: Double) -> [CoveredRegion] {
    held.map { $0.expanded(after: max(0, time - $0.observedAt), speed: nil) }
  }

  private func trackedRegions(at time: Double) -> [CoveredRegion] {
    tracker.snapshots(at: time).map { Self.region($0, id: $0.object.id, at: time) }
      + duplicateTracker.snapshots(at: time).map { Self.region($0, id: $0.object.id.map { -$0 }, at: time) }
  }

  private static func region(_ track: TrackSnapshot, id: Int?, at time: Double) -> CoveredRegion {
    let unobserved = max(0, time - track.observedAt)
    let (x, y) = (track.velocity.x, track.velocity.y)
    var region = CoveredRegion(id: id, track.observedBox, observedAt: track.observedAt)
    region.box = track.observedBox.hull(track.object.box)
    region.slack = Point(x: abs(x) * Rule.reaction, y: abs(y) * Rule.reaction)
    return region.expanded(after: unobserved, speed: track.isNew ? nil : (x * x + y * y).squareRoot())
  }
}
