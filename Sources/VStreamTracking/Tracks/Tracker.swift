package import VStreamCore

/// Gives the objects of one stream IDs that are stable from frame to frame.
///
/// The contract:
/// - an ID is positive, and never reused for another object of the stream;
/// - an object gets its ID with its `confirmAfter`-th matched detection in a row, never before;
/// - it keeps the ID over gaps of up to `lostAfter` seconds of stream time, and loses it after longer ones. A track that was
///   matched at the last update is searched for at the next one, however late that is. Detections with scores too low to
///   start a track continue one for up to `lostAfter` seconds after its last detection with a sufficient score;
/// - an update reports the objects that were matched with its detections; also, as predicted,
///   unobserved ones, where only parts of a frame were searched;
/// - an unobserved object is not missed: it does not count as a gap, and breaks no row of detections, for up to
///   `unobservedTime` seconds;
/// - a track that has not moved for two seconds is continued, without a limit, by detections with half of `minimumScore`;
/// - a track that has not moved since its first detection, and whose scores stay near `minimumScore`, below as well as above,
///   is not reported after its first two seconds, until it moves or has higher scores (`TrackerOptions.omitsDoubtful`); it
///   keeps its ID for a day without a detection, and is the same object when it is detected at its old position;
/// - detections of one box as several related classes, such as car and truck, have their scores combined for that;
/// - no ID goes on in another shot (`change(toShot:)`), but it does where its own shot goes on, for up to `lostAfter` seconds;
/// - one object has one ID, even if it is detected as several classes, or twice, or its class changes; a detection that
///   lies by more than half in a matched object of its class is regarded as a part of it, and starts no track until it
///   separates;
/// - trackers are independent of each other; the same detections at the same times give the same IDs, whatever the order of
///   a frame's detections. Boxes that are all scaled by the same power of two are tracked identically to the bit.
///
/// A Kalman filter in seconds of stream time estimates the motion of each box. Detections are assigned to tracks by
/// likelihood, those with high scores first: the assignment has the greatest product of likelihoods among pairs that overlap
/// when both boxes are enlarged on each side. Before that, a motion that all objects share is attributed to the camera.
///
/// Sources: A. Bewley et al., "Simple Online and Realtime Tracking", 2016; Y. Zhang et al., "ByteTrack", 2022 (second
/// pass for low scores); F. Yang et al., "Hard to Track Objects with Irregular Motions and Similar Appearances? Make It
/// Easier by Buffering the Matching Space", 2022 (overlap of enlarged boxes); J. Cao et al., "Observation-Centric SORT",
/// 2023 (weight of observations over predictions).
package struct Tracker: ObservationTracking {
  package let options: TrackerOptions
  var tracks: [Track] = []
  private var shot = 0
  var otherShots: [Int: [Track]] = [:]
  var nextID = 1
  /// The maximum cost of a pair, in units of log likelihood.
  var maximumCost = 6.0
  private var lastUpdate: Double?
  /// The track events of the last update, by ascending time and ID within each kind.
  package internal(set) var events: [TrackEvent] = []
  /// The number of detections ignored because their frame had more than `maximumDetections`.
  package internal(set) var detectionsOmitted = 0
  /// The number of detections ignored because their box is empty, or its numbers or score are out of range or not finite.
  package internal(set) var detectionsSkipped = 0
  /// The arrays of the last update, kept so that the next one reuses their memory.
  private var work = TrackerWorkspace()

  /// The maximum number of detections used of a frame, those with the highest scores.
  package static let maximumDetections = 1000
  /// The maximum number of tracks; beyond it the tracks lost the longest are removed first.
  package static let maximumTracks = 4000
  /// Seconds of stream time for which a track is continued without being searched for; then it counts as missed.
  package static let unobservedTime = 2.0

  /// The maximum number of other shots whose tracks are kept.
  private static let maximumShots = 16

  /// Constants that are not options.
  enum Rule {
    /// The minimum overlap of a detection with a low score and the track that it continues, without a buffer.
    static let lowScoreIoU = 0.6
    /// The lowest score of a detection that continues a tentative track of a rare class, as a fraction of the minimum.
    static let almostMinimum = 0.8
    /// Detections with lower scores are ignored.
    static let lowestScore = 0.1
    /// Detections of different classes that overlap more than this are one object; a detection that overlaps a matched one
    /// more than this starts no track.
    static let duplicateIoU = 0.8
    /// The same, for classes of one family.
    static let relatedIoU = 0.5
    /// A detection starts no track if it shares more than this fraction of the smaller box with a matched one of its class.
    static let coveredFraction = 0.5
    /// Times that differ by less are equal, since they are rounded.
    static let timeTolerance = 1e-6
    /// A search misses an object if its scale is at least this fraction of that of the search which found it.
    static let searchScale = 0.7
    /// Seconds after its first detection from which a track may be doubtful.
    static let doubtDelay = 2.0
    /// Seconds for which a doubtful track is remembered that is not detected any more.
    static let doubtMemory = 86_400.0
    /// The range of valid coordinates and side lengths, in pixels.
    static let coordinates = -1e9...1e9
    static let sides = 1e-6...1e9
    /// The range of valid scores: beyond 0…1, as some detectors report them, but such that they can be written.
    static let scores = -1e9...1e9
  }

  package init(_ options: TrackerOptions = TrackerOptions()) { self.options = options }

  /// Associates the detections of one frame with tracks, and returns the confirmed tracks that were matched or not searched
  /// for.
  ///
  /// The order of `detections` does not matter. Boxes that are empty or not finite, and scores that are not numbers,
  /// are ignored.
  /// - Parameters:
  ///   - detections: objects without IDs.
  ///   - search: where they were searched for; `nil` for the whole frame.
  ///   - time: stream time in seconds, later than that of the last update; an earlier one counts as the same.
  /// - Returns: objects with IDs and smoothed boxes, or predicted ones, by ascending ID.
  /// - Complexity: O(n · m) for n tracks and m detections, and O(k³) for k of them that compete for one another.
  package mutating func update(
    _ detections: [DetectedObject], searched search: FrameSearch?, at time: Double
  ) -> [DetectedObject] {
    let last = lastUpdate ?? (time.isFinite ? time : 0)
    let time = time > last ? time : last
    events.removeAll(keepingCapacity: true)
    removeExpiredTracks(at: time)
    for index in tracks.indices {
      if isExpired(tracks[index], at: time) { tracks[index].keep(until: time) } else { tracks[index].predict(to: time) }
    }
    loseOtherShots(at: time)
    var work = TrackerWorkspace()
    swap(&work, &self.work)
    collect(detections, in: &work)
    predict(in: &work, searched: search)
    assign(work.strong, in: &work) { _ in true }
    match(detections, in: &work)
    assign(work.weak, in: &work, minimumIoU: Rule.lowScoreIoU) {
      $0.id != nil && ($0.lostSince == nil || $0.isStill)
        && time - $0.lastStrongMatch <= options.lostAfterSeconds + Rule.timeTolerance
    }
    match(detections, in: &work)
    let almost = work.weak.prefix { work.detections[$0].score >= Rule.almostMinimum * options.minimumScore }
    assign(almost, in: &work, minimumIoU: Rule.lowScoreIoU) { $0.id == nil && $0.wasDetected(as: Self.rareClasses) }
    match(detections, in: &work)
    updateStates(work, searched: search, at: time)
    startTracks(detections, work, searched: search, at: time)
    // The memory that an unusually crowded frame needed is freed.
    if !work.isLarge { swap(&work, &self.work) }
    lastUpdate = time
    return reported { $0.isMatched ? $0.smoothedBox : $0.box(at: time) }
  }

  package mutating func idle(until time: Double, where isStill: (Box) -> Bool) {
    guard let lastUpdate, time > lastUpdate else { return }
    for index in tracks.indices where tracks[index].lostSince == nil {
      tracks[index].idle(until: time, isStill: isStill(tracks[index].filter.box()))
    }
    self.lastUpdate = time
  }

  package mutating func change(toShot shot: Int) {
    guard shot != self.shot else { return }
    otherShots[self.shot] = tracks
    tracks = otherShots.removeValue(forKey: shot) ?? []
    if otherShots.count > Self.maximumShots { otherShots[otherShots.keys.min() ?? 0] = nil }
    self.shot = shot
  }

  /// The tracks that were not missed at the last update, predicted for a later time. Changes nothing.
  ///
  /// - Returns: objects with IDs, predicted boxes and their last score, by ascending ID.
  package func predicted(at time: Double) -> [DetectedObject] {
    var objects = reported { $0.box(at: time) }
    for index in objects.indices { (objects[index].isPredicted, objects[index].detectedLabel) = (true, nil) }
    return objects
  }

  /// The index, in the detections of the last update, of the one matched with an object; `nil` if the update did not report
  /// the object.
  package func source(of id: Int) -> Int? { tracks.first { $0.id == id && $0.isMatched }?.last.source }

  /// The boxes of the detections that the last update reported as objects.
  var matchedBoxes: [Box] {
    tracks.filter { $0.isMatched && $0.id != nil && $0.lostSince == nil }.map(\.last.box)
  }

  /// Ends all tracks with the stream: nothing is reported any more; `events` has their exits.
  ///
  /// - Parameter time: stream time in seconds of the stream's end.
  package mutating func finish(at time: Double) {
    events.removeAll(keepingCapacity: true)
    for track in tracks + otherShots.sorted(by: { $0.key < $1.key }).flatMap(\.value) {
      addEvent(.exit, track, at: min(time, max(exitTime(track), lastUpdate ?? time)))
    }
    tracks.removeAll()
    otherShots.removeAll()
  }

  private func reported(_ box: (Track) -> Box) -> [DetectedObject] {
    var objects: [DetectedObject] = []
    objects.reserveCapacity(tracks.count)
    for track in tracks where track.id != nil && track.lostSince == nil {
      objects.append(track.object(box: box(track)))
    }
    objects.sort { ($0.id ?? 0) < ($1.id ?? 0) }
    return objects
  }
}

