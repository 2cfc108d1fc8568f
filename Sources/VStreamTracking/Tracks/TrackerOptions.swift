public import VStreamScene

/// The options of a tracker. Durations are seconds of stream time.
public struct TrackerOptions: Hashable, Sendable {
  /// The lowest score that starts a track; detections with lower scores may continue one for up to `lostAfter` seconds.
  public var minimumScore: Double
  /// How long an object may stay undetected and keep its ID.
  public var lostAfter: Double
  /// The number of matched detections from which a track is confirmed and has an ID.
  public var confirmAfter: Int
  /// The minimum overlap between an object's predicted box and a detection of it, both enlarged by a buffer.
  public var minimumIoU: Double
  /// Whether tracks are omitted that never moved and whose scores stay near `minimumScore`: probably no objects.
  public var omitsDoubtful = true

  public init(
    minimumScore: Double = 0.5, lostAfter: Double = 1, confirmAfter: Int = 2, minimumIoU: Double = 0.2
  ) {
    self.minimumScore = minimumScore
    self.lostAfter = lostAfter
    self.confirmAfter = confirmAfter
    self.minimumIoU = minimumIoU
  }

  /// - Throws: `VStreamError.usage` for a number that has no meaning.
  public func check() throws(VStreamError) {
    try NumberLimit.score.check(minimumScore, of: .minimumScore)
    try NumberLimit.seconds.check(lostAfter, of: .lostAfter)
    try NumberLimit.count(of: "detections").check(confirmAfter, of: .confirmAfter)
    try NumberLimit.overlap.check(minimumIoU, of: .minimumIoU)
  }
}
