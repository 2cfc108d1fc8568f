package import VStreamCore

/// Determines the covered regions of the frames of one stream, so that no detection is left uncovered.
///
/// Covered are: each detection whose score could start a track; repeated detections with slightly lower scores; detections with
/// lower scores that overlap a covered region; and each track until it expires, between its last observed and predicted box.
package struct CoverageTracker: Hashable, Sendable {
  private var tracker: Tracker
  /// Tracks the parts and duplicates that `tracker` omits, since these may be partly hidden subjects.
  private var duplicateTracker: Tracker
  /// Tracks detections with scores just below the minimum for a track; covered once confirmed.
  private var repeatedTracker: Tracker
  /// Regions of lost tracks, with their IDs, held by detections with low scores.
  private var held: [CoveredRegion] = []
  /// The size of the frames; `nil` if no subject is known to leave them.
  package var frame: PixelSize?
  private var shot = 0
  /// The same of other shots.
  private var heldElsewhere: [Int: [CoveredRegion]] = [:]
  /// The covered regions at the last cut, and its time.
  private var left: [CoveredRegion] = []
  private var leftAt = -Double.infinity

  /// The lowest score of a detection that is covered if it is repeated, as a fraction of the minimum score.
  package static let repeatedScore = 0.8

  private enum Rule {
    /// The time in seconds for which a subject that changes its motion may be away from its prediction.
    static let reaction = 0.05
    /// The minimum overlap of a detection with a low score and a covered region.
    static let lowScoreIoU = 0.1
    /// The same for a region that no other detection holds.
    static let heldIoU = 0.5
    /// The number of such detections from which they are covered.
    static let repetitions = 4
    /// The maximum cost of a pair, lower than for IDs: a possible other subject has a cover of its own.
    static let maximumCost = 4.0
    /// The farthest that a lost subject is followed, in its longer sides.
    static let longestPath = 3.0
  }

  /// - Parameter isTracked: whether frames follow each other; otherwise no detection can be repeated, and those with slightly
  ///   lower scores are covered at once.
  package init(_ options: TrackerOptions, isTracked: Bool = true) {
    var options = options
    if !isTracked { options.minimumScore *= Self.repeatedScore }
    options.confirmAfter = 1
    options.omitsDoubtful = false
    tracker = Tracker(options)
    tracker.maximumCost = Rule.maximumCost
    duplicateTracker = tracker
    options.minimumScore *= Self.repeatedScore
    options.confirmAfter = Rule.repetitions
    repeatedTracker = Tracker(options)
    repeatedTracker.maximumCost = Rule.maximumCost
  }

  /// Begins or resumes another shot; the covered regions of the one before are in `leftRegions`.
  ///
  /// - Parameter time: stream time in seconds of its first frame.
  package mutating func change(toShot shot: Int, at time: Double) {
    guard shot != self.shot else { return }
    left = leftRegions(at: time) + regions(at: time)
    leftAt = time
    for index in left.indices { left[index].id = nil }
    heldElsewhere = heldElsewhere.filter {
      $0.value.contains { time - $0.observedAt <= tracker.options.lostAfterSeconds }
    }
    heldElsewhere[self.shot] = held
    held = heldElsewhere.removeValue(forKey: shot) ?? []
    self.shot = shot
    tracker.change(toShot: shot)
    duplicateTracker.change(toShot: shot)
    repeatedTracker.change(toShot: shot)
  }

  /// Associates the detections of one frame with tracks.
  ///
  /// - Parameter time: stream time in seconds, later than that of the last update.
  /// - Returns: the covered regions of that frame.
  package mutating func update(_ detections: [DetectedObject], at time: Double) -> [CoveredRegion] {
    _ = tracker.update(detections, at: time)
    let matched = tracker.matchedBoxes
    let rest = detections.filter { !$0.box.isEmpty && !matched.contains($0.box) }
    _ = duplicateTracker.update(rest, at: time)
    let matchedDuplicates = duplicateTracker.matchedBoxes
    let unmatched = rest.filter { !matchedDuplicates.contains($0.box) }
    let known = matchedRegions(at: time)
    let waitingFor = known.filter { $0.observedAt < time } + held
    let weak = unmatched.filter { detection in
      detection.score < tracker.options.minimumScore && !waitingFor.contains { Self.isSame($0, detection.box) }
    }
    _ = repeatedTracker.update(weak, at: time)
    let matchedRepeated = repeatedTracker.matchedBoxes
    let repeated = repeatedRegions(at: time)
    let (tracked, lost) = (known + repeated, waitingFor + repeated.filter { $0.observedAt < time })
    let others = unmatched.filter { detection in
      guard !matchedRepeated.contains(detection.box) else { return false }
      return detection.score >= tracker.options.minimumScore
        || tracked.contains { $0.box.iou(detection.box) > Rule.lowScoreIoU }
        || lost.contains { Self.isSame($0, detection.box) }
    }
    let observed = tracked.filter { $0.observedAt >= time }
    let now = others.map { detection in
      let isObserved = observed.contains { Self.isSame($0, detection.box) }
      let holder = isObserved ? nil : lost.first { Self.isSame($0, detection.box) }
      return CoveredRegion(id: holder?.id, detection.box, observedAt: time)
    }
    let continued = now.filter { $0.id != nil }
    let waiting = heldRegions(at: time).filter { region in
      !(continued + observed).contains { Self.isSame(region, $0.observedBox) }
    }
    held = held.filter { one in waiting.contains { $0.id == one.id && $0.observedBox == one.observedBox } } + continued
    return tracked + now + waiting
  }

  /// The covered regions of the shot before, in the first frames of this one: it may be a flash, with subjects still visible and
  /// no detections.
  package func leftRegions(at time: Double) -> [CoveredRegion] {
    let elapsed = time - leftAt
    guard (0...CoverageLookBack.longestInterruption).contains(elapsed) else { return [] }
    return left.map { $0.expanded(after: elapsed, speed: nil) }
  }

  /// The covered regions of a frame without detection. Changes nothing.
  package func regions(at time: Double) -> [CoveredRegion] {
    matchedRegions(at: time) + repeatedRegions(at: time) + heldRegions(at: time)
  }

  private static func isSame(_ region: CoveredRegion, _ box: Box) -> Bool {
    region.observedBox.iou(box) >= Rule.heldIoU
  }

  /// The recently held regions, expanded by their possible motion since.
  private func heldRegions(at time: Double) -> [CoveredRegion] {
    held.filter { time - $0.observedAt <= tracker.options.lostAfterSeconds }.map {
      $0.expanded(after: max(0, time - $0.observedAt), speed: nil)
    }
  }

  /// The regions of detections whose scores could start a track.
  private func matchedRegions(at time: Double) -> [CoveredRegion] {
    tracker.snapshots(at: time).map { region($0, id: $0.object.id.map { 2 * $0 }, at: time) }
      + duplicateTracker.snapshots(at: time).map { region($0, id: $0.object.id.map { -$0 }, at: time) }
  }

  /// The regions of repeated detections with slightly lower scores.
  private func repeatedRegions(at time: Double) -> [CoveredRegion] {
    repeatedTracker.snapshots(at: time).compactMap { track in
      track.object.id.map { region(track, id: 2 * $0 + 1, at: time) }
    }
  }

  private func region(_ track: TrackSnapshot, id: Int?, at time: Double) -> CoveredRegion {
    let unobserved = max(0, time - track.observedAt)
    let (x, y) = (track.velocity.x, track.velocity.y)
    var region = CoveredRegion(id: id, track.observedBox, observedAt: track.observedAt)
    region.slack = Point(x: abs(x) * Rule.reaction, y: abs(y) * Rule.reaction)
    return region.extended(
      to: track.object.box, after: unobserved, velocity: track.velocity, isKnown: !track.isNew,
      longestPath: Rule.longestPath, in: frame)
  }
}
