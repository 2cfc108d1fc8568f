package import VStreamCore

/// Keeps the best of overlapping boxes: greedily, by descending score, each class independently.
///
/// Ties in score keep the order of the input. A box is dropped when its intersection over union with a better one of
/// its class is greater than `maximumIoU`.
/// - Parameter limit: the most boxes that are kept.
/// - Returns: the kept boxes, best first.
/// - Complexity: O(n²) for n boxes of a class.
package func nonMaximumSuppression(
  _ objects: consuming [DetectedObject], maximumIoU: Double, limit: Int
) -> [DetectedObject] {
  objects.sort { $0.score > $1.score }
  var count = 0
  for index in objects.indices where count < limit {
    let candidate = objects[index]
    let isDuplicate = objects[..<count].contains {
      $0.classIndex == candidate.classIndex && $0.box.iou(candidate.box) > maximumIoU
    }
    guard !isDuplicate else { continue }
    objects[count] = candidate
    count += 1
  }
  objects.removeLast(objects.count - count)
  return objects
}

/// A detection with keypoints. Pixels of the frame.
package protocol KeypointCandidate: Hashable, Sendable {
  /// The keypoints in their order, numbered from 0.
  associatedtype Keypoint: RawRepresentable<Int> & CaseIterable
  /// 0…1.
  var score: Double { get }
  var box: Box { get }
  /// One point for each `Keypoint`.
  var keypoints: [Point] { get }

  init(score: Double, box: Box, keypoints: [Point])
}

extension KeypointCandidate {
  package subscript(_ keypoint: Keypoint) -> Point { keypoints[keypoint.rawValue] }
}

/// Merges candidates for the same object into one: their mean, weighted by their scores, with the best one's score.
///
/// Smoother from frame to frame than keeping the best alone. Candidates are of the same object if they overlap its best
/// candidate, as detected, by more than `maximumIoU`. Candidates that overlap it less, but have more
/// than `maximumContained` of the smaller box in common, are of a part of it, and are omitted.
/// - Returns: the merged candidates, best first.
/// - Complexity: O(n · m) for n candidates of m objects.
/// - Source of the mean: V. Bazarevsky et al., "BlazeFace", 2019, section 4.
package func weightedSuppression<Candidate: KeypointCandidate>(
  _ candidates: [Candidate], maximumIoU: Double, maximumContained: Double = .infinity
) -> [Candidate] {
  let order = candidates.indices.sorted { (candidates[$1].score, $0) < (candidates[$0].score, $1) }
  var rest = order.map { candidates[$0] }
  var merged: [Candidate] = []
  while let best = rest.first {
    rest.removeFirst()
    let same = [best] + rest.filter { $0.box.iou(best.box) > maximumIoU }
    rest.removeAll {
      $0.box.iou(best.box) > maximumIoU || $0.box.overlap(best.box) > maximumContained
    }
    merged.append(mean(of: same, best))
  }
  return merged
}

private func mean<Candidate: KeypointCandidate>(of candidates: [Candidate], _ best: Candidate) -> Candidate {
  let total = candidates.reduce(0) { $0 + $1.score }
  guard candidates.count > 1, total > 0 else { return best }
  func mean(_ value: (Candidate) -> Double) -> Double {
    candidates.reduce(0) { $0 + value($1) * $1.score } / total
  }
  return Candidate(
    score: best.score,
    box: Box(
      left: mean(\.box.x), top: mean(\.box.y), right: mean(\.box.right), bottom: mean(\.box.bottom)),
    keypoints: best.keypoints.indices.map { index in
      Point(x: mean { $0.keypoints[index].x }, y: mean { $0.keypoints[index].y })
    })
}
