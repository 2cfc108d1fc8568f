public import VStreamScene

/// How a tracker decides. Durations are seconds of stream time.
public struct TrackerOptions: Hashable, Sendable {
  /// The lowest score that starts a track; lower ones may continue one, for up to `lostAfter` seconds.
  public var minimumScore: Double
  /// How long an object may go unseen and keep its ID.
  public var lostAfter: Double
  /// From which matched detection on a track is confirmed and has an ID.
  public var confirmAfter: Int
  /// The least overlap (of boxes grown by a buffer) between an object's expected box and a detection of it.
  public var minimumIoU: Double

  public init(
    minimumScore: Double = 0.5, lostAfter: Double = 1, confirmAfter: Int = 2, minimumIoU: Double = 0.2
  ) {
    self.minimumScore = minimumScore
    self.lostAfter = lostAfter
    self.confirmAfter = confirmAfter
    self.minimumIoU = minimumIoU
  }
}

/// Gives the objects of one stream IDs that hold from frame to frame.
///
/// The contract:
/// - an ID is positive, and never used again for another object of the stream;
/// - an object gets it with its `confirmAfter`-th matched detection, with no miss between, never before;
/// - it is kept over gaps of up to `lostAfter` seconds of stream time, and gone after longer ones. What was seen at the
///   last look is looked for at the next, however long that takes. Detections too weak to start a track continue one from
///   look to look, for as long after the last that was strong enough;
/// - an update reports the objects that were found in its detections, and no others;
/// - one object has one ID, also if it is detected as several classes, or twice, or its class changes; what lies by more
///   than half in another of its class that was found is taken for a part of it, and starts no track until it has come out;
/// - each tracker counts for itself; the same detections at the same times give the same IDs, in whatever order the
///   detections of a frame come. Boxes scaled by a power of two, all alike, are tracked alike to the bit.
///
/// The motion of each box is estimated by a Kalman filter in seconds of stream time. Detections are paired with tracks by
/// likelihood, those with high scores first: the pairs whose likelihoods multiply to the most, among those that overlap
/// when both are grown on each side. Before that, a movement that all objects share is taken for the camera's.
///
/// Sources: A. Bewley et al., "Simple Online and Realtime Tracking", 2016; Y. Zhang et al., "ByteTrack", 2022 (second
/// pass for low scores); F. Yang et al., "Hard to Track Objects with Irregular Motions and Similar Appearances? Make It
/// Easier by Buffering the Matching Space", 2022 (overlap of grown boxes); J. Cao et al., "Observation-Centric SORT",
/// 2023 (trust in what was seen over what was predicted).
public struct Tracker: ObservationTracking {
  public let options: TrackerOptions
  private var tracks: [Track] = []
  private var nextID = 1
  private var lastUpdate: Double?
  /// What happened to objects at the last update, by rising time and ID of each kind.
  public private(set) var events: [TrackEvent] = []
  /// Boxes that were not looked at because their frame had more than `maximumDetections`.
  public private(set) var detectionsOmitted = 0
  /// Boxes that were passed over because they hold no area, are out of all proportion, or are not made of numbers.
  public private(set) var detectionsSkipped = 0
  /// The lists of the last update, whose memory the next one uses.
  private var work = Workspace()

  /// So many detections of a frame, the best-scored, are used.
  public static let maximumDetections = 1000
  /// So many objects are remembered at once; beyond them those are forgotten first that have gone unseen the longest.
  public static let maximumTracks = 4000

  /// What is not an option.
  private enum Rule {
    /// Greatest cost of a pair, in units of log likelihood.
    static let cost = 6.0
    /// The least overlap of a low-scored detection with the track that it continues, without a buffer.
    static let lowScoreIoU = 0.6
    /// What is scored lower is not looked at.
    static let lowestScore = 0.1
    /// Detections of differing classes that overlap more than this are one object, and so are those of which no track is known.
    static let duplicateIoU = 0.8
    /// A detection starts no track if this share of it, or of a box of its class that was matched, is common to both.
    static let coveredFraction = 0.5
    /// Times that are equal but for rounding count as equal.
    static let timeTolerance = 1e-6
    /// Coordinates and sides of boxes that can be reckoned with, in pixels.
    static let coordinates = -1e9...1e9
    static let sides = 1e-6...1e9
  }

