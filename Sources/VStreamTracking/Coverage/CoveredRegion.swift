package import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// A region of a frame that is covered because a subject is, or may be, in it.
package struct CoveredRegion: Hashable, Sendable {
  /// ID of the track; negative for a possible part or duplicate of another track; `nil` for a detection without a track.
  package var id: Int?
  /// The smallest box that holds the subject's last observed box and its predicted one.
  package var box: Box
  /// The subject's longer side, in pixels.
  package var extent: Double
  /// The uncertainty of the subject's position on each axis, in pixels.
  package var slack: Point
  /// Stream time of the last observation, in seconds.
  package var observedAt: Double
  /// Box of the last observation.
  package var observedBox: Box

  private enum Rule {
    /// The assumed speed of a subject whose speed is unknown, in its longer sides per second: that of a walker.
    static let unknownSpeed = 0.7
    /// The assumed deviation from a straight path, as a fraction of the path's length.
    static let turningFraction = 0.3
    /// The farthest that a subject is assumed to be from its path, in its longer sides: after a long loss it is hidden or gone.
    static let longestTurn = 1.0
    /// The part of a subject that a detector may miss on each side: a fraction of the box, and a minimum in pixels.
    static let margin = 0.1
    static let minimumMargin = 2.0
  }

  /// The covered ellipse: around the whole box, with a margin that grows with its size and the subject's speed.
  package var ellipse: Ellipse {
    let x = max(Rule.minimumMargin, box.width * Rule.margin) + slack.x
    let y = max(Rule.minimumMargin, box.height * Rule.margin) + slack.y
    return Ellipse(around: Box(left: box.x - x, top: box.y - y, right: box.right + x, bottom: box.bottom + y))
  }

  /// The region of a subject at the time of its observation.
  package init(id: Int?, _ box: Box, observedAt time: Double) {
    self.id = id
    self.box = box
    extent = max(box.width, box.height)
    slack = Point(x: 0, y: 0)
    observedAt = time
    observedBox = box
  }

  /// The region of a subject at another time than that of its observation, from its observed box to its predicted one.
  ///
  /// - Parameters:
  ///   - velocity: to the predicted box, in pixels per second; its position is uncertain by its speed.
  ///   - isKnown: whether the velocity is more than a guess.
  ///   - longestPath: the farthest that it is followed, in its longer sides.
  ///   - frame: the predicted box is clipped to it, and outside it the position grows no more uncertain; `nil` for no limit.
  func extended(
    to predicted: Box, after seconds: Double, velocity: Point, isKnown: Bool = true, longestPath: Double = .infinity,
    in frame: PixelSize?
  ) -> CoveredRegion {
    var copy = self
    let (from, to) = (observedBox.center, predicted.center)
    let (dx, dy) = (to.x - from.x, to.y - from.y)
    let excess = max(1, hypot(dx, dy) / max(1, extent * longestPath))
    let end = Box(
      center: Point(x: from.x + dx / excess, y: from.y + dy / excess), width: predicted.width, height: predicted.height)
    copy.box = observedBox.hull(frame.map { end.clipped(to: $0) ?? observedBox } ?? end)
    let inside = frame.map { secondsInside($0, velocity) } ?? .infinity
    return copy.expanded(after: min(seconds, inside), speed: isKnown ? hypot(velocity.x, velocity.y) : nil)
  }

  /// Seconds until the observed box has left a frame.
  private func secondsInside(_ frame: PixelSize, _ velocity: Point) -> Double {
    func seconds(_ start: Double, _ end: Double, _ length: Int, _ speed: Double) -> Double {
      speed == 0 ? .infinity : max(0, speed > 0 ? (Double(length) - start) / speed : end / -speed)
    }
    return min(
      seconds(observedBox.x, observedBox.right, frame.width, velocity.x),
      seconds(observedBox.y, observedBox.bottom, frame.height, velocity.y))
  }

  /// The region after a time without an observation, when the subject may have changed its direction.
  ///
  /// - Parameter speed: in pixels per second; `nil` if it is unknown.
  func expanded(after seconds: Double, speed: Double?) -> CoveredRegion {
    var copy = self
    let distance = seconds * (speed.map { $0 * Rule.turningFraction } ?? extent * Rule.unknownSpeed)
    let limited = min(distance, extent * Rule.longestTurn)
    copy.slack.x += limited
    copy.slack.y += limited
    return copy
  }
}
