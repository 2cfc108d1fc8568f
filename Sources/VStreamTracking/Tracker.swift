public import VStreamScene

/// How a tracker decides. Durations are seconds of stream time.
public struct TrackerOptions: Hashable, Sendable {
  /// The lowest score that starts a track; lower ones may continue one.
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
/// The contract: an ID is positive, belongs to one object, is never reused, is given only once a track is confirmed
/// (from its `confirmAfter`-th matched detection on), and is kept through gaps of up to `lostAfter` seconds. A value;
/// each stream and kind has its own, and none of them shares anything.
///
/// Sources: A. Bewley et al., "Simple Online and Realtime Tracking", 2016; Y. Zhang et al., "ByteTrack", 2022 (second
/// pass for low scores); F. Yang et al., "Hard to Track Objects with Irregular Motions and Similar Appearances? Make It
/// Easier by Buffering the Matching Space", 2023 (buffered IoU).
public struct Tracker: Hashable, Sendable {
  public let options: TrackerOptions
  private var tracks: [Track] = []
  private var nextID = 1
  private var lastUpdate: Double?
  /// Boxes that were not looked at because their frame had more than `maximumDetections`.
  public private(set) var detectionsLeftOut = 0

  /// So many detections of a frame, the best-scored, are used.
  public static let maximumDetections = 1000

  /// What is not an option: shares of a box's size, overlaps, and scores.
  private enum Rule {
    /// Boxes are grown by this much of their size on each side when first matched, and by that much when again.
    static let buffer = 0.3
    static let widerBuffer = 0.5
    /// The least overlap of a low-scored detection with the track that it continues.
    static let lowScoreIoU = 0.4
    /// What a differing class costs, in units of overlap.
    static let classPenalty = 0.25
    /// Detections of differing classes that overlap more than this are one object.
    static let duplicateIoU = 0.8
    /// Times that are equal but for rounding count as equal.
    static let timeTolerance = 1e-6
    /// Share of `lostAfter` for which a track that is not confirmed yet may go unseen after it was missed.
    static let unconfirmedShare = 0.3
  }

  public init(_ options: TrackerOptions = TrackerOptions()) { self.options = options }

  /// Takes the detections of one frame and reports the confirmed tracks that were matched on it.
  ///
  /// The order of `detections` does not matter. Boxes that are empty or not finite, and scores that are not numbers,
  /// are passed over.
  /// - Parameters:
  ///   - detections: objects without IDs.
  ///   - time: stream time in seconds, later than that of the last update.
  /// - Returns: objects with IDs and the box of their detection, by rising ID.
  /// - Complexity: O(n² · m) for n tracks and m detections at the worst.
  public mutating func update(_ detections: [DetectedObject], at time: Double) -> [DetectedObject] {
    tracks = tracks.filter { !isOver($0, at: time) }
    for index in tracks.indices { tracks[index].predict(to: time) }
    let usable = usable(detections)

    var freeTracks = Array(tracks.indices)
    var high = usable.filter { $0.score >= options.minimumScore }
    let low = usable.filter { $0.score < options.minimumScore }
    let isConfirmed = { (track: Track) in track.id != nil }
    for buffer in [Rule.buffer, Rule.widerBuffer] {
      match(&high, with: &freeTracks, where: isConfirmed, buffer: buffer, minimumIoU: options.minimumIoU, at: time)
    }
    match(
      &high, with: &freeTracks, where: { !isConfirmed($0) }, buffer: Rule.buffer, minimumIoU: options.minimumIoU,
      at: time)
    var rest = low
    match(
      &rest, with: &freeTracks, where: { _ in true }, buffer: 0, minimumIoU: max(options.minimumIoU, Rule.lowScoreIoU),
      at: time)
    start(high, at: time)
    confirm(at: time)
    lastUpdate = time
    return reported { $0.lastDetection.box }
  }

  /// The tracks that were matched at the last update, moved to a later time. Changes nothing.
  ///
  /// - Returns: objects with IDs, predicted boxes and their last score, by rising ID.
  public func tracks(at time: Double) -> [DetectedObject] { reported { $0.box(at: time) } }

