internal import VStreamCore

/// Regions whose motion is ignored, as no search detects an object there: clocks, trees, flags.
///
/// Pure: it depends on the frames and their results only.
struct IgnoredMotion {
  private var regions: [Region] = []

  private struct Region {
    var box: Box
    /// The largest area of its box, in pixels².
    let maximumArea: Double
    /// Consecutive searches without a detection.
    var searches: Int
    /// Stream time of the last one, in seconds.
    var searchedAt: Double
  }

  private enum Rule {
    /// Searches without a detection before a region's motion is ignored.
    static let searches = 20
    /// The fraction of a moving box that lies in a region to which it belongs.
    static let insideFraction = 0.8
    /// By how much regions are enlarged when boxes are compared with them, in fractions of their sides.
    static let margin = 0.25
    /// The largest area of a region, in areas of its first box: a moving object makes no region of its path.
    static let growth = 3.0
    /// Seconds without a search after which a region is forgotten.
    static let memory = 600.0
    static let maximumRegions = 64
  }

  /// Adds the result of a frame.
  ///
  /// - Parameters:
  ///   - moving: boxes around its motion that were searched at a suitable scale.
  ///   - found: the boxes of its detections.
  mutating func add(_ moving: [Box], found: [Box], at time: Double) {
    regions.removeAll { region in
      time - region.searchedAt > Rule.memory || found.contains { $0.intersection(region.box) != nil }
    }
    for box in moving where !found.contains(where: { $0.intersection(box) != nil }) { add(box, at: time) }
    if regions.count > Rule.maximumRegions { regions.removeFirst(regions.count - Rule.maximumRegions) }
  }

  private mutating func add(_ box: Box, at time: Double) {
    for index in regions.indices {
      let hull = regions[index].box.hull(box)
      let canGrow = hull.area <= regions[index].maximumArea
      guard canGrow || Self.contains(regions[index].box, box) else { continue }
      if canGrow { regions[index].box = hull }
      regions[index].searches += 1
      regions[index].searchedAt = time
      return
    }
    regions.append(Region(box: box, maximumArea: Rule.growth * box.area, searches: 1, searchedAt: time))
  }

  /// Whether a moving box belongs to an ignored region.
  func contains(_ box: Box) -> Bool {
    regions.contains { $0.searches >= Rule.searches && Self.contains($0.box, box) }
  }

  private static func contains(_ region: Box, _ box: Box) -> Bool {
    guard let common = region.buffered(by: Rule.margin).intersection(box) else { return false }
    return common.area >= Rule.insideFraction * box.area
  }
}
