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
