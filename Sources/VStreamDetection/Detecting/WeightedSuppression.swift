internal import VStreamScene

/// Merges candidates for the same object into one: their mean, weighted by their scores, with the best one's score.
///
/// Smoother from frame to frame than keeping the best alone. Candidates are of the same object if they overlap its best
/// candidate, as detected, by more than `maximumIoU`.
/// - Returns: the merged candidates, best first.
/// - Complexity: O(n · m) for n candidates of m objects.
/// - Source: V. Bazarevsky et al., "BlazeFace", 2019, section 4.
public func weightedSuppression<Candidate: AnchoredCandidate>(
  _ candidates: [Candidate], maximumIoU: Double
) -> [Candidate] {
  let order = candidates.indices.sorted { (candidates[$1].score, $0) < (candidates[$0].score, $1) }
  var rest = order.map { candidates[$0] }
  var merged: [Candidate] = []
  while let best = rest.first {
    let same = rest.filter { $0.box.iou(best.box) > maximumIoU || $0 == best }
    rest.removeAll { $0.box.iou(best.box) > maximumIoU || $0 == best }
    merged.append(mean(of: same, best))
  }
  return merged
}

private func mean<Candidate: AnchoredCandidate>(of candidates: [Candidate], _ best: Candidate) -> Candidate {
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
