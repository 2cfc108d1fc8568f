package import VStreamCore

/// Extends coverage backwards in time, to the frames before a subject's first detection.
///
/// Holds the covered regions of the delayed frames; the frames themselves are delayed elsewhere, in the same order. When a
/// frame leaves, the later observations are known: a subject that appeared since is covered along its extrapolated path, and
/// one that was observed again is covered between both observations. A value, without a clock or a thread.
package struct CoverageLookBack: Hashable, Sendable {
  /// Seconds of stream time for which a subject is covered before its first observation; 0 for none.
  package let seconds: Double
  /// The minimum number of covered frames before its first observation.
  package let frames: Int
  private var delayed: [DelayedFrame] = []
  private var lastShot: Int?
  private var shotStart = 0.0
  /// Seconds of a shot that may be an interruption of another one.
  package static let longestInterruption = 0.3

  private enum Rule {
    /// Seconds after its first observation at which a subject's velocity estimate has settled.
    static let settling = 0.2
    /// Times that differ by less are equal, since they are rounded.
    static let timeTolerance = 1e-6
  }

  private struct DelayedFrame: Hashable {
    let time: Double
    let shot: Int
    /// The time of its shot's first frame.
    let shotStart: Double
    /// Covered regions of the shot before.
    let left: [CoveredRegion]
    let regions: [CoveredRegion]
  }

  package init(seconds: Double, frames: Int = 0) {
    self.seconds = seconds
    self.frames = frames
  }

  /// The number of delayed frames.
  package var count: Int { delayed.count }

  /// Adds the next frame, with its covered regions as far as they are known now.
  ///
  /// - Parameters:
  ///   - shot: its number: a subject is covered only in the shot of its observation.
  ///   - left: covered regions of the shot before; omitted once this one is known to be no interruption.
  package mutating func add(
    _ regions: [CoveredRegion], at time: Double, in shot: Int = 0, left: [CoveredRegion] = []
  ) {
    if shot != lastShot { (lastShot, shotStart) = (shot, time) }
    delayed.append(DelayedFrame(time: time, shot: shot, shotStart: shotStart, left: left, regions: regions))
  }

  /// Whether the oldest frame can leave: a subject first observed at the end of its look-back window has had the time that
  /// its velocity estimate needs to settle.
  package var isReady: Bool {
    guard let first = delayed.first, let last = delayed.last else { return false }
    guard seconds > 0 else { return true }
    return last.time - first.time >= seconds + Rule.settling - Rule.timeTolerance && delayed.count > 2 * frames
  }

  /// Removes the oldest frame, ready or not.
  ///
  /// - Parameter frame: its size; `nil` if no subject is known to enter it.
  /// - Returns: its covered regions; `nil` if no frame is delayed.
  /// - Complexity: O(n) for n regions in the delayed frames.
  package mutating func next(in frame: PixelSize?) -> [CoveredRegion]? {
    guard !delayed.isEmpty else { return nil }
    let leaving = delayed.removeFirst()
    let present = Dictionary(
      leaving.regions.compactMap { region in region.id.map { ($0, region) } }, uniquingKeysWith: { one, _ in one })
    let added = laterObservations(than: leaving).sorted { $0.key < $1.key }.compactMap {
      id, later -> CoveredRegion? in
      guard let region = present[id] else { return Self.before(later.first, later.last, at: leaving.time, in: frame) }
      return region.observedAt >= leaving.time ? nil : Self.between(region, later.first, at: leaving.time)
    }
    let goesOn = delayed.contains { later in
      later.shot == leaving.shot && later.shotStart == leaving.shotStart
        && later.time - later.shotStart >= Self.longestInterruption - Rule.timeTolerance
    }
    return leaving.regions + added + (goesOn ? [] : leaving.left)
  }

  /// For each subject that is observed within the look-back window after a frame, its first and its last known observation.
  private func laterObservations(
    than leaving: DelayedFrame
  ) -> [Int: (first: CoveredRegion, last: CoveredRegion)] {
    var observations: [Int: (first: CoveredRegion, last: CoveredRegion)] = [:]
    for (index, frame) in delayed.enumerated() {
      let isInWindow = index < frames || frame.time - leaving.time <= seconds + Rule.timeTolerance
      for region in frame.regions where region.observedAt > leaving.time && frame.shot == leaving.shot {
        guard let id = region.id, isInWindow || observations[id] != nil else { continue }
        observations[id, default: (region, region)].last = region
      }
    }
    return observations
  }

  /// The region of a subject before its first observation: from there to where its velocity since then places it.
  private static func before(
    _ first: CoveredRegion, _ last: CoveredRegion, at time: Double, in frame: PixelSize?
  ) -> CoveredRegion {
    let (span, seconds) = (last.observedAt - first.observedAt, first.observedAt - time)
    guard span > 0 else { return first.expanded(after: seconds, speed: nil) }
    let (from, to) = (first.observedBox.center, last.observedBox.center)
    let velocity = Point(x: (from.x - to.x) / span, y: (from.y - to.y) / span)
    var origin = first.observedBox
    origin.x += velocity.x * seconds
    origin.y += velocity.y * seconds
    return first.extended(to: origin, after: seconds, velocity: velocity, in: frame)
  }

  /// The region of a subject between two observations, interpolated.
  private static func between(_ earlier: CoveredRegion, _ later: CoveredRegion, at time: Double) -> CoveredRegion {
    let span = later.observedAt - earlier.observedAt
    let fraction = span > 0 ? (time - earlier.observedAt) / span : 0
    var region = earlier
    let (from, to) = (earlier.observedBox, later.observedBox)
    func mix(_ one: Double, _ other: Double) -> Double { one + (other - one) * fraction }
    region.box = Box(
      x: mix(from.x, to.x), y: mix(from.y, to.y), width: mix(from.width, to.width), height: mix(from.height, to.height))
    region.extent = max(earlier.extent, later.extent)
    return region
  }
}
