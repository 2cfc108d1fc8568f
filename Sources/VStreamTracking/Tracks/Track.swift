package import VStreamCore

/// A detection inside the tracker, without its label.
struct TrackObservation: Hashable, Sendable {
  let box: Box
  let score: Double
  /// The score of an object of any class of the family: the detections' scores of one box, combined over its classes.
  var familyScore: Double
  let classIndex: Int
  let family: ClassFamily?
  /// Index in the detections of the update.
  let source: Int
}

/// The state of one tracked object.
struct Track: Hashable, Sendable {
  /// `nil` until confirmation.
  var id: Int?
  /// Whether it was matched at the last update.
  var isMatched = true
  /// Stream time of the first update that missed it: searched for it, and did not match it; `nil` while it is matched or not
  /// searched for.
  var lostSince: Double?
  /// Stream time of the first update since the last match that did not search for it.
  var unobservedSince: Double?
  private(set) var filter: BoxFilter
  /// Stream time of the state of `filter`, in seconds.
  private var time: Double
  /// Stream time of the first detection.
  let firstMatch: Double
  /// Stream time of the last matched detection.
  private(set) var lastMatch: Double
  /// Stream time of the last matched detection whose score could start a track, or suffices for an object that stays where it is.
  private(set) var lastStrongMatch: Double
  private(set) var matchCount = 1
  /// Matched detections since the last search that did not find it.
  private(set) var matchesInRow = 1
  /// Whether it was not predicted at the last update, as it is doubtful and has not been detected for long.
  private(set) var isDormant = false
  /// The scale of the search that found it last; 0 for the whole frame.
  var searchScale = 0.0
  /// The searches for it on the whole frame alone.
  var wholeSearches = SearchCount()
  /// Whether it is probably no object: it is followed, and not reported.
  var isDoubtful = false
  private(set) var evidence: TrackEvidence
  /// The last matched detection.
  private(set) var last: TrackObservation
  /// The classes that it was detected as.
  private var votes: [Vote]
  /// Index in `votes` of the track's class: the first, or one that has clearly outweighed it.
  private var winner = 0
  /// Index of the class of the last detection in `votes`.
  private var detected = 0

  private struct Vote: Hashable {
    let classIndex: Int
    let label: String
    /// Sum of the scores of the detections of this class.
    var weight: Double
  }

  private enum Rule {
    /// The lowest score that holds a track which stays where it is, as a fraction of the minimum score.
    static let heldScore = 0.5
    /// The lead of another class's score sum that replaces the track's class.
    static let lead = 1.0
    /// Seconds that an object must have stayed where it is.
    static let stillTime = 2.0
  }

  init(_ detection: TrackObservation, label: String, at time: Double) {
    filter = BoxFilter(detection.box)
    self.time = time
    firstMatch = time
    lastMatch = time
    lastStrongMatch = time
    last = detection
    evidence = TrackEvidence(detection, at: time)
    votes = [Vote(classIndex: detection.classIndex, label: label, weight: detection.score)]
  }

  /// Whether it was detected as one of these classes.
  func wasDetected(as labels: Set<String>) -> Bool { votes.contains { labels.contains($0.label) } }

  /// The family of the class of the last detection.
  var family: ClassFamily? { last.family }
  var classIndex: Int { votes[winner].classIndex }
  /// The name of that class.
  var label: String { votes[winner].label }

  /// Predicts the state at a later time.
  mutating func predict(to time: Double) {
    guard time > self.time else { return }
    filter.predict(seconds: time - self.time)
    self.time = time
    isDormant = false
  }

  /// Keeps the state up to a later time, as it is not expected to move.
  mutating func keep(until time: Double) {
    self.time = max(time, self.time)
    isDormant = true
  }

  /// Notes idle frames, which were not searched, up to a later time.
  ///
  /// - Parameter isStill: whether it has not moved meanwhile: its state is kept then.
  mutating func idle(until time: Double, isStill: Bool) {
    guard time > self.time else { return }
    lastMatch += time - self.time
    unobservedSince = nil
    if isStill { self.time = time } else { predict(to: time) }
  }

  /// Corrects the state for the camera's motion.
  mutating func shift(by distance: Point) {
    filter.shift(by: distance)
    evidence.shift(by: distance)
  }

  /// Notes that a search did not find it.
  mutating func miss() {
    matchesInRow = 0
    if lostSince == nil { evidence.addWeak(score: 0) }
  }

  /// Whether a detection with a low score continues it without a limit: it stays where it is, and has done so for long.
  func isHeld(by score: Double, minimumScore: Double) -> Bool {
    isStill && score >= Rule.heldScore * minimumScore
  }

