internal import VStreamScene

/// A detection inside the tracker, without its label.
struct TrackObservation: Hashable, Sendable {
  let box: Box
  let score: Double
  let classIndex: Int
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
  /// Stream time of the last matched detection whose score could start a track.
  private(set) var lastStrongMatch: Double
  private(set) var matchCount = 1
  /// The scale of the search that found it last; 0 for the whole frame.
  var searchScale = 0.0
  /// The searches for it on the whole frame alone.
  var wholeSearches = SearchCount()
  /// Whether it is probably no object: it is followed, and not reported. Its ID is `nil` once it was not detected for long.
  var isDoubtful = false
  private(set) var evidence: TrackEvidence
  /// The last matched detection.
  private(set) var last: TrackObservation
  /// The classes that it was detected as.
  private var votes: [Vote]
  /// Index of the class with the greatest weight in `votes`; of equal weights the lower class index wins.
  private var winner = 0

  private struct Vote: Hashable {
    let classIndex: Int
    let label: String
    /// Sum of the scores of the detections of this class.
    var weight: Double
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

  /// The class with the greatest weight.
  var classIndex: Int { votes[winner].classIndex }
  /// The name of that class.
  var label: String { votes[winner].label }

  /// Predicts the state at a later time.
  mutating func predict(to time: Double) {
    guard time > self.time else { return }
    filter.predict(seconds: time - self.time)
    self.time = time
  }

  /// Notes that it was not searched for up to a later time.
  ///
  /// - Parameter isStill: whether it has not moved meanwhile: its state is kept then.
  mutating func rest(until time: Double, isStill: Bool) {
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

  /// Starts again with the last detection, without an ID.
  mutating func restart() {
    let scale = searchScale
    self = Track(last, label: label, at: time)
    searchScale = scale
  }

  /// Notes that a search did not find it.
  mutating func miss() { evidence.addWeak() }

  /// Updates the state with a detection of the object, at the time of the last prediction.
  ///
  /// - Parameters:
  ///   - isStrong: whether its score could start a track.
  ///   - label: the name of the detection's class.
  mutating func match(_ detection: TrackObservation, isStrong: Bool, label: @autoclosure () -> String) {
    filter.correct(detection.box)
    lastMatch = time
    if isStrong {
      lastStrongMatch = time
      evidence.add(score: detection.score, box: filter.box(), at: time)
    } else {
      evidence.addWeak()
    }
    last = detection
    matchCount += 1
    if let index = votes.firstIndex(where: { $0.classIndex == detection.classIndex }) {
      votes[index].weight += detection.score
    } else {
      votes.append(Vote(classIndex: detection.classIndex, label: label(), weight: detection.score))
    }
    countVotes()
  }

  private mutating func countVotes() {
    guard votes.count > 1 else { return }
    for (index, vote) in votes.enumerated()
    where (vote.weight, classIndex) > (votes[winner].weight, vote.classIndex) { winner = index }
  }

  /// The box predicted for a stream time. Changes nothing.
  func box(at time: Double) -> Box { filter.box(after: max(0, time - self.time)) }

  /// The track as it is reported: its ID, its class and its last score, with a box.
  func object(box: Box) -> DetectedObject {
    var object = DetectedObject(id: id, classIndex: classIndex, label: label, score: last.score, box: box)
    object.isPredicted = !isMatched
    return object
  }
}
