public import VStreamScene

/// A place in a frame where something that is to be covered is, or may be.
public struct CoveredRegion: Hashable, Sendable {
  /// Of the track, negative for what may be a part or a double of another's; `nil` for a detection that no track took.
  public var id: Int?
  /// Holds the subject: where it was found, or where it was found last and where it is expected, and all between.
  public var box: Box
  /// The subject's longer side, in pixels.
  public var extent: Double
  /// Pixels by which it may be elsewhere, across and down, as it moves.
  public var slack: Point
  /// When it was found last, in seconds of stream time, and where.
  public var seenAt: Double
  public var seenBox: Box

  enum Rule {
    /// How fast a subject may be of which that is not known, in its longer sides a second: as fast as a walker is high.
    static let unknownSpeed = 0.7
    /// How far it may have come aside, as a share of its way.
    static let turningFraction = 0.3
    /// What a detector may leave out of a box on each side, as a share of it, and at least so many pixels.
    static let margin = 0.1
    static let leastMargin = 2.0
  }

  /// What is covered: the whole box with a margin that grows with its size and the subject's speed.
  public var ellipse: Ellipse {
    let x = max(Rule.leastMargin, box.width * Rule.margin) + slack.x
    let y = max(Rule.leastMargin, box.height * Rule.margin) + slack.y
    return Ellipse(around: Box(left: box.x - x, top: box.y - y, right: box.right + x, bottom: box.bottom + y))
  }
}

/// Decides what is covered in the frames of one stream, so that nothing that was found is left out.
///
/// Covered are: each detection that could start a track, at once; weaker ones that overlap with something covered; and each
/// track until it is given up, wherever between its last place and the expected one it may be.
public struct CoverageTracker: Hashable, Sendable {
  private var tracker: Tracker
  /// Follows what `tracker` takes for parts and doubles of what it has: it may be somebody half hidden.
  private var doubles: Tracker

  private enum Rule {
    /// Seconds for which a subject may go on as it did before that shows.
    static let reaction = 0.05
    /// A weak detection belongs to what is covered if so much of it and of that are common to both.
    static let weakIoU = 0.1
  }

  public init(_ options: TrackerOptions) {
    var options = options
    options.confirmAfter = 1
    tracker = Tracker(options)
    doubles = tracker
  }

  /// Takes the detections of one frame.
  ///
  /// - Parameter time: stream time in seconds, later than that of the last update.
  /// - Returns: what is covered in that frame.
  public mutating func update(_ detections: [DetectedObject], at time: Double) -> [CoveredRegion] {
    let found = tracker.update(detections, at: time).map(\.box)
    let left = detections.filter { !$0.box.isEmpty && !found.contains($0.box) }
    let foundOfDoubles = doubles.update(left, at: time).map(\.box)
    let held = places(at: time)
    let others = left.filter { detection in
      guard !foundOfDoubles.contains(detection.box) else { return false }
      return detection.score >= tracker.options.minimumScore
        || held.contains { $0.box.iou(detection.box) > Rule.weakIoU }
    }
    return held + others.map { CoveredRegion(id: nil, $0.box, seenAt: time) }
  }

  /// What is covered in a frame in which nothing was looked for. Changes nothing.
  public func places(at time: Double) -> [CoveredRegion] {
    tracker.held(at: time).map { Self.place($0, id: $0.object.id, at: time) }
      + doubles.held(at: time).map { Self.place($0, id: $0.object.id.map { -$0 }, at: time) }
  }

  private static func place(_ track: HeldTrack, id: Int?, at time: Double) -> CoveredRegion {
    let unseen = max(0, time - track.seenAt)
    let (x, y) = (track.velocity.x, track.velocity.y)
    var place = CoveredRegion(id: id, track.seenBox, seenAt: track.seenAt)
    place.box = track.seenBox.hull(track.object.box)
    place.slack = Point(x: abs(x) * Rule.reaction, y: abs(y) * Rule.reaction)
    return place.loosened(after: unseen, speed: track.isNew ? nil : (x * x + y * y).squareRoot())
  }
}

extension CoveredRegion {
  /// A subject where it was found.
  public init(id: Int?, _ box: Box, seenAt: Double) {
    self.init(
      id: id, box: box, extent: max(box.width, box.height), slack: Point(x: 0, y: 0), seenAt: seenAt, seenBox: box)
  }

  /// The place when the subject has not been seen for some time, in which it may have turned aside.
  ///
  /// - Parameter speed: in pixels a second; `nil` if it is not known.
  func loosened(after seconds: Double, speed: Double?) -> CoveredRegion {
    var copy = self
    let distance = seconds * (speed.map { $0 * Rule.turningFraction } ?? extent * Rule.unknownSpeed)
    copy.slack.x += distance
    copy.slack.y += distance
    return copy
  }
}