  public init(_ options: TrackerOptions = TrackerOptions()) { self.options = options }

  /// Takes the detections of one frame and reports the confirmed tracks that were matched on it.
  ///
  /// The order of `detections` does not matter. Boxes that are empty or not finite, and scores that are not numbers,
  /// are passed over.
  /// - Parameters:
  ///   - detections: objects without IDs.
  ///   - time: stream time in seconds, later than that of the last update; an earlier one counts as the same.
  /// - Returns: objects with IDs and the box of their detection, by rising ID.
  /// - Complexity: O(n · m) for n tracks and m detections, and O(k³) for k of them that compete for one another.
  public mutating func update(_ detections: [DetectedObject], at time: Double) -> [DetectedObject] {
    let last = lastUpdate ?? (time.isFinite ? time : 0)
    let time = time > last ? time : last
    events.removeAll(keepingCapacity: true)
    giveUp(at: time)
    for index in tracks.indices { tracks[index].predict(to: time) }
    var work = Workspace()
    swap(&work, &self.work)
    collect(detections, in: &work)
    expect(in: &work)
    pair(work.strong, in: &work) { _ in true }
    match(detections, in: &work)
    pair(work.weak, in: &work, minimumIoU: Rule.lowScoreIoU) {
      $0.id != nil && $0.isSeen && time - $0.lastStrongMatch <= options.lostAfter + Rule.timeTolerance
    }
    match(detections, in: &work)
    settle(work, at: time)
    start(detections, work, at: time)
    // What a flood of boxes took is given back.
    if !work.isLarge { swap(&work, &self.work) }
    lastUpdate = time
    return reported { $0.last.box }
  }

  /// The tracks that were matched at the last update, moved to a later time. Changes nothing.
  ///
  /// - Returns: objects with IDs, predicted boxes and their last score, by rising ID.
  public func predicted(at time: Double) -> [DetectedObject] { reported { $0.box(at: time) } }

  /// The place, in the list that the last update was given, of the detection of an object that it reported; `nil` if it
  /// reported no such object.
  public func source(of id: Int) -> Int? { tracks.first { $0.id == id && $0.isSeen }?.last.source }

  /// Ends all tracks with the stream, after which nothing is reported; `events` has their exits.
  ///
  /// - Parameter time: stream time in seconds of the end.
  public mutating func finish(at time: Double) {
    events.removeAll(keepingCapacity: true)
    for track in tracks {
      tell(.exit, track, at: min(time, max(exitTime(track), lastUpdate ?? time)))
    }
    tracks.removeAll()
  }

  private func reported(_ box: (Track) -> Box) -> [DetectedObject] {
    var objects: [DetectedObject] = []
    objects.reserveCapacity(tracks.count)
    for track in tracks where track.id != nil && track.isSeen {
      objects.append(track.object(box: box(track)))
    }
    objects.sort { ($0.id ?? 0) < ($1.id ?? 0) }
    return objects
  }

  private mutating func tell(_ kind: TrackEvent.Kind, _ track: Track, at time: Double) {
    guard let id = track.id else { return }
    events.append(TrackEvent(kind: kind, id: id, classIndex: track.classIndex, label: track.label, time: time))
  }
}

// MARK: - The life of a track

extension Tracker {
  /// Forgets the objects that were missed for too long.
  private mutating func giveUp(at time: Double) {
    guard tracks.contains(where: { isOver($0, at: time) }) else { return }
    for track in tracks where isOver(track, at: time) { tell(.exit, track, at: exitTime(track)) }
    events.sort { ($0.time, $0.id) < ($1.time, $1.id) }
    tracks = tracks.filter { !isOver($0, at: time) }
  }

  /// The tracks that are not given up at a time.
  func remembered(at time: Double) -> [Track] { tracks.filter { !isOver($0, at: time) } }

  /// When an object is given up: when it has been lost for too long, and was noticed to be.
  private func exitTime(_ track: Track) -> Double {
    max(track.lastMatch + options.lostAfter, track.lostSince ?? -.infinity)
  }

  private func isOver(_ track: Track, at time: Double) -> Bool {
    !track.isSeen && time - track.lastMatch > options.lostAfter + Rule.timeTolerance
  }

