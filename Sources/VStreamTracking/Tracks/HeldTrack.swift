public import VStreamScene

/// A track as the tracker remembers it, whether it was found at the last update or not.
public struct HeldTrack: Hashable, Sendable {
  /// Its ID (`nil` before it has one), steady label and last score, with the box that is expected.
  public var object: DetectedObject
  /// How fast the box's middle moves, in pixels a second.
  public var velocity: Point
  /// When it was found last, in seconds of stream time, and where.
  public var seenAt: Double
  public var seenBox: Box
  /// Whether it was found once only, so that its velocity is not known.
  public var isNew: Bool
}

extension Tracker {
  /// All tracks that are not given up at a time, unseen and unconfirmed ones too, by rising ID. Changes nothing.
  public func held(at time: Double) -> [HeldTrack] {
    remembered(at: time).map { track in
      let (now, later) = (track.box(at: time).center, track.box(at: time + 1).center)
      return HeldTrack(
        object: track.object(box: track.lastMatch >= time ? track.last.box : track.box(at: time)),
        velocity: Point(x: later.x - now.x, y: later.y - now.y), seenAt: track.lastMatch, seenBox: track.last.box,
        isNew: track.matchCount == 1)
    }
    .sorted { ($0.object.id ?? 0) < ($1.object.id ?? 0) }
  }
}