/// The options of a tracker. Durations are of stream time.
public struct TrackerOptions: Hashable, Sendable {
  /// The lowest score that starts a track; detections with lower scores may continue one for up to `lostAfter`.
  public var minimumScore: Double
  /// How long an object may stay undetected and keep its ID.
  public var lostAfter: Duration {
    get { .seconds(lostAfterSeconds) }
    set { lostAfterSeconds = newValue.inSeconds }
  }
  package var lostAfterSeconds: Double
  /// The number of matched detections from which a track is confirmed and has an ID.
  public var confirmAfter: Int
  /// The minimum overlap between an object's predicted box and a detection of it, both enlarged by a buffer.
  public var minimumIoU: Double
  /// Whether tracks are omitted that never moved and whose scores stay near `minimumScore`: probably no objects.
  public var omitsDoubtful = true

  public init(
    minimumScore: Double = 0.5, lostAfter: Duration = .seconds(1), confirmAfter: Int = 2, minimumIoU: Double = 0.2
  ) {
    self.init(
      minimumScore: minimumScore, lostAfterSeconds: lostAfter.inSeconds, confirmAfter: confirmAfter,
      minimumIoU: minimumIoU)
  }

  package init(minimumScore: Double = 0.5, lostAfterSeconds: Double, confirmAfter: Int = 2, minimumIoU: Double = 0.2) {
    self.minimumScore = minimumScore
    self.lostAfterSeconds = lostAfterSeconds
    self.confirmAfter = confirmAfter
    self.minimumIoU = minimumIoU
  }

