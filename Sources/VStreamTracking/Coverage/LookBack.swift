internal import VStreamScene

/// What is covered in frames that wait, so that a subject is covered in those before it was first found, too.
///
/// Holds what was decided frame by frame; the frames themselves wait elsewhere, in the same order. When a frame leaves, what
/// has been found since is known: a subject that appeared is covered where it must have come from, and one that was found
/// again where it must have been meanwhile. A value, without a clock or a thread.
public struct LookBack: Hashable, Sendable {
  /// How long before it was found a subject is covered, in seconds of stream time; 0 for not at all.
  public let seconds: Double
  /// In how many frames before it was found it is covered at least.
  public let frames: Int
  private var moments: [Moment] = []

  private enum Rule {
    /// Seconds after which a subject's movement shows in where it was found.
    static let settling = 0.2
    /// Times that are equal but for rounding count as equal.
    static let timeTolerance = 1e-6
  }

  private struct Moment: Hashable {
    let time: Double
    let places: [CoveredRegion]
  }

  public init(seconds: Double, frames: Int = 0) {
    self.seconds = seconds
    self.frames = frames
  }

  /// How many frames wait.
  public var count: Int { moments.count }

  /// Takes what is covered in the next frame as far as is known now.
  public mutating func add(_ places: [CoveredRegion], at time: Double) {
    moments.append(Moment(time: time, places: places))
  }

  /// Whether the frame that has waited longest has done so long enough: until what was found at the end of the look-back
  /// has shown how it moves.
  public var isReady: Bool {
    guard let first = moments.first, let last = moments.last else { return false }
    guard seconds > 0 else { return true }
    return last.time - first.time >= seconds + Rule.settling - Rule.timeTolerance && moments.count > 2 * frames
  }

  /// Lets the frame go that has waited longest, long enough or not.
  ///
  /// - Returns: what is covered in it; nothing if none waits.
  /// - Complexity: O(n) for n places in the frames that wait.
  public mutating func next() -> [CoveredRegion] {
    guard !moments.isEmpty else { return [] }
    let leaving = moments.removeFirst()
    let present = Dictionary(
      leaving.places.compactMap { place in place.id.map { ($0, place) } }, uniquingKeysWith: { one, _ in one })
    var sights: [Int: (first: CoveredRegion, last: CoveredRegion)] = [:]
    for (index, moment) in moments.enumerated() {
      let isNear = index < frames || moment.time - leaving.time <= seconds + Rule.timeTolerance
      // What was seen at the frame itself or before is no news.
      for place in moment.places where place.seenAt > leaving.time {
        guard let id = place.id, isNear || sights[id] != nil else { continue }
        sights[id, default: (place, place)].last = place
      }
    }
    let found = sights.sorted { $0.key < $1.key }.compactMap { id, sights -> CoveredRegion? in
      guard let place = present[id] else { return Self.before(sights.first, sights.last, at: leaving.time) }
      return place.seenAt >= leaving.time ? nil : Self.between(place, sights.first, at: leaving.time)
    }
    return leaving.places + found
  }

  /// Where a subject must have been before it was found: there, or where its movement since says, or between.
  private static func before(_ first: CoveredRegion, _ last: CoveredRegion, at time: Double) -> CoveredRegion {
    let span = last.seenAt - first.seenAt
    guard span > 0 else { return first.loosened(after: first.seenAt - time, speed: nil) }
    let share = (first.seenAt - time) / span
    var place = first
    let (from, to) = (first.seenBox.center, last.seenBox.center)
    var origin = first.seenBox
    origin.x -= (to.x - from.x) * share
    origin.y -= (to.y - from.y) * share
    place.box = first.seenBox.hull(origin)
    let way = Point(x: to.x - from.x, y: to.y - from.y)
    return place.loosened(after: first.seenAt - time, speed: (way.x * way.x + way.y * way.y).squareRoot() / span)
  }

  /// Where a subject must have been between two places that it was found at.
  private static func between(_ earlier: CoveredRegion, _ later: CoveredRegion, at time: Double) -> CoveredRegion {
    let span = later.seenAt - earlier.seenAt
    let share = span > 0 ? (time - earlier.seenAt) / span : 0
    var place = earlier
    let (from, to) = (earlier.seenBox, later.seenBox)
    func mix(_ one: Double, _ other: Double) -> Double { one + (other - one) * share }
    place.box = Box(
      x: mix(from.x, to.x), y: mix(from.y, to.y), width: mix(from.width, to.width), height: mix(from.height, to.height))
    place.extent = max(earlier.extent, later.extent)
    return place
  }
}
