public import VStreamScene

/// The state of a track at a time, whether it was matched at the last update or not.
public struct TrackSnapshot: Hashable, Sendable {
  /// The track's ID (`nil` before confirmation), class and last score, with its predicted box.
  public var object: DetectedObject
  /// Velocity of the box's centre, in pixels per second.
  public var velocity: Point
  /// Stream time of the last matched detection, in seconds.
  public var observedAt: Double
  /// Box of the last matched detection.
  public var observedBox: Box
  /// Whether it was matched once only, so that its velocity is unknown.
  public var isNew: Bool
  /// Whether the last search for it did not find it.
  public var isLost: Bool
  /// The scale of the search that found it last; 0 for the whole frame.
  public var searchScale: Double
  /// The searches for it on the whole frame alone.
  public var wholeSearches: SearchCount
}

extension Tracker {
  /// All tracks that have not expired at a time, lost and tentative ones too, by ascending ID. Changes nothing.
  public func snapshots(at time: Double) -> [TrackSnapshot] {
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
