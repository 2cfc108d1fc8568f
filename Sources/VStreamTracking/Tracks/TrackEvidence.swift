internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// The evidence that a track is an object: how high its scores are, and whether it has moved since it was first detected.
///
/// A pattern that a detector takes for an object, such as a sign for a person, stays where it is, and its score stays near
/// the threshold, sometimes above and sometimes below.
struct TrackEvidence: Hashable, Sendable {
  /// The first detection, corrected for the camera's motion.
  private var origin: Box
  private(set) var hasMoved = false
  /// The running mean of the scores that could start a track.
  private var meanScore: Double
  /// Stream time of the last such score, in seconds.
  private var lastTime: Double
  private var strongCount = 1
  /// Searches that found it with a lower score, or not at all.
  private(set) var weakCount = 0
  private var scoreSum: Double
  private var searchCount = 1

  private enum Rule {
    /// An object has moved if it overlaps its first detection less than this.
    static let stillIoU = 0.4
    /// The time constant of the mean score, in seconds.
    static let meanTime = 2.0
    /// Searches with a low score, or without a detection, that make a track doubtful.
    static let weakSearches = 3
    /// The mean score below which a track is doubtful, and from which it is so no longer: as fractions of the distance from
    /// the minimum to 1.
    static let doubtful = 0.1
    static let certain = 0.2
    /// The sum of scores above the minimum from which a rare class is confirmed, as a multiple of the distance from the
    /// minimum to 1.
    static let confirmation = 2.0
  }

  init(_ detection: TrackObservation, at time: Double) {
    origin = detection.box
    meanScore = detection.familyScore
    lastTime = time
    scoreSum = detection.familyScore
  }

  mutating func shift(by distance: Point) {
    origin.x += distance.x
    origin.y += distance.y
  }

  /// Adds a detection whose score could start a track.
  ///
  /// - Parameter box: the smoothed box.
  mutating func add(score: Double, box: Box, at time: Double) {
    strongCount += 1
    searchCount += 1
    scoreSum += score
    let rate = max(1 / Double(strongCount), 1 - exp(-(time - lastTime) / Rule.meanTime))
    meanScore += rate * (score - meanScore)
    lastTime = time
    hasMoved = hasMoved || box.iou(origin) < Rule.stillIoU
  }

  /// Adds a search that found it with a lower score, or with 0 not at all.
  mutating func addWeak(score: Double) {
    weakCount += 1
    searchCount += 1
    scoreSum += score
  }

  /// Whether its scores suffice for a class that is rare beside people, vehicles and animals: one search in a hundred that
  /// takes grass for a ball gives a ball every few seconds. Three scores of 0.9 suffice, or ten of 0.6 (a sequential test;
  /// A. Wald, 1945).
  func confirmsRareClass(minimumScore: Double) -> Bool {
    scoreSum - minimumScore * Double(searchCount) >= Rule.confirmation * (1 - minimumScore)
  }

  /// Whether it has neither moved nor scores clearly above the minimum.
  ///
  /// - Parameter wasDoubtful: whether it was so before.
  func isDoubtful(minimumScore: Double, wasDoubtful: Bool) -> Bool {
    let margin = wasDoubtful ? Rule.certain : Rule.doubtful
    return !hasMoved && weakCount >= Rule.weakSearches && meanScore < minimumScore + margin * (1 - minimumScore)
  }
}
