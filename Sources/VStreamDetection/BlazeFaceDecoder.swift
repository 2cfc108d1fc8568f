internal import VStreamInference
public import VStreamScene

#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads the outputs of BlazeFace: boxes and points relative to anchors, and scores.
///
/// Sources: V. Bazarevsky et al., "BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs", 2019; MediaPipe,
/// `face_detection_short_range.pbtxt` and `face_detection_full_range.pbtxt` (anchors, thresholds).
public struct BlazeFaceDecoder: Hashable, Sendable {
  /// Which of the two networks, as they differ in what they are shown.
  public enum Range: Hashable, Sendable {
    /// Faces within about two metres of a phone's camera: 128×128.
    case short
    /// Faces within about five metres: 192×192.
    case full
  }

  /// Faces that overlap more than this are one.
  public static let maximumIoU = 0.3
  /// Numbers per anchor: centre, size, and six points.
  static let numbersPerAnchor = 16
  /// Logits beyond this are taken as this.
  private static let greatestLogit: Float = 100

  /// Side of the network's input, in pixels.
  public let side: Int
  /// Centres in fractions of the input; every anchor is as large as the input.
  let anchors: [Point]
  /// Logit of the lowest score that is read.
  private let lowestLogit: Float

  public init(_ range: Range, minimumScore: Double) {
    switch range {
    case .short:
      side = 128
      anchors = Self.grid(16, each: 2) + Self.grid(8, each: 6)
    case .full:
      side = 192
      anchors = Self.grid(48, each: 1)
    }
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
  ///   - numbers: `[1, anchors, 16]`: offset of the centre from the anchor's (x, y), width and height, and six points as
  ///     offsets from the anchor's centre, all in pixels of the network's input.
  ///   - logits: `[1, anchors, 1]`.
  ///   - region: where in the frame the network looked, in pixels.
  /// - Returns: faces, those of the same face already made one, best first.
  public func decode(numbers: Span<Float>, logits: Span<Float>, region: Box) -> [FaceCandidate] {
    guard numbers.count == anchors.count * Self.numbersPerAnchor, logits.count == anchors.count else { return [] }
    var found: [FaceCandidate] = []
    for index in anchors.indices where logits[index] >= lowestLogit {
      let logit = min(max(logits[index], -Self.greatestLogit), Self.greatestLogit)
      let candidate = candidate(index, numbers, score: Double(1 / (1 + expf(-logit))), region)
      if !candidate.box.isEmpty { found.append(candidate) }
    }
    return weightedSuppression(found, maximumIoU: Self.maximumIoU)
  }

  private func candidate(_ index: Int, _ numbers: Span<Float>, score: Double, _ region: Box) -> FaceCandidate {
    let first = index * Self.numbersPerAnchor
    let anchor = anchors[index]
    func point(_ place: Int) -> Point {
      Point(
        x: region.x + (Double(numbers[first + place]) / Double(side) + anchor.x) * region.width,
        y: region.y + (Double(numbers[first + place + 1]) / Double(side) + anchor.y) * region.height)
    }
    return FaceCandidate(
      score: score,
      box: Box(
        center: point(0), width: Double(numbers[first + 2]) / Double(side) * region.width,
        height: Double(numbers[first + 3]) / Double(side) * region.height),
      keypoints: FaceCandidate.Keypoint.allCases.map { point(4 + 2 * $0.rawValue) })
  }
}

/// Makes one of candidates for the same face: their mean, weighted by their scores, with the best one's score.
///
/// Steadier from frame to frame than to keep the best alone. Candidates are of the same face if they overlap the best of
/// them, as it was found, by more than `maximumIoU`.
/// - Returns: what is left, best first.
/// - Complexity: O(n · m) for n candidates of m faces.
/// - Source: V. Bazarevsky et al., "BlazeFace", 2019, section 4.
public func weightedSuppression(_ candidates: [FaceCandidate], maximumIoU: Double) -> [FaceCandidate] {
  let order = candidates.indices.sorted { (candidates[$1].score, $0) < (candidates[$0].score, $1) }
  var rest = order.map { candidates[$0] }
  var kept: [FaceCandidate] = []
  while let best = rest.first {
    let same = rest.filter { $0.box.iou(best.box) > maximumIoU || $0 == best }
    rest.removeAll { $0.box.iou(best.box) > maximumIoU || $0 == best }
    kept.append(mean(of: same, best))
  }
  return kept
}

private func mean(of candidates: [FaceCandidate], _ best: FaceCandidate) -> FaceCandidate {
  let total = candidates.reduce(0) { $0 + $1.score }
  guard candidates.count > 1, total > 0 else { return best }
  func mean(_ number: (FaceCandidate) -> Double) -> Double {
    candidates.reduce(0) { $0 + number($1) * $1.score } / total
  }
  return FaceCandidate(
    score: best.score,
    box: Box(
      left: mean(\.box.x), top: mean(\.box.y), right: mean(\.box.right), bottom: mean(\.box.bottom)),
    keypoints: best.keypoints.indices.map { index in
      Point(x: mean { $0.keypoints[index].x }, y: mean { $0.keypoints[index].y })
    })
}