  /// - Throws: `VStreamError.usage` for a number that has no meaning.
  package func check() throws(VStreamError) {
    try NumberLimit.score.check(minimumScore, of: .minimumScore)
    try NumberLimit.seconds.check(lostAfterSeconds, of: .lostAfter)
    try NumberLimit.count(of: "detections").check(confirmAfter, of: .confirmAfter)
    try NumberLimit.overlap.check(minimumIoU, of: .minimumIoU)
  }
}

/// The arrays of one update. They are scratch memory, and not part of a tracker's value: all workspaces are equal.
struct TrackerWorkspace: Hashable, Sendable {
  /// The valid detections without duplicates of one object, by descending score; the order does not depend on the input's.
  var detections: [TrackObservation] = []
  /// The ranges of `detections` that may start a track, and that may only continue one.
  var strong = 0..<0
  var weak = 0..<0
  /// The prediction of each track, corrected for the camera's motion.
  var predictions: [TrackPrediction] = []
  /// The predictions of the confirmed tracks that were matched at the last update.
  var matchedPredictions: [TrackPrediction] = []
  var candidates: [Candidate] = []
  var association = Association()
  /// For each track whether a detection is assigned to it.
  var isMatched: [Bool] = []
  /// For each detection whether it is assigned to a track.
  var isTaken: [Bool] = []

  var isLarge: Bool { max(candidates.capacity, association.capacity) > 1 << 16 }

  static func == (one: TrackerWorkspace, other: TrackerWorkspace) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
