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