  /// What became of the tracks: confirmed, recovered, lost, or, if not confirmed and not found again, forgotten.
  private mutating func settle(_ work: Workspace, at time: Double) {
    for index in tracks.indices {
      let wasSeen = tracks[index].isSeen
      tracks[index].isSeen = work.isMatched[index]
      guard tracks[index].isSeen != wasSeen, tracks[index].id != nil else { continue }
      tracks[index].lostSince = wasSeen ? time : nil
      tell(wasSeen ? .lost : .recovered, tracks[index], at: time)
    }
    tracks.removeAll { $0.id == nil && !$0.isSeen }
    for index in tracks.indices { confirm(index, at: time) }
  }

  /// Gives a track its ID when it has been matched often enough.
  private mutating func confirm(_ index: Int, at time: Double) {
    guard tracks[index].id == nil, tracks[index].matchCount >= options.confirmAfter else { return }
    tracks[index].id = nextID
    nextID += 1
    tell(.enter, tracks[index], at: tracks[index].firstMatch)
    tell(.confirm, tracks[index], at: time)
  }

  /// Starts tracks of the detections that are of no track, unless they are of an object that was found already.
  private mutating func start(_ detections: [DetectedObject], _ work: Workspace, at time: Double) {
    let old = tracks.indices
    for index in work.strong where !work.isTaken[index] {
      let sighting = work.found[index]
      guard !tracks[old].contains(where: { $0.id != nil && $0.isSeen && Self.isCovered(sighting, by: $0.last) }),
        !tracks.contains(where: { $0.isSeen && $0.last.box.iou(sighting.box) > Rule.duplicateIoU })
      else { continue }
      tracks.append(Track(sighting, label: detections[sighting.source].label, at: time))
      confirm(tracks.count - 1, at: time)
    }
    forgetTheLongestLost(at: time)
  }

  private static func isCovered(_ one: TrackObservation, by other: TrackObservation) -> Bool {
    guard one.classIndex == other.classIndex, let shared = one.box.intersection(other.box) else { return false }
    return shared.area > Rule.coveredFraction * min(one.box.area, other.box.area)
  }

  private mutating func forgetTheLongestLost(at time: Double) {
    let excess = tracks.count - Self.maximumTracks
    guard excess > 0 else { return }
    let oldest = tracks.indices.sorted { (tracks[$0].lastMatch, $0) < (tracks[$1].lastMatch, $1) }.prefix(excess)
    for index in oldest { tell(.exit, tracks[index], at: time) }
    let forgotten = Set(oldest)
    tracks = tracks.indices.filter { !forgotten.contains($0) }.map { tracks[$0] }
  }
}

// MARK: - Association

/// The lists of one update. What is left of it when the update is done is no part of a tracker's value.
private struct Workspace: Hashable, Sendable {
  /// The detections that can be used, best-scored first and otherwise in an order that does not depend on theirs, without
  /// doubles of one object.
  var found: [TrackObservation] = []
  /// Those of `found` that may start a track, and the others.
  var strong = 0..<0
  var weak = 0..<0
  /// What each track expects, the camera's movement taken into account.
  var expectations: [Expectation] = []
  /// Those of the tracks that were seen at the last look.
  var seen: [Expectation] = []
  var candidates: [Candidate] = []
  var association = Association()
  /// For each track whether it has a detection.
  var isMatched: [Bool] = []
  /// For each detection whether it has a track.
  var isTaken: [Bool] = []

  var isLarge: Bool { max(candidates.capacity, association.capacity) > 1 << 16 }

