internal import VStreamCore

/// Merges the objects detected in the regions of a frame: without duplicates and objects cut by a region's edge.
struct SearchMerge {
  private let search: FrameSearch

  /// Boxes of a class that overlap more than this are of one object.
  private static let maximumIoU = 0.5
  /// Boxes of a class from different regions are of one object if this fraction of the smaller lies in the larger.
  private static let containedFraction = 0.8

  init(_ search: FrameSearch) { self.search = search }

  /// - Parameter found: for each region, its objects in the frame's pixels.
  /// - Returns: the objects of the frame, best first.
  func merged(_ found: [[DetectedObject]], limit: Int) -> [DetectedObject] {
    guard search.regions.count > 1 else { return uncut(found.first ?? [], 0) }
    let candidates = found.enumerated().flatMap { index, objects in
      uncut(objects, index).map { (object: $0, region: index) }
    }
    let order = candidates.indices.sorted {
      (candidates[$1].object.score, $0) < (candidates[$0].object.score, $1)
    }
    var kept: [(object: DetectedObject, region: Int)] = []
    for index in order where kept.count < limit {
      let candidate = candidates[index]
      if !kept.contains(where: { isSame(candidate, $0) }) { kept.append(candidate) }
    }
    return kept.map(\.object)
  }

  private func uncut(_ objects: [DetectedObject], _ region: Int) -> [DetectedObject] {
    guard search.regions.indices.contains(region) else { return objects }
    return objects.filter { !search.isCut($0.box, by: search.regions[region].box) }
  }

  private func isSame(
    _ one: (object: DetectedObject, region: Int), _ better: (object: DetectedObject, region: Int)
  ) -> Bool {
    guard one.object.classIndex == better.object.classIndex else { return false }
    let (box, other) = (one.object.box, better.object.box)
    if box.iou(other) > Self.maximumIoU { return true }
    // Parts of the frame cut objects; the whole does not, with a margin or without.
    return one.region != better.region && ![one, better].allSatisfy { search.isWhole(search.regions[$0.region].box) }
      && box.overlap(other) > Self.containedFraction
  }
}
