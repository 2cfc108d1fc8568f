internal import VStreamCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// The predicted box of a track, and the likelihood that a detection belongs to it.
struct TrackPrediction {
  let box: Box
  let size: Double
  let classIndex: Int
  private let family: ClassFamily?
  private let enlarged: Box
  private let gapPath: Point
  /// Weights of squared distances: one over their variances.
  private let weight: (x: Double, y: Double)
  /// Cost of a detection that equals the prediction: lower for more certain predictions.
  private let minimumCost: Double

  private enum Rule {
    /// The enlargement of a box on each side, as a fraction of its size.
    static let buffer = 0.7
    /// Standard deviation of a side's length from the predicted one, as a fraction of the longer.
    static let sideDeviation = 0.3
    /// Degrees of freedom of Student's distribution: lower values give large distances a higher likelihood.
    static let freedom = 2.0
    /// The upper limit of `minimumCost`, for very uncertain predictions.
    static let minimumCostLimit = 5.0
    /// The additional cost of a different class.
    static let otherClass = 2.0
    /// The additional cost of a different class of the same family.
    static let relatedClass = 0.5
    /// The additional cost of a score of 0; higher scores cost proportionally less.
    static let lowScore = 4.0
    /// The additional cost of no overlap with the predicted box; pairs that overlap cost proportionally less.
    static let noOverlap = 1.0
  }

  init(_ track: Track) {
    let filter = track.filter
    let variance = filter.innovationVariance
    box = filter.box()
    size = filter.size
    classIndex = track.classIndex
    family = track.family
    let spread = variance.x / (size * size) * (variance.y / (size * size))
    enlarged = box.buffered(by: Rule.buffer)
    gapPath = filter.gapPath
    weight = (1 / variance.x, 1 / variance.y)
    minimumCost = min(log(spread) / 2, Rule.minimumCostLimit)
  }

  /// Whether a detection overlaps the predicted box by at least `minimumIoU`, both enlarged by the buffer.
  func overlaps(_ detected: Box, minimumIoU: Double) -> Bool {
    let back = wayBack(to: detected)
    let (box, enlarged) = (box.moved(by: back), enlarged.moved(by: back))
    let (width, height) = (box.width + detected.width, box.height + detected.height)
    let reach = Rule.buffer + 0.5
    guard abs(detected.x - box.x + (detected.width - box.width) / 2) < reach * width,
      abs(detected.y - box.y + (detected.height - box.height) / 2) < reach * height
    else { return false }
    return enlarged.iou(detected.buffered(by: Rule.buffer)) >= minimumIoU
  }

  /// The cost of assigning a detection to this track.
  ///
  /// It is the negative log likelihood, up to a constant, of the distance under the motion filter's uncertainty and of the
  /// difference in size, and costs of a low score, of little overlap and of another class. Student's distribution allows for sudden turns and jolts.
  func cost(_ detection: TrackObservation) -> Double {
    let predicted = box.moved(by: wayBack(to: detection.box))
    let offset = BoxFilter.offset(of: detection.box, from: predicted)
    let wider = (detection.box.width - box.width) / max(detection.box.width, box.width) / Rule.sideDeviation
    let higher = (detection.box.height - box.height) / max(detection.box.height, box.height) / Rule.sideDeviation
    let distance =
      offset.x * offset.x * weight.x + offset.y * offset.y * weight.y + wider * wider + higher * higher
    let likelihood = minimumCost + (Rule.freedom + 4) / 2 * log(1 + distance / Rule.freedom)
    let scoreCost = Rule.lowScore * (1 - min(max(detection.score, 0), 1))
    let overlapCost = Rule.noOverlap * (1 - predicted.iou(detection.box))
    return likelihood + scoreCost + overlapCost + classCost(detection)
  }

  private func classCost(_ detection: TrackObservation) -> Double {
    if classIndex == detection.classIndex { return 0 }
    return family != nil && family == detection.family ? Rule.relatedClass : Rule.otherClass
  }

  /// The distance from the predicted box, back on its way through a gap of the stream, to where it is nearest to a detection:
  /// the object may have stopped there.
  private func wayBack(to detected: Box) -> Point {
    func limited(_ distance: Double, _ path: Double) -> Double {
      min(max(distance, min(-path, 0)), max(-path, 0))
    }
    let (center, origin) = (detected.center, box.center)
    return Point(x: limited(center.x - origin.x, gapPath.x), y: limited(center.y - origin.y, gapPath.y))
  }
}