  /// Whether it has stayed where it was first detected for long.
  var isStill: Bool { !isDoubtful && !evidence.hasMoved && lastMatch - firstMatch >= Rule.stillTime }

  /// Updates the state with a detection of the object, at the time of the last prediction.
  ///
  /// - Parameters:
  ///   - minimumScore: the lowest score that could start a track.
  ///   - label: the name of the detection's class.
  mutating func match(_ detection: TrackObservation, minimumScore: Double, label: @autoclosure () -> String) {
    filter.correct(detection.box)
    lastMatch = time
    if detection.familyScore >= minimumScore {
      lastStrongMatch = time
      evidence.add(score: detection.familyScore, box: filter.box(), at: time)
    } else {
      if isHeld(by: detection.score, minimumScore: minimumScore) { lastStrongMatch = time }
      evidence.addWeak(score: detection.score)
    }
    last = detection
    isDormant = false
    matchCount += 1
    matchesInRow += 1
    if let index = votes.firstIndex(where: { $0.classIndex == detection.classIndex }) {
      votes[index].weight += detection.score
      detected = index
    } else {
      detected = votes.count
      votes.append(Vote(classIndex: detection.classIndex, label: label(), weight: detection.score))
    }
    countVotes()
  }

  private mutating func countVotes() {
    for (index, vote) in votes.enumerated() where vote.weight > votes[winner].weight + Rule.lead { winner = index }
  }

  /// The box predicted for a stream time. Changes nothing.
  func box(at time: Double) -> Box { filter.box(after: max(0, time - self.time)) }

  /// The mean of the last detection, which jitters, and its estimate, which follows with a delay.
  var smoothedBox: Box {
    let (detected, estimate) = (last.box, filter.box())
    return Box(
      x: (detected.x + estimate.x) / 2, y: (detected.y + estimate.y) / 2,
      width: (detected.width + estimate.width) / 2, height: (detected.height + estimate.height) / 2)
  }

  /// The track as it is reported: its ID, its class and its last score, with a box.
  func object(box: Box) -> DetectedObject {
    var object = DetectedObject(id: id, classIndex: classIndex, label: label, score: last.score, box: box)
    object.isPredicted = !isMatched
    if isMatched, detected != winner { object.detectedLabel = votes[detected].label }
    return object
  }
}

/// How many searches for an object found it, recent ones counted more.
package struct SearchCount: Hashable, Sendable {
  private var found = 0.0
  private var total = 0.0

  /// The weight of a search in the count after the next one.
  private static let memory = 0.8
  /// The weight of the prior, which holds before the first search.
  private static let expectedWeight = 1.0

  package init() {}

  mutating func add(wasFound: Bool) {
    found = Self.memory * found + (wasFound ? 1 : 0)
    total = Self.memory * total + 1
  }

  /// How often searches find it, 0 to 1.
  ///
  /// - Parameter expected: the prior, before the first search.
  package func rate(expected: Double) -> Double {
    (found + Self.expectedWeight * expected) / (total + Self.expectedWeight)
  }
}

/// The state of a track at a time, whether it was matched at the last update or not.
package struct TrackSnapshot: Hashable, Sendable {
  /// The track's ID (`nil` before confirmation), class and last score, with its predicted box.
  package var object: DetectedObject
  /// Velocity of the box's centre, in pixels per second.
  package var velocity: Point
  /// Stream time of the last matched detection, in seconds.
  package var observedAt: Double
  /// Box of the last matched detection.
  package var observedBox: Box
  /// Whether it was matched once only, so that its velocity is unknown.
  package var isNew: Bool
  /// Whether the last search for it did not find it.
  package var isLost: Bool
  /// The scale of the search that found it last; 0 for the whole frame.
  package var searchScale: Double
  /// The searches for it on the whole frame alone.
  package var wholeSearches: SearchCount
}

extension Tracker {
  /// All tracks that have not expired at a time, lost and tentative ones too, by ascending ID. Changes nothing.
  package func snapshots(at time: Double) -> [TrackSnapshot] {
    activeTracks(at: time).map { track in
      let (now, later) = (track.box(at: time).center, track.box(at: time + 1).center)
      return TrackSnapshot(
        object: track.object(box: track.lastMatch >= time ? track.last.box : track.box(at: time)),
        velocity: Point(x: later.x - now.x, y: later.y - now.y), observedAt: track.lastMatch,
        observedBox: track.last.box, isNew: track.matchCount == 1, isLost: track.lostSince != nil,
        searchScale: track.searchScale, wholeSearches: track.wholeSearches)
    }
    .sorted { ($0.object.id ?? 0) < ($1.object.id ?? 0) }
  }
}
