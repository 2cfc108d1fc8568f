internal import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// What a track expects of its next detection.
struct Expectation {
  let box: Box
  let size: Double
  let classIndex: Int
  private let grown: Box
  /// Weights of squared distances: one over their variances.
  private let weight: (x: Double, y: Double)
  /// Cost of a detection that is just as expected: the moreConfident the expectation, the lower.
  private let leastCost: Double

  private enum Rule {
    /// By how much of its size a box is grown on each side.
    static let buffer = 0.7
    /// Standard deviation of a side's length from the expected one, as a share of the longer.
    static let sideDeviation = 0.3
    /// Degrees of freedom of Student's distribution: the fewer, the likelier are great distances.
    static let freedom = 2.0
    /// However unsure an expectation is, a detection that is just as expected costs no more than this.
    static let greatestLeastCost = 5.0
    /// What a differing class costs.
    static let otherClass = 2.0
  }

  init(_ track: Track) {
    let filter = track.filter
    let variance = filter.expectedVariance
    box = filter.box()
    size = filter.size
    classIndex = track.classIndex
    let spread = variance.x / (size * size) * (variance.y / (size * size))
    grown = box.buffered(by: Rule.buffer)
    weight = (1 / variance.x, 1 / variance.y)
    leastCost = min(log(spread) / 2, Rule.greatestLeastCost)
  }

  /// Whether a detection overlaps the expected box by at least `minimumIoU`, both grown by the buffer.
  func mayBe(_ found: Box, minimumIoU: Double) -> Bool {
    let (width, height) = (box.width + found.width, box.height + found.height)
    let reach = Rule.buffer + 0.5
    guard abs(found.x - box.x + (found.width - box.width) / 2) < reach * width,
      abs(found.y - box.y + (found.height - box.height) / 2) < reach * height
    else { return false }
    return grown.iou(found.buffered(by: Rule.buffer)) >= minimumIoU
  }

  /// How unlikely it is that a detection is of this track; the less the likelier.
  ///
  /// The negative logarithm of the likelihood but for a constant: of the place's distance under the motion filter's
  /// uncertainty, and of the difference in size, by Student's distribution, in which turns and jolts are not impossible.
  func cost(_ found: TrackObservation) -> Double {
    let offset = BoxFilter.offset(of: found.box, from: box)
    let wider = (found.box.width - box.width) / max(found.box.width, box.width) / Rule.sideDeviation
    let higher = (found.box.height - box.height) / max(found.box.height, box.height) / Rule.sideDeviation
    let distance =
      offset.x * offset.x * weight.x + offset.y * offset.y * weight.y + wider * wider + higher * higher
    let likelihood = leastCost + (Rule.freedom + 4) / 2 * log(1 + distance / Rule.freedom)
    return classIndex == found.classIndex ? likelihood : likelihood + Rule.otherClass
  }
}
