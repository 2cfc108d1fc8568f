public import VStreamScene

/// Keeps the best of boxes that overlap: greedily, by falling score, each class on its own.
///
/// Ties in score keep the order of the input. A box is dropped when its intersection over union with a better one of
/// its class is greater than `maximumIoU`.
/// - Parameter limit: at most this many are kept, of each class and in all.
/// - Returns: what is kept, best first.
/// - Complexity: O(n²) for n boxes of a class.
public func nonMaximumSuppression(
  _ objects: [DetectedObject], maximumIoU: Double, limit: Int
) -> [DetectedObject] {
  let order = objects.indices.sorted { (objects[$1].score, $0) < (objects[$0].score, $1) }
  var kept: [DetectedObject] = []
  kept.reserveCapacity(max(0, min(limit, objects.count)))
  for index in order where kept.count < limit {
    let candidate = objects[index]
    let isDuplicate = kept.contains {
      $0.classIndex == candidate.classIndex && $0.box.iou(candidate.box) > maximumIoU
    }
    if !isDuplicate { kept.append(candidate) }
  }
  return kept
}
