internal import VStreamScene

/// A detection as the tracker handles it, without its name.
struct TrackObservation: Hashable, Sendable {
  let box: Box
  let score: Double
  let classIndex: Int
  /// Place in the list of detections that the tracker was given.
  let source: Int
}

/// One object over time, as the tracker knows it.
struct Track: Hashable, Sendable {
  /// Given at confirmation.
  var id: Int?
  /// Whether it was matched at the last update.
  var isSeen = true
  /// Stream time of the first look that did not find it; `nil` while it is found.
  var lostSince: Double?
  private(set) var filter: BoxFilter
  /// Stream time in seconds that `filter` stands at.
  private var time: Double
  /// Stream time of the first detection.
  let firstMatch: Double
  /// Stream time of the last detection that was matched.
  private(set) var lastMatch: Double
  /// Stream time of the last detection whose score would start a track.
  private(set) var lastStrongMatch: Double
  private(set) var matchCount = 1
  /// The last detection that was matched.
  private(set) var last: TrackObservation
  /// What it was detected as.
  private var votes: [Vote]
  /// Which of `votes` has the most weight; the lower class number wins a tie.
  private var steady = 0

  private struct Vote: Hashable {
    let classIndex: Int
    let label: String
    /// Sum of the scores of its detections.
    var weight: Double
  }

  init(_ sighting: TrackObservation, label: String, at time: Double) {
    filter = BoxFilter(sighting.box)
    self.time = time
    firstMatch = time
    lastMatch = time
    lastStrongMatch = time
    last = sighting
    votes = [Vote(classIndex: sighting.classIndex, label: label, weight: sighting.score)]
  }

  /// The class with the most votes.
  var classIndex: Int { votes[steady].classIndex }
  /// The name of that class.
  var label: String { votes[steady].label }

  /// Moves the expectation to a later time.
  mutating func predict(to time: Double) {
    guard time > self.time else { return }
    filter.predict(seconds: time - self.time)
    self.time = time
  }

  /// Moves the expectation along with the picture.
  mutating func shift(by distance: Point) { filter.shift(by: distance) }

  /// Takes a detection as one of this object, at the time that was predicted to.
  ///
  /// - Parameters:
  ///   - isStrong: whether its score would start a track.
  ///   - label: the name of the detection's class.
  mutating func match(_ sighting: TrackObservation, isStrong: Bool, label: @autoclosure () -> String) {
    filter.correct(sighting.box)
    lastMatch = time
    if isStrong { lastStrongMatch = time }
    last = sighting
    matchCount += 1
    if let index = votes.firstIndex(where: { $0.classIndex == sighting.classIndex }) {
      votes[index].weight += sighting.score
    } else {
      votes.append(Vote(classIndex: sighting.classIndex, label: label(), weight: sighting.score))
    }
    countVotes()
  }

  private mutating func countVotes() {
    guard votes.count > 1 else { return }
    for (index, vote) in votes.enumerated()
    where (vote.weight, classIndex) > (votes[steady].weight, vote.classIndex) { steady = index }
  }

  /// Where the object is, or will be, at a stream time; the track itself does not change.
  func box(at time: Double) -> Box { filter.box(after: max(0, time - self.time)) }

  /// The track as it is reported: its ID and steady label, with a box.
  func object(box: Box) -> DetectedObject {
    DetectedObject(id: id, classIndex: classIndex, label: label, score: last.score, box: box)
  }
}
