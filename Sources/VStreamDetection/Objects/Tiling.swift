internal import VStreamScene

/// The regions of a frame in which a detector finds small objects as well: the whole, and a grid of overlapping tiles, in
/// which objects are larger relative to the network's input.
struct Tiling {
  /// A part of a frame that is searched in one pass.
  struct Region: Hashable {
    let box: Box
    /// Whether its edges lie inside the frame, so that they cut objects.
    let isTile: Bool
  }

  /// The whole first, then the tiles, row by row.
  private(set) var regions: [Region]
  private let frame: PixelSize

  /// Overlap of adjacent tiles, as a fraction of a tile's side.
  static let overlap = 0.25
  /// A box is cut by its tile if it is nearer to the tile's edge than this fraction of the tile's side.
  private static let cutMargin = 0.02
  /// Boxes of a class that overlap more than this are of one object.
  private static let maximumIoU = 0.5
  /// Boxes of a class from different regions are of one object if this fraction of the smaller lies in the larger.
  private static let containedFraction = 0.8

  /// - Parameter isTiled: whether there are tiles beside the whole.
  init(_ frame: PixelSize, isTiled: Bool) {
    self.frame = frame
    let whole = Region(
      box: Box(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height)), isTile: false)
    guard isTiled else {
      regions = [whole]
      return
    }
    let (columns, rows) = Self.grid(frame)
    let across = Self.spans(columns, Double(frame.width))
    let down = Self.spans(rows, Double(frame.height))
    let tiles = down.flatMap { vertical in
      across.map { horizontal in
        let box = Box(
          left: horizontal.lowerBound, top: vertical.lowerBound, right: horizontal.upperBound,
          bottom: vertical.upperBound)
        return Region(box: box, isTile: true)
      }
    }
    regions = [whole] + (tiles.count > 1 ? tiles : [])
  }

  /// Adds the whole frame with a margin around it.
  mutating func addMargin() -> Region {
    let whole = regions[0].box
    let box = Box(center: whole.center, width: Self.margin * whole.width, height: Self.margin * whole.height)
    let region = Region(box: box, isTile: false)
    regions.append(region)
    return region
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

  /// The objects of all regions: without those that a tile's edge has cut, and of duplicates only the best.
  ///
  /// - Parameter found: for each of `regions`, its objects in the frame's pixels.
  func merged(_ found: [[DetectedObject]], limit: Int) -> [DetectedObject] {
    guard regions.count > 1 else { return found.first ?? [] }
    var candidates: [(object: DetectedObject, region: Int)] = []
    for (index, objects) in found.enumerated() {
      for object in objects where !isCut(object.box, by: regions[index]) { candidates.append((object, index)) }
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

  private func isSame(
    _ one: (object: DetectedObject, region: Int), _ better: (object: DetectedObject, region: Int)
  ) -> Bool {
    guard one.object.classIndex == better.object.classIndex else { return false }
    let (box, other) = (one.object.box, better.object.box)
    if box.iou(other) > Self.maximumIoU { return true }
    // Tiles cut objects; the whole frame does not, with a margin or without.
    guard one.region != better.region, regions[one.region].isTile || regions[better.region].isTile,
      let common = box.intersection(other)
    else { return false }
    return common.area > Self.containedFraction * min(box.area, other.area)
  }

  /// Whether a box ends at an edge of its tile that lies inside the frame.
  private func isCut(_ box: Box, by region: Region) -> Bool {
    guard region.isTile else { return false }
    let tile = region.box
    let (across, down) = (Self.cutMargin * tile.width, Self.cutMargin * tile.height)
    return (tile.x > 0 && box.x < tile.x + across)
      || (tile.y > 0 && box.y < tile.y + down)
      || (tile.right < Double(frame.width) - 0.5 && box.right > tile.right - across)
      || (tile.bottom < Double(frame.height) - 0.5 && box.bottom > tile.bottom - down)
  }
}
