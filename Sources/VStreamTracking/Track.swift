internal import VStreamScene

/// One object over time, as the tracker knows it.
struct Track: Hashable, Sendable {
  /// Given at confirmation.
  var id: Int?
  private var filter: BoxFilter
  /// Stream time in seconds that `filter` stands at.
  private var time: Double
  /// Stream time of the last detection that was matched.
  private(set) var lastMatch: Double
  private(set) var matchCount = 1
  /// The last detection that was matched.
  private(set) var lastDetection: DetectedObject
  /// Sum of the scores that each class was detected with.
  private var votes: [Int: Double]
  /// Name of each class that was voted for.
  private var labels: [Int: String]

  init(_ detection: DetectedObject, at time: Double) {
    filter = BoxFilter(detection.box)
    self.time = time
    lastMatch = time
    lastDetection = detection
    votes = [detection.classIndex: detection.score]
    labels = [detection.classIndex: detection.label]
  }

  /// The class with the most votes; the lower number wins a tie.
  var classIndex: Int {
    votes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? lastDetection.classIndex
  }

  mutating func predict(to time: Double) {
    guard time > self.time else { return }
    filter.predict(seconds: time - self.time)
    self.time = time
  }

  mutating func match(_ detection: DetectedObject, at time: Double) {
    predict(to: time)
    filter.correct(detection.box)
    lastMatch = time
    lastDetection = detection
    matchCount += 1
    votes[detection.classIndex, default: 0] += detection.score
    labels[detection.classIndex] = detection.label
  }

  /// Where the object is, or will be, at a stream time; the track itself does not change.
  func box(at time: Double) -> Box { filter.box(after: max(0, time - self.time)) }

  /// The track as it is reported: its ID and steady label, with a box.
  func object(box: Box) -> DetectedObject {
    let index = classIndex
    return DetectedObject(
      id: id, classIndex: index, label: labels[index] ?? lastDetection.label, score: lastDetection.score, box: box)
  }
}
