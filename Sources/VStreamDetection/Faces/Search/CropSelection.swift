internal import VStreamInference
internal import VStreamMedia
internal import VStreamScene

/// Chooses the crops of each frame of a stream that are searched for new faces.
///
/// The whole frame is always one of them, all upright ones are where a scene begins. Others take turns: upright ones within an
/// interval, rotated ones within a longer one. An upright crop in which nothing has changed since its last search is skipped
/// once; where most has changed since the frame before, crops do not wait for their turn.
struct CropSelection {
  /// Fewer changed points are noise, and more are motion in most of the frame, of which two crops would show little.
  private static let changedPoints = 2...600
  /// The most crops that are searched because of them, besides those that are due.
  private static let maximumChangedCrops = 2
  /// Seconds after which an upright crop without any change is searched again, in intervals: less than the look-back window.
  private static let unchangedIntervals = 2.0

  private var upright: CropSchedule
  private var turned: CropSchedule
  private var change = FrameChange()
  /// When each crop was searched last, in seconds.
  private var searchedAt: [Double] = []

  init(_ options: FaceDetectorOptions) {
    upright = CropSchedule(interval: options.searchInterval)
    turned = CropSchedule(interval: options.turnedSearchInterval)
  }

  /// - Parameter all: the crops of the frame: the whole, upright ones, and turned ones.
  /// - Throws: `VStreamError` if the frame cannot be sampled.
  mutating func crops(of all: [FacePyramid.Crop], in frame: VideoFrame) throws(VStreamError) -> [FacePyramid.Crop] {
    let seconds = frame.time.seconds
    let difference = try change.next(frame)
    let uprightCount = all.count { $0.quarterTurns == 0 }
    let (first, second) = (
      upright.crops(of: uprightCount - 1, at: seconds), turned.crops(of: all.count - uprightCount, at: seconds)
    )
    if searchedAt.count != all.count { searchedAt = [Double](repeating: -.infinity, count: all.count) }
    var chosen = Set(
      (first.map { $0 + 1 } + second.map { $0 + uprightCount }).filter { isWorthwhile(all[$0], $0, seconds) })
    if difference.isCut {
      chosen.formUnion(1..<uprightCount)
    } else if Self.changedPoints.contains(difference.points.count) {
      chosen.formUnion(Self.crops(of: all[..<uprightCount], showing: difference.points, besides: chosen))
    }
    for index in chosen { searchedAt[index] = seconds }
    return [all[0]] + chosen.sorted().map { all[$0] }
  }

  private func isWorthwhile(_ crop: FacePyramid.Crop, _ index: Int, _ seconds: Double) -> Bool {
    let last = searchedAt[index]
    return crop.quarterTurns > 0 || seconds < last || seconds - last >= Self.unchangedIntervals * upright.interval
      || change.hasChanged(in: crop.region, after: last)
  }

  /// The crops in which most of some points lie, by their indices.
  private static func crops(
    of all: ArraySlice<FacePyramid.Crop>, showing points: [Point], besides others: Set<Int>
  ) -> [Int] {
    let counts = all.dropFirst().indices.map { index in
      let isSearched = others.contains(index) || all[index].region.width > all[0].region.width
      return (index: index, count: isSearched ? 0 : points.count { all[index].region.contains($0) })
    }
    let most = counts.filter { $0.count >= changedPoints.lowerBound }.sorted {
      ($1.count, $0.index) < ($0.count, $1.index)
    }
    return most.prefix(maximumChangedCrops).map(\.index)
  }
}
