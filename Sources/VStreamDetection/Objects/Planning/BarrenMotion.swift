internal import VStreamScene

/// Regions in which something moves and nothing is found, however often it is searched for: clocks, trees, flags.
///
/// Pure: it depends on the frames and their results only.
struct BarrenMotion {
  private var regions: [Region] = []

  private struct Region {
    var box: Box
    /// The most that its box may cover, in pixels².
    let maximumArea: Double
    /// Searches in a row that found nothing.
    var searches: Int
    /// Stream time of the last one, in seconds.
    var searchedAt: Double
  }

  private enum Rule {
    /// Searches after which a region is barren.
    static let searches = 20
    /// The fraction of a moving box that lies in a region to which it belongs.
    static let insideFraction = 0.8
    /// By how much regions are enlarged when boxes are compared with them, in fractions of their sides.
    static let margin = 0.25
    /// The most that a region covers, in areas of its first box: what travels makes no region of its way.
    static let growth = 3.0
    /// Seconds after which a region is forgotten that was not searched again.
    static let memory = 600.0
    static let maximumRegions = 64
  }

  /// Adds the result of a frame.
  ///
  /// - Parameters:
  ///   - moving: boxes around what moved in it, and was searched at a scale at which it can be found.
  ///   - found: what was detected in the frame.
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

  /// Whether a moving box belongs to a region that was searched in vain.
  func contains(_ box: Box) -> Bool {
    regions.contains { $0.searches >= Rule.searches && Self.contains($0.box, box) }
  }

  private static func contains(_ region: Box, _ box: Box) -> Bool {
    guard let common = region.buffered(by: Rule.margin).intersection(box) else { return false }
    return common.area >= Rule.insideFraction * box.area
  }
}
