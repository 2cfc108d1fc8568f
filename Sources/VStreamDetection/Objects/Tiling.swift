internal import VStreamScene

/// Where a detector looks in a frame so that it finds small things as well: once at the whole, and once at each of a
/// grid of tiles that overlap, in which things are larger to it.
struct Tiling {
  /// A part of a frame that is looked at.
  struct Region: Hashable {
    let box: Box
    /// Whether its edges run through the picture, so that they cut what lies on them.
    let isTile: Bool
  }

  /// The whole first, then the tiles, row by row.
  let regions: [Region]
  private let frame: PixelSize

  /// What tiles next to each other have in common, as a share of a tile's side.
  static let overlap = 0.25
  /// A box whose edge is nearer than this share of a tile's side to where the tile was cut is itself cut.
  private static let cutMargin = 0.02
  /// Objects of the same class that overlap more than this are one.
  private static let maximumIoU = 0.5
  /// A box is part of another of its class, seen by another look, if this share of it lies in that one.
  private static let containedShare = 0.8

  /// - Parameter isTiled: whether there are tiles at all.
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

  /// Three by two along the longer side; fewer where tiles would be small themselves.
  private static func grid(_ frame: PixelSize) -> (columns: Int, rows: Int) {
    let (most, few) = (3, 2)
    let isWide = frame.width >= frame.height
    func tiles(_ side: Int, _ limit: Int) -> Int { max(1, min(limit, side / smallestTile)) }
    return (tiles(frame.width, isWide ? most : few), tiles(frame.height, isWide ? few : most))
  }

  /// Pixels that a tile's side has at least, without its overlap.
  private static let smallestTile = 160

  /// Equal parts of a side, each reaching into its neighbours.
  private static func spans(_ count: Int, _ side: Double) -> [ClosedRange<Double>] {
    let length = side / (Double(count) - Double(count - 1) * overlap)
    return (0..<count).map { index in
      let start = Double(index) * length * (1 - overlap)
      return start...min(side, start + length)
    }
  }

  /// What all looks found together: what an edge inside the picture cut is left out, and what was found more than once
  /// is taken once, the best.
  ///
  /// - Parameter found: for each of `regions`, what was found there, in the frame's pixels.
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
      if !kept.contains(where: { Self.isSame(candidate, $0) }) { kept.append(candidate) }
    }
    return kept.map(\.object)
  }

  private static func isSame(
    _ one: (object: DetectedObject, region: Int), _ better: (object: DetectedObject, region: Int)
  ) -> Bool {
    guard one.object.classIndex == better.object.classIndex else { return false }
    let (box, other) = (one.object.box, better.object.box)
    if box.iou(other) > maximumIoU { return true }
    guard one.region != better.region, let shared = box.intersection(other) else { return false }
    return shared.area > containedShare * min(box.area, other.area)
  }

  /// Whether a box ends where its tile was cut out of the picture.
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