  private func reported(_ box: (Track) -> Box) -> [DetectedObject] {
    tracks.filter { $0.id != nil && $0.lastMatch == lastUpdate }
      .map { $0.object(box: box($0)) }
      .sorted { ($0.id ?? 0) < ($1.id ?? 0) }
  }

  /// Whether a track has been missed for too long; for an unconfirmed one that is less long.
  private func isOver(_ track: Track, at time: Double) -> Bool {
    // What was seen at the last look is looked for at the next, however long that takes.
    guard track.lastMatch != lastUpdate else { return false }
    let limit = options.lostAfter * (track.id == nil ? Rule.unconfirmedShare : 1)
    return time - track.lastMatch > limit + Rule.timeTolerance
  }

  /// The detections that can be used, in an order that does not depend on theirs, without doubles of one object.
  private mutating func usable(_ detections: [DetectedObject]) -> [DetectedObject] {
    var sorted = detections.filter { !$0.box.isEmpty && $0.score.isFinite }.sorted(by: Self.precedes)
    if sorted.count > Self.maximumDetections {
      detectionsLeftOut += sorted.count - Self.maximumDetections
      sorted.removeLast(sorted.count - Self.maximumDetections)
    }
    var kept: [DetectedObject] = []
    for candidate in sorted {
      let isDouble = kept.contains {
        $0.classIndex != candidate.classIndex && $0.box.iou(candidate.box) > Rule.duplicateIoU
      }
      if !isDouble { kept.append(candidate) }
    }
    return kept
  }

  /// By falling score; then by place, so that the order is the same however the detections came.
  private static func precedes(_ one: DetectedObject, _ other: DetectedObject) -> Bool {
    if one.score != other.score { return one.score > other.score }
    let (a, b) = (one.box, other.box)
    return (a.x, a.y, a.width, a.height, Double(one.classIndex)) < (
      b.x, b.y, b.width, b.height, Double(other.classIndex)
    )
  }

  /// Pairs detections with free tracks and takes the pairs out of both lists.
  private mutating func match(
    _ detections: inout [DetectedObject], with freeTracks: inout [Int], where isCandidate: (Track) -> Bool,
    buffer: Double, minimumIoU: Double, at time: Double
  ) {
    let candidates = freeTracks.filter { isCandidate(tracks[$0]) }
    guard !candidates.isEmpty, !detections.isEmpty else { return }
    let expected = candidates.map { tracks[$0].box(at: time).buffered(by: buffer) }
    let classes = candidates.map { tracks[$0].classIndex }
    let found = detections.map { $0.box.buffered(by: buffer) }
    let impossible = 4.0
    var costs = [Double](repeating: impossible, count: candidates.count * detections.count)
    for row in candidates.indices {
      for column in detections.indices {
        let penalty = classes[row] == detections[column].classIndex ? 0 : Rule.classPenalty
        let overlap = expected[row].iou(found[column])
        if overlap >= minimumIoU + penalty { costs[row * detections.count + column] = 1 - overlap + penalty }
      }
    }
    let count = detections.count
    let pairs = minimumCostAssignment(rows: candidates.count, columns: count) { costs[$0 * count + $1] }
    var matchedTracks: Set<Int> = []
    var matchedDetections: Set<Int> = []
    for (row, column) in pairs.enumerated() {
      guard let column, costs[row * count + column] < impossible else { continue }
      tracks[candidates[row]].match(detections[column], at: time)
      matchedTracks.insert(candidates[row])
      matchedDetections.insert(column)
    }
    freeTracks.removeAll { matchedTracks.contains($0) }
    detections = detections.indices.filter { !matchedDetections.contains($0) }.map { detections[$0] }
  }

  private mutating func start(_ detections: [DetectedObject], at time: Double) {
    for detection in detections { tracks.append(Track(detection, at: time)) }
  }

  private mutating func confirm(at time: Double) {
    for index in tracks.indices
    where tracks[index].id == nil && tracks[index].lastMatch == time
      && tracks[index].matchCount >= options.confirmAfter
    {
      tracks[index].id = nextID
      nextID += 1
    }
  }
}
