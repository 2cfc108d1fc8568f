internal import VStreamMedia
internal import VStreamScene

/// Chooses the crops of each frame of a stream that are searched for new faces.
///
/// The whole frame is always one of them, all upright ones are where a scene begins. Others take turns: upright ones within an
/// interval, rotated ones within a longer one. A crop in whose core nothing has changed since its last search is skipped, for
/// at most a second, unless it shows what may be a face; where most has changed since the frame before, crops do not wait for their turn.
struct CropSelection {
  private enum Rule {
    /// Fewer changed cells are noise.
    static let fewestCells = 8
    /// In more of the frame's cells, it is motion in most of the frame, of which few crops would show little.
    static let largestChange = 0.26
    /// The most crops that are searched because of them, besides those that are due.
    static let maximumChangedCrops = 3
    /// Seconds after which a crop without any change is searched again.
    static let restInterval = 1.0
  }

  private var upright: CropSchedule
  private var turned: CropSchedule
  private var change = FrameChange()
  /// When each crop was searched last, in seconds.
  private var searchedAt: [Double] = []
  /// Whether crops without any change are skipped.
  private let skipsUnchanged: Bool

  init(_ options: FaceDetectorOptions) {
    upright = CropSchedule(interval: options.searchInterval)
    turned = CropSchedule(interval: options.turnedSearchInterval)
    skipsUnchanged = options.searchInterval > 0
  }

  /// - Parameters:
  ///   - all: the crops of the frame: the whole, upright ones, and those that take turns within a longer interval: turned ones,
  ///     and those of corners.
  ///   - doubtful: faces that were detected with low scores.
  /// - Throws: `VStreamError` if the frame cannot be sampled; it does not count as searched then.
  mutating func crops(
    of all: [FacePyramid.Crop], in frame: VideoFrame, doubtful: [FaceCandidate]
  ) throws(VStreamError) -> [FacePyramid.Crop] {
    let seconds = frame.time.seconds
    let difference = try change.next(frame)
    let uprightCount = all.count { $0.quarterTurns == 0 && $0.margin?.isOfCorners != true }
    if searchedAt.count != all.count { searchedAt = [Double](repeating: -.infinity, count: all.count) }
    func isWorthwhile(_ index: Int) -> Bool {
      let core = all[index].core
      return hasChanged(core, after: searchedAt[index], at: seconds)
        || doubtful.contains { core.contains($0.box.center) }
    }
    let first =
      difference.isCut
      ? upright.restart(with: uprightCount - 1, at: seconds).map { $0 + 1 }
      : upright.crops(of: uprightCount - 1, at: seconds).map { $0 + 1 }.filter(isWorthwhile)
    let second = turned.crops(of: all.count - uprightCount, at: seconds).map { $0 + uprightCount }.filter(isWorthwhile)
    var chosen = Set(first + second)
    for index in Self.crops(of: all[..<uprightCount], showing: difference, besides: chosen) {
      chosen.insert(index)
      upright.postpone(index - 1, at: seconds)
    }
    for index in chosen { searchedAt[index] = seconds }
    return [all[0]] + chosen.sorted().map { all[$0] }
  }

  /// Whether a part of the frame may show something else than it did at a time.
  private func hasChanged(_ core: Box, after last: Double, at seconds: Double) -> Bool {
    !skipsUnchanged || seconds < last || seconds - last >= Rule.restInterval || change.hasChanged(in: core, after: last)
  }

  /// The crops that show most of what has changed, by their indices.
  private static func crops(
    of all: ArraySlice<FacePyramid.Crop>, showing difference: FrameChange.Difference, besides others: Set<Int>
  ) -> [Int] {
    let points = difference.points
    guard points.count >= Rule.fewestCells, Double(points.count) <= Rule.largestChange * Double(difference.cellCount)
    else { return [] }
    let counts = all.dropFirst().indices.map { index in
      let isSearched = others.contains(index) || all[index].region.width > all[0].region.width
      return (index: index, count: isSearched ? 0 : points.count { all[index].region.contains($0) })
    }
    let most = counts.filter { $0.count >= Rule.fewestCells }.sorted {
      ($1.count, $0.index) < ($0.count, $1.index)
    }
    return most.prefix(Rule.maximumChangedCrops).map(\.index)
  }
}
