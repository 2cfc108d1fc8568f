internal import VStreamInference
public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Something that a network finds relative to its anchors: a box and points. Pixels of the frame.
public protocol AnchoredCandidate: Hashable, Sendable {
  /// What its points are, in their order, numbered from 0.
  associatedtype Keypoint: RawRepresentable<Int> & CaseIterable
  /// How sure the network is, 0…1.
  var score: Double { get }
  var box: Box { get }
  /// One for each `Keypoint`.
  var keypoints: [Point] { get }

  init(score: Double, box: Box, keypoints: [Point])
}

extension AnchoredCandidate {
  /// How many points it has.
  public static var keypointCount: Int { Keypoint.allCases.count }

  public subscript(_ keypoint: Keypoint) -> Point { keypoints[keypoint.rawValue] }
}

/// Reads the outputs of networks whose anchors are all as large as the input: boxes and points relative to the anchors'
/// centres, and scores.
public struct AnchorDecoder<Candidate: AnchoredCandidate>: Hashable, Sendable {
  /// Candidates that overlap more than this are one.
  public static var maximumIoU: Double { 0.3 }
  /// Logits beyond this are taken as this.
  private static var greatestLogit: Float { 100 }
  /// Numbers per anchor: centre, size, and the points.
  static var numbersPerAnchor: Int { 4 + 2 * Candidate.keypointCount }

  /// Side of the network's input, in pixels.
  public let side: Int
  /// Centres in fractions of the input.
  let anchors: [Point]
  /// Logit of the lowest score that is read.
  private let lowestLogit: Float

  /// - Parameter grids: how many anchors lie side by side, and how many at each place, grid by grid.
  public init(side: Int, grids: [(count: Int, each: Int)], minimumScore: Double) {
    self.side = side
    anchors = grids.flatMap { Self.grid($0.count, each: $0.each) }
    let score = min(max(minimumScore, 1e-6), 1 - 1e-6)
    lowestLogit = Float(log(score / (1 - score)))
  }

  /// Row by row, with so many anchors at each place.
  private static func grid(_ count: Int, each: Int) -> [Point] {
    (0..<count * count).flatMap { place in
      repeatElement(
        Point(x: (Double(place % count) + 0.5) / Double(count), y: (Double(place / count) + 0.5) / Double(count)),
        count: each)
    }
  }

  /// - Parameters:
  ///   - numbers: `[1, anchors, 4 + 2 · points]`: offset of the centre from the anchor's (x, y), width and height, and the
  ///     points as offsets from the anchor's centre, all in pixels of the network's input.
  ///   - logits: `[1, anchors, 1]`.
  ///   - region: where in the frame the network looked, in pixels.
  /// - Returns: candidates, those of the same thing already made one, best first.
  public func decode(numbers: Span<Float>, logits: Span<Float>, region: Box) -> [Candidate] {
    guard numbers.count == anchors.count * Self.numbersPerAnchor, logits.count == anchors.count else { return [] }
    var found: [Candidate] = []
    for index in anchors.indices where logits[index] >= lowestLogit {
      let logit = min(max(logits[index], -Self.greatestLogit), Self.greatestLogit)
      let candidate = candidate(index, numbers, score: Double(1 / (1 + expf(-logit))), region)
      if !candidate.box.isEmpty { found.append(candidate) }
    }
    return weightedSuppression(found, maximumIoU: Self.maximumIoU)
  }

  private func candidate(_ index: Int, _ numbers: Span<Float>, score: Double, _ region: Box) -> Candidate {
    let first = index * Self.numbersPerAnchor
    let anchor = anchors[index]
    func point(_ place: Int) -> Point {
      Point(
        x: region.x + (Double(numbers[first + place]) / Double(side) + anchor.x) * region.width,
        y: region.y + (Double(numbers[first + place + 1]) / Double(side) + anchor.y) * region.height)
    }
    return Candidate(
      score: score,
      box: Box(
        center: point(0), width: Double(numbers[first + 2]) / Double(side) * region.width,
        height: Double(numbers[first + 3]) / Double(side) * region.height),
      keypoints: (0..<Candidate.keypointCount).map { point(4 + 2 * $0) })
  }
}

/// Makes one of candidates for the same thing: their mean, weighted by their scores, with the best one's score.
///
/// Steadier from frame to frame than to keep the best alone. Candidates are of the same thing if they overlap the best of
/// them, as it was found, by more than `maximumIoU`.
/// - Returns: what is left, best first.
/// - Complexity: O(n · m) for n candidates of m things.
/// - Source: V. Bazarevsky et al., "BlazeFace", 2019, section 4.
public func weightedSuppression<Candidate: AnchoredCandidate>(
  _ candidates: [Candidate], maximumIoU: Double
) -> [Candidate] {
  let order = candidates.indices.sorted { (candidates[$1].score, $0) < (candidates[$0].score, $1) }
  var rest = order.map { candidates[$0] }
  var kept: [Candidate] = []
  while let best = rest.first {
    let same = rest.filter { $0.box.iou(best.box) > maximumIoU || $0 == best }
    rest.removeAll { $0.box.iou(best.box) > maximumIoU || $0 == best }
    kept.append(mean(of: same, best))
  }
  return kept
}

private func mean<Candidate: AnchoredCandidate>(of candidates: [Candidate], _ best: Candidate) -> Candidate {
  let total = candidates.reduce(0) { $0 + $1.score }
  guard candidates.count > 1, total > 0 else { return best }
  func mean(_ number: (Candidate) -> Double) -> Double {
    candidates.reduce(0) { $0 + number($1) * $1.score } / total
  }
  return Candidate(
    score: best.score,
    box: Box(
      left: mean(\.box.x), top: mean(\.box.y), right: mean(\.box.right), bottom: mean(\.box.bottom)),
    keypoints: best.keypoints.indices.map { index in
      Point(x: mean { $0.keypoints[index].x }, y: mean { $0.keypoints[index].y })
    })
}
