internal import VStreamCore

/// The regions of a frame for detecting small objects as well: the whole, and a grid of overlapping tiles, where
/// objects are larger relative to the network's input.
struct Tiling {
  /// The whole first, then the tiles, row by row.
  private(set) var search: FrameSearch
  private let input: PixelSize

  /// Overlap of adjacent tiles, as a fraction of a tile's side.
  static let overlap = 0.25

  /// - Parameters:
  ///   - isTiled: whether there are tiles beside the whole.
  ///   - input: size of the network's input.
  init(_ frame: PixelSize, isTiled: Bool, input: PixelSize) {
    self.input = input
    search = FrameSearch(frame: frame, regions: [])
    add(Box(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height)))
    let (columns, rows) = Self.grid(frame)
    guard isTiled, columns * rows > 1 else { return }
    let across = Self.spans(columns, Double(frame.width))
    let down = Self.spans(rows, Double(frame.height))
    for vertical in down {
      for horizontal in across {
        add(
          Box(
            left: horizontal.lowerBound, top: vertical.lowerBound, right: horizontal.upperBound,
            bottom: vertical.upperBound))
      }
    }
  }

  private mutating func add(_ box: Box) { search.regions.append(FrameSearch.Region(box, input: input)) }

  /// Adds the whole frame once more.
  mutating func addWhole() { search.regions.append(search.regions[0]) }

  /// Adds the whole frame with a margin around it.
  ///
  /// - Returns: its box.
  mutating func addMargin() -> Box {
    let whole = search.regions[0].box
    let box = Box(center: whole.center, width: Self.margin * whole.width, height: Self.margin * whole.height)
    add(box)
    return box
  }

  /// Sides of the frame with its margin, in sides of the frame.
  private static let margin = 1.5

  /// Three along the longer side and two along the shorter; fewer if tiles would be too small.
  private static func grid(_ frame: PixelSize) -> (columns: Int, rows: Int) {
    let (longer, shorter) = (3, 2)
    let isWide = frame.width >= frame.height
    func tiles(_ side: Int, _ limit: Int) -> Int { max(1, min(limit, side / smallestTile)) }
    return (tiles(frame.width, isWide ? longer : shorter), tiles(frame.height, isWide ? shorter : longer))
  }

  /// Shortest side of a tile without its overlap, in pixels.
  private static let smallestTile = 160

  /// Equal parts of a side, each overlapping its neighbours.
  private static func spans(_ count: Int, _ side: Double) -> [ClosedRange<Double>] {
    let length = side / (Double(count) - Double(count - 1) * overlap)
    return (0..<count).map { index in
      let start = Double(index) * length * (1 - overlap)
      return start...min(side, start + length)
    }
  }
}

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