  static func == (one: Workspace, other: Workspace) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension Tracker {
  /// Sets what is found, and that nothing of it is matched.
  private mutating func collect(_ detections: [DetectedObject], in work: inout Workspace) {
    work.found.removeAll(keepingCapacity: true)
    let lowestScore = min(Rule.lowestScore, options.minimumScore)
    for (index, object) in detections.enumerated() {
      guard Self.isUsable(object) else {
        detectionsSkipped += 1
        continue
      }
      guard object.score >= lowestScore else { continue }
      work.found.append(
        TrackObservation(box: object.box, score: object.score, classIndex: object.classIndex, source: index))
    }
    work.found.sort(by: Self.precedes)
    if work.found.count > Self.maximumDetections {
      detectionsOmitted += work.found.count - Self.maximumDetections
      work.found.removeLast(work.found.count - Self.maximumDetections)
    }
    Self.removeDoubles(from: &work.found)
    let strongCount = work.found.firstIndex { $0.score < options.minimumScore } ?? work.found.count
    work.strong = 0..<strongCount
    work.weak = strongCount..<work.found.count
    work.isMatched.fill(false, count: tracks.count)
    work.isTaken.fill(false, count: work.found.count)
  }

  /// Keeps the first of those that are of differing classes and lie in one place.
  private static func removeDoubles(from sorted: inout [TrackObservation]) {
    guard sorted.contains(where: { $0.classIndex != sorted[0].classIndex }) else { return }
    var count = 0
    for index in sorted.indices {
      let candidate = sorted[index]
      let isDouble = sorted[..<count].contains {
        $0.classIndex != candidate.classIndex && $0.box.iou(candidate.box) > Rule.duplicateIoU
      }
      guard !isDouble else { continue }
      sorted[count] = candidate
      count += 1
    }
    sorted.removeLast(sorted.count - count)
  }

  private static func isUsable(_ object: DetectedObject) -> Bool {
    let box = object.box
    return object.score.isFinite && Rule.sides.contains(box.width) && Rule.sides.contains(box.height)
      && Rule.coordinates.contains(box.x) && Rule.coordinates.contains(box.y)
  }

  /// By falling score; then by place, so that the order is the same however the detections came.
  private static func precedes(_ one: TrackObservation, _ other: TrackObservation) -> Bool {
    if one.score != other.score { return one.score > other.score }
    let (a, b) = (one.box, other.box)
    if (a.x, a.y, a.width, a.height) != (b.x, b.y, b.width, b.height) {
      return (a.x, a.y, a.width, a.height) < (b.x, b.y, b.width, b.height)
    }
    return one.classIndex < other.classIndex
  }

  /// Sets what each track expects.
  private mutating func expect(in work: inout Workspace) {
    work.expectations.removeAll(keepingCapacity: true)
    work.seen.removeAll(keepingCapacity: true)
    for track in tracks {
      let expectation = Expectation(track)
      work.expectations.append(expectation)
      if track.id != nil && track.isSeen { work.seen.append(expectation) }
    }
    guard let shift = CameraMotion.find(work.seen, work.found[work.strong]) else { return }
    for index in tracks.indices {
      tracks[index].shift(by: shift)
      work.expectations[index] = Expectation(tracks[index])
    }
  }

  /// Finds the best pairs of tracks that are not matched and detections that are not taken.
  ///
  /// - Parameters:
  ///   - range: the detections that are looked at.
  ///   - minimumIoU: that is wanted of boxes as they are, not grown.
  private func pair(
    _ range: Range<Int>, in work: inout Workspace, minimumIoU: Double = 0, where isCandidate: (Track) -> Bool
  ) {
    work.candidates.removeAll(keepingCapacity: true)
    for track in tracks.indices where !range.isEmpty && !work.isMatched[track] && isCandidate(tracks[track]) {
      let expectation = work.expectations[track]
      for index in range where !work.isTaken[index] {
        let box = work.found[index].box
        guard expectation.mayBe(box, minimumIoU: options.minimumIoU),
          minimumIoU == 0 || expectation.box.iou(box) >= minimumIoU
        else { continue }
        let gain = Rule.cost - expectation.cost(work.found[index])
        if gain > 0 { work.candidates.append(Candidate(track: track, detection: index, gain: gain)) }
      }
    }
    work.association.pick(work.candidates, trackCount: tracks.count, detectionCount: work.found.count)
  }

  /// Gives the tracks of the pairs that were found their detections.
  private mutating func match(_ detections: [DetectedObject], in work: inout Workspace) {
    for pair in work.association.pairs {
      let sighting = work.found[pair.detection]
      tracks[pair.track].match(
        sighting, isStrong: work.strong.contains(pair.detection), label: detections[sighting.source].label)
      work.isMatched[pair.track] = true
      work.isTaken[pair.detection] = true
    }
  }
}
